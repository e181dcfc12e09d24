"""`croupier rules sheet`: one page, the right size, filled and not overfilled, written wholly or not."""

from __future__ import annotations

import io
import json
import re
import zlib
from pathlib import Path

import pytest
from PIL import Image

from device.cli import main
from device.rulesheet import Sheet, draw_sheet, sheet_bytes
from device.sheetpens import PAGE_PX
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
    (box,) = re.findall(rb"/MediaBox \[([\d. ]+)\]", data)
    width, height = [float(part) for part in box.split()][2:]
    assert (round(width), round(height)) == (595, 842)  # A4 in points of 1/72 inch
    assert len(data) < 100_000
    assert b"/Image" not in data


def words_in(data: bytes) -> str:
    """All text that a reader finds in a PDF of ours, a piece a line."""
    pieces: list[bytes] = []
    for stream in re.findall(rb"stream\n(.*?)\nendstream", data, re.DOTALL):
        pieces += re.findall(rb"\((.*?)\) Tj", zlib.decompress(stream), re.DOTALL)
    text = b"\n".join(pieces).decode("latin-1")
    text = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
    return text.encode("latin-1").decode("cp1252")


def test_the_pdf_holds_its_text_as_text(tmp_path: Path) -> None:
    path = tmp_path / "rules.pdf"
    words = ["tiotusen", "--language", "sv", "--title", "Fredag (vår)", "--set", "opening=350"]
    assert main(["rules", "sheet", *words, "--out", str(path)]) == 0
    found = words_in(path.read_bytes())
    assert "Fredag (vår)" in found
    assert "stege 1 till 6" in found
    assert "350" in found
    english = sheet_bytes(Sheet("T", "", preset("farkle"), preset("farkle"), "en"), ".pdf")
    assert "straight 1 to 6" in words_in(english)
    assert english == sheet_bytes(Sheet("T", "", preset("farkle"), preset("farkle"), "en"), ".pdf")


def test_a_title_in_other_letters_makes_the_pdf_a_picture(tmp_path: Path) -> None:
    data = sheet_bytes(Sheet("Ωραία", "", preset("farkle"), preset("farkle"), "en"), ".pdf")
    start, end = data.index(b"\xff\xd8\xff"), data.rindex(b"\xff\xd9") + 2
    assert Image.open(io.BytesIO(data[start:end])).size == PAGE_PX


def test_a_title_that_is_too_long_is_cut(tmp_path: Path) -> None:
    data = sheet_bytes(Sheet("Friday " * 40, "", preset("farkle"), preset("farkle"), "en"), ".pdf")
    (title,) = [line for line in words_in(data).splitlines() if line.startswith("Friday")]
    assert title.endswith("…")
    assert title[:-1].rstrip() == ("Friday " * 40)[: len(title) - 1].rstrip()


@pytest.mark.parametrize("language", ["en", "sv"])
def test_text_of_the_pdf_stays_on_the_page(language: Language) -> None:
    usual = preset("farkle")
    data = sheet_bytes(Sheet("T", "What we play, " * 5, usual.replace(**MANY), usual, language), ".pdf")
    pages = [zlib.decompress(s) for s in re.findall(rb"stream\n(.*?)\nendstream", data, re.DOTALL)]
    placed = re.findall(rb"([\d.]+) 0 0 -[\d.]+ ([\d.]+) ([\d.]+) Tm \((.*?)\) Tj", b"".join(pages))
    assert len(placed) > 40
    for size, x, y, text in placed:
        plain = re.sub(rb"\\[0-7]{3}", b"x", text)
        end = float(x) + len(plain) * 0.5 * float(size) * 0.8
        assert 10 < float(x) < end < 210 - 8, text
        assert 5 < float(y) < 297 - 5, text


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
