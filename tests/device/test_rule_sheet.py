"""`croupier rules sheet`: one page, the right size, filled and not overfilled, written wholly or not."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from PIL import Image

from device.cli import main
from device.rulesheet import PAGE_PX, Sheet, draw_sheet
from scorer.rulebook import Language
from scorer.rules import Rules, preset

MANY = {
    "keep_all": True,
    "kind_exclusive": True,
    "min_bank": 300,
    "bust_penalty": 500,
    "count_unopened_zero": True,
    "overshoot": "welfare",
    "ties": "extra_turn",
    "instant_win": "six_of_a_kind",
    "steal": "roll",
    "piggyback": True,
    "nothing": 500,
    "straight_low": 700,
    "straight_high": 700,
    "four_pair": 2000,
    "kind_points": {f"{face},{count}": 100 * count for face in range(1, 7) for count in (2, 4)},
}


def page(rules: Rules, usual: Rules | None = None, language: Language = "en", about: str = "") -> Image.Image:
    return draw_sheet(Sheet("Our table", about, rules, usual or rules, language))


def ink(picture: Image.Image, box: tuple[int, int, int, int]) -> int:
    """How many pixels of this part of the page are not white."""
    grey = picture.crop(box).convert("L")
    return sum(grey.histogram()[:200])


def test_the_sheet_is_one_page_of_a4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rules.pdf"
    assert main(["rules", "sheet", "tiotusen", "--out", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(path)}
    data = path.read_bytes()
    assert data.startswith(b"%PDF-")
    assert re.findall(rb"/Count (\d+)", data) == [b"1"]
    (box,) = re.findall(rb"/MediaBox \[ ([\d. ]+) \]", data)
    width, height = [float(part) for part in box.split()][2:]
    assert (round(width), round(height)) == (595, 842)  # A4 in points of 1/72 inch
    # The picture in it is the page that was drawn.
    start, end = data.index(b"\xff\xd8\xff"), data.rindex(b"\xff\xd9") + 2
    inside = Image.open(io.BytesIO(data[start:end]))
    assert inside.size == PAGE_PX


def test_the_default_name_is_that_of_the_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "sheet", "farkle", "--language", "sv"]) == 0
    assert capsys.readouterr().out == "Wrote farkle-rules.pdf\n"
    assert (tmp_path / "farkle-rules.pdf").stat().st_size > 10_000


def test_a_house_preset_marks_what_it_plays_otherwise(tmp_path: Path) -> None:
    house = tmp_path / "friday.toml"
    house.write_text('title = "Friday"\nparent = "farkle"\n[settings]\nopening = 350\n', encoding="utf-8")
    path = tmp_path / "sheet.png"
    assert main(["rules", "sheet", str(house), "--out", str(path)]) == 0
    marked = Image.open(path).convert("RGB")
    assert marked.size == PAGE_PX
    orange = (196, 78, 0)
    assert orange in {colour for _, colour in marked.getcolors(1 << 24) or []}
    plain = page(preset("farkle"))
    assert orange not in {colour for _, colour in plain.getcolors(1 << 24) or []}


@pytest.mark.parametrize("language", ["en", "sv"])
def test_the_margins_stay_empty_however_many_rules_there_are(language: Language) -> None:
    usual = preset("farkle")
    crowded = page(usual.replace(**MANY), usual, language, "What we play on Fridays, " * 3)
    width, height = PAGE_PX
    band = 540
    assert ink(crowded, (0, band + 20, 90, height)) == 0
    assert ink(crowded, (width - 150, band + 20, width, height)) == 0
    assert ink(crowded, (0, height - 60, width, height)) == 0
    # Nothing runs into the foot of the page.
    assert ink(crowded, (0, height - 186, width, height - 140)) == 0
    assert ink(crowded, (170, band + 100, width - 170, height - 200)) > 200_000


def test_languages_and_rules_make_other_pages() -> None:
    pages = [
        page(preset("farkle")),
        page(preset("farkle"), language="sv"),
        page(preset("tiotusen")),
        page(preset("hot-dice-five")),
        page(preset("farkle"), about="Two words"),
    ]
    assert len({each.tobytes() for each in pages}) == len(pages)
    assert page(preset("farkle")).tobytes() == pages[0].tobytes()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["farkel"], "did you mean 'farkle'"),
        (["farkle", "--set", "oppening=1"], "did you mean 'opening'"),
        (["farkle", "--out", "rules.txt"], "must end in .pdf or .png"),
        (["farkle", "--out", "nowhere/rules.pdf"], "cannot write nowhere/rules.pdf"),
        (["farkle", "--language", "da"], "--language"),
    ],
)
def test_what_cannot_be_made_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "sheet", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, says in err) == ("", True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sheet.pdf").mkdir()
    assert main(["rules", "sheet", "farkle", "--out", str(tmp_path / "sheet.pdf")]) == 2
    assert "is a folder" in capsys.readouterr().err
