"""Draw the pages that browsers show: `python -m benchmarks.web_pictures` (docs/phone.md).

    python -m benchmarks.web_pictures [--out docs/pictures/web] [--whole]

A game is played as in the tests (`tests/web/rig.py`), with pictures of a simulated session that the real
reader has read, and every page is opened in Chromium as a phone and as a television show it. `--whole` draws
each page in its whole length, to look through.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pictures
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from calibration.geometry import TableGeometry
from calibration.profile import load_profile
from device.web.server import Place, Server
from tests.web.rig import PIN, Phone, Rig, evening, played
from tests.web.test_browser import FLAGS, PROGRAMS, SESSIONS
from vision.detection import Reading
from vision.frame import Frame, Image
from vision.reader import Reader
from vision.tracking import Track
from vision.watch import Observation

SIZES = {"phone": (390, 844), "tv": (1920, 1080)}
"""Width and height of the windows, in CSS pixels."""
CLIP = SESSIONS / "shared"
FIRST, SECOND, THIRD = 45, 160, 220
"""Frames of the clip in which all dice lie."""
PNG_BYTES = 60_000
"""A picture that would be larger than this as a PNG becomes a JPEG."""
WAIT_MS = 60_000.0


@dataclass
class Camera:
    """The frames of the clip, as the watcher would tell them."""

    reader: Reader
    geometry: TableGeometry
    ident: int = 0
    t_ns: int = 0

    def frame(self, index: int) -> Image:
        """Return a frame of the clip, (H, W, 3) uint8 BGR."""
        video = cv2.VideoCapture(str(CLIP / "video.mp4"))
        video.set(cv2.CAP_PROP_POS_FRAMES, index)
        got, picture = video.read()
        video.release()
        assert got
        return picture.astype(np.uint8, copy=False)

    def throw(self, rig: Rig, index: int, *, glare: bool = False) -> None:
        """Let the game see the dice of a frame, all thrown; `glare`: a lamp is mirrored in the last one."""
        picture = self.frame(index)
        reading = self._read(picture)
        if glare:
            picture = _with_glare(picture, reading.dice[-1].box_px)
            reading = self._read(picture)
        tracks = tuple(Track(self.ident + n, die, moved=True) for n, die in enumerate(reading.dice, start=1))
        self.ident += len(tracks)
        self.t_ns += 5_000_000_000
        rig.see(Observation("rest", self.t_ns, index, tracks, reading.sure), picture)

    def _read(self, picture: Image) -> Reading:
        return self.reader.read(picture, size_px=self.geometry.die_px, region_px=self.geometry.region_px)


def _with_glare(picture: Image, box_px: tuple[float, float, float, float]) -> Image:
    """Return the picture with a bright, soft spot on the upper half of a box."""
    x, y, width, height = box_px
    spot = np.zeros(picture.shape[:2], np.float32)
    centre = (round(x + 0.45 * width), round(y + 0.4 * height))
    cv2.ellipse(spot, centre, (round(0.42 * width), round(0.34 * height)), 20, 0, 360, 1.0, -1)
    share = cv2.GaussianBlur(spot, (0, 0), 0.07 * width)[..., None]
    return (picture * (1 - share) + 255 * share).astype(np.uint8)


@dataclass
class Album:
    """Where the pictures go."""

    folder: Path
    whole: bool

    def take(self, page: Page, name: str) -> None:
        """Keep what the page shows, as the smaller kind of file that does it justice."""
        page.evaluate("document.fonts.ready")
        data = page.screenshot(full_page=self.whole, animations="disabled")
        picture = Pictures.open(BytesIO(data)).convert("RGB")
        for old in self.folder.glob(f"{name}.*"):
            old.unlink()
        packed = BytesIO()
        picture.quantize(128, dither=Pictures.Dither.NONE).save(packed, "PNG", optimize=True)
        if len(packed.getvalue()) <= PNG_BYTES and not page.locator(".shot img:visible").count():
            (self.folder / f"{name}.png").write_bytes(packed.getvalue())
        else:
            picture.save(self.folder / f"{name}.jpg", quality=80, optimize=True)

    def take_all(self, page: Page, address: str, name: str, path: str, ready: str) -> None:
        """Keep a page at every size."""
        for size in SIZES:
            page.set_viewport_size(_size(size))
            page.goto("about:blank")
            page.goto(address + path)
            page.locator(ready).first.wait_for()
            page.wait_for_load_state("networkidle" if "setup" not in path else "load")
            self.take(page, f"{name}-{size}")


def main() -> None:
    """Draw all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/pictures/web"))
    parser.add_argument("--whole", action="store_true")
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    album = Album(wanted.out, wanted.whole)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=FLAGS.split())
        try:
            _games(browser, album, Path(folder) / "games")
            _set_up(browser, album, Path(folder) / "set-up")
        finally:
            browser.close()
    files = sorted(album.folder.iterdir())
    print(f"{len(files)} pictures, {sum(file.stat().st_size for file in files) / 1000:.0f} kB")


def _camera() -> Camera:
    return Camera(Reader(), TableGeometry(load_profile(CLIP / "profile.json")))


def _chromium() -> str:
    import shutil

    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        raise SystemExit(f"no Chromium here: looked for {', '.join(PROGRAMS)}; install one")
    return found


def _size(name: str) -> ViewportSize:
    width, height = SIZES[name]
    return {"width": width, "height": height}


def _page(browser: Browser) -> Page:
    page = browser.new_context(locale="en-GB").new_page()
    page.set_default_timeout(WAIT_MS)
    return page


def _paired(browser: Browser, address: str, name: str) -> Page:
    page = _page(browser)
    page.goto(f"{address}/pair#{PIN}")
    page.get_by_label("Name of this phone").fill(name)
    page.get_by_role("button", name="Pair", exact=True).click()
    page.get_by_role("heading", name=f"Paired as {name}.").wait_for()
    return page


def _games(browser: Browser, album: Album, folder: Path) -> None:
    folder.mkdir()
    camera = _camera()
    with played(folder, rules="farkle", title="Farkle") as rig:
        _short_game(Phone(rig.app).pair("Cara's phone"))
    with (
        played(folder, by_hand=False, rules="farkle", players=("Anna", "Ben", "Cara"), title="Farkle") as rig,
        Server(rig.evening, Place("127.0.0.1", 0)) as server,
    ):
        ben = Phone(rig.app).pair("Ben's phone")
        camera.throw(rig, FIRST)
        ben.press("bank")
        for points in (650, 0):
            ben.does("enter", points=points)
        camera.throw(rig, SECOND)
        ben.press("bank")
        for points in (1250, 800, 1500, 0, 550, 400):
            ben.does("enter", points=points)
        camera.throw(rig, THIRD)
        phone = _paired(browser, server.address, "Anna's phone")
        stranger = _page(browser)
        album.take_all(phone, server.address, "board", "/", ".tile")
        album.take_all(phone, server.address, "games", "/games", "a.pick")
        album.take_all(phone, server.address, "game", "/games#2", "#replay .dice")
        album.take_all(stranger, server.address, "pairing", "/pair", "#pin")
        album.take_all(phone, server.address, "phones", "/pair", ".card")
        ben.press("bank")
        camera.throw(rig, FIRST, glare=True)
        album.take_all(phone, server.address, "table", "/table", ".turn-list li")
        phone.set_viewport_size(_size("phone"))
        phone.locator(".shot .box.asked").first.click()
        phone.locator("dialog").wait_for()
        album.take(phone, "correction-phone")


def _short_game(phone: Phone) -> None:
    """A finished game between two, typed."""
    for faces, aside in (
        ((1, 1, 1, 1, 2, 3), (1, 1, 1, 1)),
        ((5, 5, 5, 2, 3, 1), (5, 5, 5, 1)),
        ((6, 6, 6, 6, 6, 2), (6, 6, 6, 6, 6)),
        ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)),
        ((4, 4, 4, 4, 4, 4), (4, 4, 4, 4, 4, 4)),
        ((2, 2, 2, 2, 1, 3), (2, 2, 2, 2, 1)),
        ((3, 3, 3, 3, 3, 3), (3, 3, 3, 3, 3, 3)),
        ((5, 5, 5, 5, 5, 1), (5, 5, 5, 5, 5, 1)),
        ((6, 6, 6, 6, 6, 6), (6, 6, 6, 6, 6, 6)),
        ((2, 3, 4, 6, 6, 4), ()),
    ):
        phone.does("throw", faces=faces)
        if aside:
            phone.does("throw", aside=aside)
            phone.press("bank")


def _set_up(browser: Browser, album: Album, folder: Path) -> None:
    folder.mkdir()
    with evening(folder) as rig:
        rig.evening.wanted = replace(rig.evening.wanted, source=str(CLIP / "video.mp4"), dice=None)
        rig.evening.feed.note(how="camera")
        picture = _camera().frame(FIRST)
        rig.evening.desk.frame(Frame(picture, 0, FIRST))
        with Server(rig.evening, Place("127.0.0.1", 0)) as server:
            phone = _paired(browser, server.address, "Anna's phone")
            album.take_all(phone, server.address, "setup", "/setup", ".shot img")
            phone.set_viewport_size(_size("phone"))
            phone.get_by_role("button", name="No mat: drag the corners").click()
            phone.locator("#camera").evaluate("each => each.scrollIntoView()")
            album.take(phone, "corners-phone")
            phone.get_by_label("Width of the marked area").fill("400")
            phone.get_by_role("button", name="Use these corners").click()
            phone.get_by_role("button", name="Change the zones").wait_for()
            album.take(phone, "zones-phone")
            phone.get_by_role("heading", name="How good the view is").evaluate(
                "each => each.scrollIntoView()"
            )
            album.take(phone, "view-phone")


if __name__ == "__main__":
    main()
