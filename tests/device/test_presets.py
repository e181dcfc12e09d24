"""House presets: a table's own rules in a TOML file, wherever a preset name may stand."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cli import main
from device.presets import find_preset, is_house_preset, plain, rules_of, shipped_name, spelled_out
from scorer.errors import BadSetting, RulesError
from scorer.rules import preset


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "friday.toml"
    path.write_text(
        'title = "Friday"\nabout = "Ours."\nparent = "tiotusen-zilch"\n[settings]\nn_flat = { 4 = 1200 }\n',
        encoding="utf-8",
    )
    return path


def test_a_house_preset_is_its_parent_and_what_differs(house: Path) -> None:
    found = find_preset(str(house))
    assert (found.name, found.title, found.parent) == ("friday", "Friday", "tiotusen-zilch")
    assert found.rules == preset("tiotusen-zilch").replace(n_flat={"4": 1200})
    assert find_preset("friday.toml", house.parent) == found
    assert found.about_in("sv") == found.about_in("en") == "Ours."
    assert find_preset("tiotusen").about_in("sv").startswith("Det svenska bordet")


def test_the_parent_may_be_another_house_preset_from_its_own_folder(house: Path, tmp_path: Path) -> None:
    folder = tmp_path / "evening"
    folder.mkdir()
    late = folder / "late.toml"
    late.write_text('parent = "../friday.toml"\n[settings]\nopening = 100\n', encoding="utf-8")
    found = find_preset(str(late))
    assert found.rules == preset("tiotusen-zilch").replace(n_flat={"4": 1200}, opening=100)
    assert (found.parent, found.shipped) == ("../friday.toml", "tiotusen-zilch")
    assert found.usual == find_preset(str(house)).rules
    assert spelled_out(str(late), {})[0] == "tiotusen-zilch"


def test_a_house_preset_may_be_called_like_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "tiotusen.toml"
    path.write_text('parent = "tiotusen"\n[settings]\nopening = 500\n', encoding="utf-8")
    assert find_preset(str(path)).rules == preset("tiotusen").replace(opening=500)


def test_a_house_preset_that_is_its_own_ancestor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, parent in (("a", "b.toml"), ("b", "sub/../c.toml"), ("c", "b.toml"), ("own", "own.toml")):
        (tmp_path / f"{name}.toml").write_text(f'parent = "{parent}"\n', encoding="utf-8")
    (tmp_path / "sub").mkdir()
    assert main(["rules", "show", str(tmp_path / "a.toml")]) == 2
    assert "is its own ancestor (b.toml -> c.toml -> b.toml)" in capsys.readouterr().err
    assert main(["rules", "sheet", str(tmp_path / "own.toml")]) == 2
    assert "is its own ancestor (own.toml -> own.toml)" in capsys.readouterr().err
    (tmp_path / "c.toml").write_text('parent = "d.toml"\n', encoding="utf-8")
    assert main(["rules", "show", str(tmp_path / "a.toml")]) == 2
    assert "there is no preset file" in capsys.readouterr().err


def test_spelled_out_it_needs_no_file_any_more(house: Path) -> None:
    name, settings = spelled_out(str(house), {"n_flat": {"5": 2200}})
    assert name == "tiotusen-zilch"
    assert preset(name).replace(**settings) == preset("tiotusen-zilch").replace(n_flat={"4": 1200, "5": 2200})
    assert spelled_out("farkle", {"opening": 1}) == ("farkle", {"opening": 1})
    assert (shipped_name(str(house)), shipped_name("zilch")) == ("tiotusen-zilch", "zilch")
    house.write_text("[settings]\nopening = 0\n", encoding="utf-8")
    assert shipped_name(str(house)) == "farkle"


def test_what_is_no_house_preset_comes_back_as_it_is(house: Path) -> None:
    assert plain(3, None) == (3, None)
    assert plain("farkle", None) == ("farkle", None)
    assert not is_house_preset(None)
    assert plain(str(house), None)[0] == "tiotusen-zilch"
    with pytest.raises(RulesError):
        rules_of(3, None)
    with pytest.raises(BadSetting):
        rules_of(str(house), {"opening": -1})


def test_a_game_is_played_and_kept_under_a_house_preset(
    house: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = tmp_path / "frames"
    frames.mkdir()
    for index in range(4):
        cv2.imwrite(str(frames / f"{index}.png"), np.full((48, 64, 3), 90, np.uint8))
    store = ["--store", str(tmp_path / "store")]
    play = ["play", "farkle", "--source", str(frames), "--players", "Anna,Ben", "--display", "none", "--json"]
    assert main([*play, "--preset", str(house), "--set", "single_5=60", *store]) == 0
    house.unlink()
    capsys.readouterr()
    assert main(["games", "export", "1", *store]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["preset"] == "tiotusen-zilch"
    assert (document["settings"]["single_5"], document["settings"]["n_flat"]["4"]) == (60, 1200)
    assert main(["games", "show", "1", *store]) == 0


def test_a_session_is_simulated_under_a_house_preset(
    house: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mujoco", reason="the simulator's physics are not installed")
    out = tmp_path / "out"
    words = ["simulate", "farkle", "--seed", "1", "--turns", "1", "--size", "320x240", "--fps", "5"]
    assert main([*words, "--preset", str(house), "--out", str(out), "--json"]) == 0
    truth = json.loads((out / "truth.json").read_text(encoding="utf-8"))
    assert (truth["preset"], truth["settings"]["n_flat"]["4"]) == ("tiotusen-zilch", 1200)
    house.unlink()
    capsys.readouterr()
    assert main(["replay", str(out / "truth.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["totals"] == truth["totals"]
