"""`croupier odds`: the figures of any rules, a throw ranked, banking weighed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from device.cli import main


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str) -> Any:
        assert main(["odds", *words, "--json"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        (line,) = out.splitlines()
        return json.loads(line)

    return run


def test_the_figures_of_a_preset(answer: Any) -> None:
    found = answer("tiotusen")
    assert found["turn_value"] == pytest.approx(561.700, abs=0.001)
    assert found["with_penalty"] < found["without_penalty"]
    assert found["bust"]["3"] == pytest.approx(5 / 18)
    assert list(found["bank_from"]) == ["1", "2", "3", "4", "5", "6"]
    assert found["unopened"]["bank_from"]["1"] == 1000
    assert "unopened" not in answer("zilch")
    assert "selections" not in found


def test_a_throw_is_ranked(answer: Any) -> None:
    first, *rest = answer("farkle", "--roll", "1,5,2,2,3,4")["selections"]
    assert first["dice"] == [1]
    assert (first["dice_left"], first["then"], first["bank"]) == (5, "roll", False)
    assert [each["expected"] for each in rest] == sorted((each["expected"] for each in rest), reverse=True)
    (late,) = answer("farkle", "--roll", "12", "--turn", "2000", "--dice", "2")["selections"]
    assert (late["bank"], late["expected"]) == (True, 2100)
    closed = answer("farkle", "--roll", "12", "--unopened")["selections"][0]
    assert closed["then"] == "roll"


def test_banking_is_weighed_against_a_throw(answer: Any) -> None:
    assert answer("farkle", "--dice", "2", "--turn", "300")["throw"]["best"] == "bank"
    closed = answer("farkle", "--dice", "2", "--turn", "300", "--unopened")["throw"]
    assert (closed["bank"], closed["best"]) == (None, "roll")
    assert answer("farkle", "--dice", "6")["throw"]["roll"] == pytest.approx(542.063, abs=0.001)


def test_a_house_preset_and_settings(tmp_path: Path, answer: Any) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('parent = "farkle"\n[settings]\nthree_pairs = 0\n', encoding="utf-8")
    assert answer(str(path))["bust"]["6"] == pytest.approx(5 / 162)
    assert answer(str(path), "--set", "three_pairs=1500")["bust"]["6"] == pytest.approx(5 / 216)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("tiotusen",), "558.3 with the penalty"),
        (("farkle",), "before opening 510.2"),
        (("farkle", "--roll", "152234"), "370.1"),
        (("farkle", "--roll", "152234", "--turn", "2000"), "bank"),
        (("farkle", "--roll", "223346"), "a bust"),
        (("farkle", "--turn", "300", "--dice", "2"), "Banking writes 300; throwing makes it 269.8"),
        (("farkle", "--turn", "300", "--dice", "2", "--unopened"), "Banking is not allowed"),
    ],
)
def test_for_people(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", *words]) == 0
    assert says in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("farkel",), "did you mean 'farkle'"),
        (("farkle", "--roll", "17"), "--roll: faces are digits from 1 to 6, got '7'"),
        (("farkle", "--roll", ""), "1 to 6 dice can be scored, got 0"),
        (("farkle", "--roll", "12", "--dice", "3"), "--roll shows 2 dice and --dice says 3"),
        (("farkle", "--dice", "7"), "1 to 6 dice can be thrown, got 7"),
        (("farkle", "--dice", "2", "--turn", "-5"), "0 or more, got -5"),
        (("farkle", "--set", "oppening=3"), "did you mean 'opening'"),
    ],
)
def test_bad_input(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
