"""`croupier mat`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from device.cli import main
from device.errors import EXIT_BAD_INPUT


def test_the_command_writes_a_pdf_and_a_description(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table.pdf"
    arguments = ["mat", str(out), "--size", "a2", "--paper", "a4", "--players", "Anna,Ben", "--json"]
    assert main(arguments) == 0
    answer = json.loads(capfd.readouterr().out)
    assert (answer["pages"], answer["width_mm"], answer["needs_description"]) == (8, 594.0, False)
    assert out.read_bytes().startswith(b"%PDF-1.4")
    assert json.loads((tmp_path / "table.json").read_text())["lanes"] == ["Anna", "Ben"]
    assert len(list(tmp_path.iterdir())) == 2


def test_people_are_told_what_comes_next(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["mat", str(tmp_path / "a.pdf"), "--size", "600x400", "--colours", "red,#00ff00"]) == 0
    told = capfd.readouterr().out
    assert "check the ruler: 100 mm" in told
    assert f"--mat {tmp_path / 'a.json'}" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mat", "mat.png"], "let it end in .pdf"),
        (["mat", "--size", "letter"], "width x height in mm"),
        (["mat", "--size", "50x50"], "its sides must be"),
        (["mat", "--paper", "legal"], "the paper 'legal' is not known"),
        (["mat", "--lanes", "9"], "--lanes wants 1 to 8"),
        (["mat", "--lanes", "0"], "--lanes wants 1 to 8"),
        (["mat", "--lanes", "3", "--players", "A,B"], "2 names for 3 lanes"),
        (["mat", "--players", "A,,B"], "--players wants"),
        (["mat", "--ground", "plaid"], "the ground 'plaid'"),
        (["mat", "--colours", "blau"], "the colour 'blau'"),
        (["mat", "--size", "a4", "--lanes", "8", "--no-tray", "--marker-mm", "90"], "do not fit"),
        (["mat", "nowhere/mat.pdf"], "cannot write nowhere/mat.pdf"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == EXIT_BAD_INPUT
    out, err = capfd.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
