"""The pages as people use them, in Chromium: a whole game, corrections from two phones, set-up, a restart."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from device.sim import scripted_die
from device.web.server import Place, Server
from tests.web.rig import PIN, Rig, evening, played
from vision.tracking import Track
from vision.watch import Observation

pytestmark = pytest.mark.browser
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --no-first-run --disable-dev-shm-usage"
)
WAIT_MS = 60_000.0
PHONE, NARROW, TV = (390, 844), (320, 640), (1920, 1080)
RECTANGLES = "list => list.map((each) => each.getBoundingClientRect().toJSON())"
SESSIONS = Path(__file__).parents[1] / "sessions"


@pytest.fixture
def browser() -> Iterator[Browser]:
    """A Chromium of its own for each test: one that breaks down takes no other test with it."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        pytest.skip(f"no Chromium here: looked for {', '.join(PROGRAMS)}")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=found, args=FLAGS.split())
        yield made
        made.close()


@contextmanager
def served(rig: Rig) -> Iterator[str]:
    with Server(rig.evening, Place("127.0.0.1", 0)) as server:
        yield server.address


def page_of(browser: Browser, size: tuple[int, int] = PHONE, locale: str = "en-GB") -> Page:
    """A browser of its own, as another device has; what goes wrong in its pages fails the test."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, locale=locale)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    return page


def paired(browser: Browser, address: str, name: str, path: str = "/table", pin: str = PIN) -> Page:
    page = page_of(browser)
    page.goto(f"{address}/pair#{pin}")
    page.get_by_label("Name of this phone").fill(name)
    page.get_by_role("button", name="Pair", exact=True).click()
    expect(page.get_by_role("heading", name=f"Paired as {name}.")).to_be_visible(timeout=WAIT_MS)
    page.goto(address + path)
    return page


def tell(page: Page, *faces: int) -> None:
    """Type a throw."""
    for face in faces:
        page.locator(f"#keypad button[aria-label='{face}']").click()
    page.get_by_role("button", name="That is the throw").click()


def keep_and_bank(page: Page, count: int) -> None:
    """Set the first dice of the throw aside and bank."""
    expect(page.get_by_role("heading", name="Tap the dice to set aside")).to_be_visible(timeout=WAIT_MS)
    for place in range(count):
        page.locator("#dice button").nth(place).click()
    page.get_by_role("button", name=re.compile("Set aside and bank")).click()


def test_a_whole_game_with_corrections_from_two_phones(browser: Browser, tmp_path: Path) -> None:
    with played(tmp_path, rules="tiotusen-short") as rig, served(rig) as address:
        anna, ben = paired(browser, address, "Anna's phone"), paired(browser, address, "Ben's phone")
        board = page_of(browser, TV, "sv-SE")
        board.goto(address)
        tell(anna, 1, 1, 1, 1, 1, 2)
        expect(ben.locator("text=on the table +4 000".replace(" 000", "\u202f000"))).to_be_visible(
            timeout=WAIT_MS
        )
        keep_and_bank(anna, 5)
        expect(board.locator(".tile").nth(0)).to_contain_text("4\u202f000", timeout=WAIT_MS)
        expect(board.locator(".band")).to_contain_text("Ben: kasta 6 tärningar.")
        # Ben's turn is typed at Anna's phone, wrongly; Ben opens the die to correct it, and Anna is quicker.
        tell(anna, 2, 2, 2, 3, 4, 6)
        ben.get_by_role("button", name="Correct the throw").click()
        ben.locator("dialog").get_by_role("button", name="die 4: 3").click()
        anna.get_by_role("button", name="Undo").click()
        expect(anna.locator("#keypad")).to_be_visible(timeout=WAIT_MS)
        ben.locator("dialog .faces:not(.likely)").get_by_role("button", name="2", exact=True).click()
        expect(ben.get_by_role("alert")).to_contain_text(
            "Changed meanwhile: Taken back. (Anna's phone)", timeout=WAIT_MS
        )
        tell(ben, 2, 2, 2, 2, 4, 6)
        keep_and_bank(ben, 4)
        expect(board.locator(".tile").nth(1)).to_contain_text("400", timeout=WAIT_MS)
        # An old throw is corrected: it was five 1s and a 5.
        anna.get_by_role("button", name="Anna · turn 1: threw 1 1 1 1 1 2").click()
        anna.locator("dialog .dice-row button").nth(5).click()
        anna.locator("dialog .faces").get_by_role("button", name="5", exact=True).click()
        expect(anna.locator("dialog table")).to_be_visible(timeout=WAIT_MS)
        anna.locator("dialog").get_by_role("button", name="Save").click()
        expect(ben.get_by_role("button", name="Anna · turn 1: threw 1 1 1 1 1 5")).to_be_visible(
            timeout=WAIT_MS
        )
        # Anna crosses the target; Ben has his last turn, and the board tells who has won.
        tell(anna, 1, 1, 1, 4, 4, 6)
        keep_and_bank(anna, 3)
        expect(board.locator(".heading")).to_contain_text("sista omgången", timeout=WAIT_MS)
        tell(ben, 2, 2, 3, 3, 4, 6)
        expect(board.locator(".band")).to_contain_text("Anna vinner med 5\u202f000 poäng.", timeout=WAIT_MS)
        ben.get_by_role("button", name="Undo").click()  # also across the end of the game
        expect(board.locator(".heading")).to_contain_text("sista omgången", timeout=WAIT_MS)


def test_a_die_is_corrected_in_two_taps_in_the_picture(browser: Browser, tmp_path: Path) -> None:
    with played(tmp_path, by_hand=False) as rig, served(rig) as address:
        rig.throw(1, 1, 1, 5, 2, "?")
        phone = paired(browser, address, "Anna's phone")
        expect(phone.get_by_role("heading", name="A die cannot be read")).to_be_visible(timeout=WAIT_MS)
        expect(phone.locator(".versions")).to_contain_text("The table shows")
        expect(phone.locator(".versions")).to_contain_text("The game expects")
        box = phone.locator(".shot .box.asked")
        expect(box).to_be_enabled(timeout=WAIT_MS)
        box.dispatch_event("click")  # no place to tap: the scripted dice lie outside of their picture
        phone.locator("dialog .faces.likely button").first.click()
        expect(phone.locator(".question-card")).to_have_count(0, timeout=WAIT_MS)
        assert rig.state["events"] == 1


def test_dice_close_together_are_framed_apart_and_still_easy_to_tap(browser: Browser, tmp_path: Path) -> None:
    boxes = [(x, 100.0, 30.0, 30.0) for x in (40.0, 80.0, 120.0)]
    dice = tuple(
        Track(ident, scripted_die(ident, box), moved=True) for ident, box in enumerate(boxes, start=1)
    )
    with played(tmp_path, by_hand=False, rules="zilch") as rig, served(rig) as address:
        rig.see(Observation("rest", 10**9, 1, dice), np.full((450, 800, 3), 90, np.uint8))
        phone = paired(browser, address, "Anna's phone")
        phone.locator(".shot .box").nth(2).wait_for(timeout=WAIT_MS)
        frames = phone.locator(".shot .frame").evaluate_all(RECTANGLES)
        assert all(left["right"] < right["left"] for left, right in pairwise(frames)), frames
        scale = phone.locator(".shot img").evaluate("each => each.clientWidth") / 800
        assert all(frame["width"] < 30 * scale + 8 for frame in frames), (scale, frames)
        taps = phone.locator(".shot .box").evaluate_all(RECTANGLES)
        assert all(tap["width"] >= 44 and tap["height"] >= 44 for tap in taps), taps


def test_an_unpaired_phone_only_looks_on(browser: Browser, tmp_path: Path) -> None:
    with played(tmp_path) as rig, served(rig) as address:
        eve = page_of(browser)
        eve.goto(f"{address}/table")
        expect(eve.locator("text=This phone only looks on.")).to_be_visible(timeout=WAIT_MS)
        for button in eve.locator("#presses button").all():
            expect(button).to_be_disabled()
        status = eve.evaluate(
            """async () => {
              const headers = {"content-type": "application/json"};
              const write = (path, body) => fetch(path, {method: "POST", headers, body: JSON.stringify(body)})
                .then((answer) => answer.status);
              return Promise.all([
                write("/api/table/press", {version: "1-0-0", press: "bank"}),
                write("/api/table/throw", {version: "1-0-0", faces: [1, 1, 1, 1, 1, 1]}),
                write("/api/table/enter", {version: "1-0-0", points: 9000}),
                write("/api/setup/start", {players: ["Eve"]}),
              ]);
            }"""
        )
        assert status == [403] * 4
        assert rig.state["events"] == 0


def test_from_nothing_to_the_proof_roll_and_a_game(browser: Browser, tmp_path: Path) -> None:
    with evening(tmp_path) as rig:
        clip = SESSIONS / "tray" / "video.mp4"
        rig.evening.wanted = replace(rig.evening.wanted, source=str(clip), dice=None)
        rig.evening.feed.note(how="camera")
        from device.cameras import open_source

        with open_source(str(clip)) as source:
            rig.evening.desk.frame(next(islice(source, 60, None)))
        with served(rig) as address:
            phone = paired(browser, address, "Anna's phone", "/setup")
            expect(phone.locator(".shot img")).to_be_visible(timeout=WAIT_MS)
            phone.get_by_label("Side of the dice, mm").fill("16")
            phone.get_by_role("button", name="Find the mat").click()
            # This mat's markers do not tell how it is laid out: the sentence stays until it is tried again.
            expect(phone.locator(".trouble")).to_contain_text("how this mat is laid out", timeout=WAIT_MS)
            phone.get_by_role("button", name="No mat: drag the corners").click()
            phone.get_by_label(re.compile("^Width of the marked area")).fill("300")
            phone.get_by_label(re.compile("^corner 1")).press("ArrowLeft")
            phone.get_by_role("button", name="Use these corners").click()
            expect(phone.get_by_role("heading", name="How good the view is")).to_be_visible(timeout=WAIT_MS)
            assert phone.locator(".over polygon").count() >= 1
            phone.get_by_role("button", name=re.compile("Proof roll")).click()
            expect(phone.locator("#proof")).to_contain_text(re.compile("I see"), timeout=WAIT_MS)
            phone.get_by_role("button", name="Change the zones").click()
            knob = phone.locator(".handle").first
            before = knob.get_attribute("style")
            knob.focus()
            phone.keyboard.press("ArrowRight")
            assert knob.get_attribute("style") != before
            phone.get_by_role("button", name="Use these zones").click()
            expect(phone.locator(".handle")).to_have_count(0, timeout=WAIT_MS)
            phone.get_by_label("Name of the table").fill("Kitchen")
            phone.get_by_role("button", name="It is right: save").click()
            expect(phone.locator("#toast")).to_contain_text("Saved", timeout=WAIT_MS)
            assert (tmp_path / "tables" / "Kitchen.json").is_file()
            rig.evening.wanted = replace(rig.evening.wanted, source="typed", dice="typed", profile=None)
            phone.get_by_label("Player 1", exact=True).fill("Anna")
            phone.get_by_label("Player 2", exact=True).fill("Ben")
            phone.get_by_label("Rules", exact=True).select_option("tiotusen")
            expect(phone.locator("#rules")).to_contain_text("1000", timeout=WAIT_MS)
            phone.get_by_role("button", name="Begin the game").click()
            phone.wait_for_url("**/table")
            expect(phone.locator(".standing")).to_contain_text("Anna", timeout=WAIT_MS)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def program(folder: Path, port: int, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program itself; its PIN."""
    command = [sys.executable, "-m", "device", "play", "farkle", "--dice", "typed", "--display", "none"]
    command += ["--web-at", f"127.0.0.1:{port}", "--store", str(folder), *more]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUTF8": "1"}
    )
    try:
        assert process.stderr is not None
        pin = ""
        for line in process.stderr:
            if found := re.search(r"PIN (\d{6})", line):
                pin = found[1]
                break
        assert pin
        yield process, pin
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def test_pages_come_back_by_themselves_after_the_program_was_killed(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with program(tmp_path, port, "--players", "Anna,Ben") as (process, pin):
        phone = paired(browser, address, "Anna's phone", pin=pin)
        board = page_of(browser, TV)
        board.goto(address)
        tell(phone, 1, 1, 1, 5, 2, 3)
        expect(board.locator(".turn")).to_contain_text("on the table +350", timeout=WAIT_MS)
        process.kill()
        process.wait(timeout=60)
        expect(board.locator("#connection")).to_be_visible(timeout=WAIT_MS)
        expect(phone.locator("#connection")).to_contain_text("No connection")
    with program(tmp_path, port, "--resume"):
        expect(board.locator("#connection")).to_be_hidden(timeout=WAIT_MS)
        expect(board.locator(".turn")).to_contain_text("on the table +350", timeout=WAIT_MS)
        expect(phone.locator("#connection")).to_be_hidden(timeout=WAIT_MS)
        phone.get_by_role("button", name="Undo").click()  # it is still paired
        expect(board.locator(".band")).to_contain_text("Anna: throw 6 dice.", timeout=WAIT_MS)


def test_every_page_is_accessible_and_fits_from_a_small_phone_to_a_tv(
    browser: Browser, tmp_path: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    with played(tmp_path, by_hand=False) as rig, served(rig) as address:
        rig.throw(1, 1, 1, 5, 2, 3)
        phone = paired(browser, address, "Anna's phone")
        phone.get_by_role("button", name="Bank").click()
        expect(phone.locator(".standing")).to_contain_text("Ben", timeout=WAIT_MS)
        rig.throw(1, 2, 2, 3, 4, "?")
        for path, sign in (
            ("/", ".tile"),
            ("/table", ".question-card"),
            ("/games", "a.pick"),
            ("/games#1", "#replay .dice"),
            ("/setup", "#rules .setting"),
            ("/pair", ".card"),
        ):
            for size in (NARROW, TV):
                phone.set_viewport_size({"width": size[0], "height": size[1]})
                phone.goto("about:blank")
                phone.goto(address + path)
                phone.locator(sign).first.wait_for(state="attached")
                wide = phone.evaluate("document.documentElement.scrollWidth")
                assert wide <= size[0], f"{path} is {wide} px wide on {size[0]} px"
            found = axe.run(phone, options={"resultTypes": ["violations"]}).response["violations"]
            grave = [
                f"{each['id']}: {[node['html'] for node in each['nodes']]}"
                for each in found
                if each["impact"] in ("serious", "critical")
            ]
            assert not grave, (path, grave)
            small = phone.evaluate(
                """() => [...document.querySelectorAll("button, .button, nav a, select, input")]
                  .filter((each) => each.type !== "checkbox")
                  .filter((each) => each.offsetParent && !each.closest(".shot"))
                  .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
                  .filter(([, box]) => box.width < 44 || box.height < 44).map(([html]) => html)"""
            )
            assert not small, (path, small)
