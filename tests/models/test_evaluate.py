"""The figures that the evaluation counts."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.training.data import COCKED, IGNORE, UNKNOWN, Label, Photo
from models.training.evaluate import Wishes, lines, plan
from models.training.folders import BadFolder
from models.training.plots import draw_risk
from models.training.tally import Tally, match, risk_coverage
from vision.detection import Detection, DieState, Reading


def seen(
    x: float,
    value: int | None,
    *,
    sure: bool = True,
    confidence: float = 0.95,
    state: DieState = DieState.FLAT,
) -> Detection:
    flat = (1 / 6,) * 6
    return Detection(value, confidence, sure, state, (x - 10, 40, 20, 20), (x, 50), flat)


def photo(*classes: int) -> Photo:
    """Label dice of 20 px at x = 50, 100, 150, ..."""
    boxes = np.array([(40 + 50 * i, 40, 20, 20) for i in range(len(classes))], np.float32).reshape(-1, 4)
    values = tuple(sorted(c for c in classes if 1 <= c <= 6))
    label = Label(boxes, np.array(classes, np.int64), True)
    return Photo(Path("x.jpg"), "rig", "g", label, values, classes.count(COCKED), True)


def tally(truth: Photo, *dice: Detection) -> Tally:
    result = Tally()
    result.add(truth, Reading(tuple(dice)))
    return result


def test_an_exact_picture() -> None:
    t = tally(photo(3, 5), seen(50, 3), seen(101, 5))
    assert (t.pictures, t.exact, t.count_right, t.sure_exact, t.silent) == (1, 1, 1, 1, 0)
    assert (t.dice, t.right, t.shown, t.sure_wrong) == (2, 2, 2, 0)
    assert t.confusion[2, 2] == 1
    assert t.confusion[4, 4] == 1


def test_a_wrong_value_shown_as_sure_is_silent() -> None:
    t = tally(photo(3, 5), seen(50, 3), seen(100, 6))
    assert (t.exact, t.count_right, t.silent, t.sure_wrong, t.right) == (0, 1, 1, 1, 1)
    assert t.confusion[4, 5] == 1


def test_a_wrong_value_that_asks_is_not_silent() -> None:
    t = tally(photo(3), seen(50, 4, sure=False))
    assert (t.exact, t.silent, t.sure_wrong) == (0, 0, 0)


def test_a_missing_die_in_a_sure_picture_is_silent() -> None:
    t = tally(photo(3, 5), seen(50, 3))
    assert (t.exact, t.silent, t.confusion[4, 6]) == (0, 1, 1)


def test_a_die_where_none_is_counts_against_precision() -> None:
    t = tally(photo(3), seen(50, 3), seen(400, 1))
    assert t.figures()["precision"] == 0.5
    assert (t.silent, t.confusion[6, 0]) == (1, 1)


def test_a_cocked_die_must_be_refused_and_its_picture_is_not_counted() -> None:
    refused = tally(photo(3, COCKED), seen(50, 3), seen(100, None, sure=False, state=DieState.COCKED))
    assert (refused.pictures, refused.cocked, refused.cocked_refused) == (0, 1, 1)
    read = tally(photo(3, COCKED), seen(50, 3), seen(100, 2))
    assert (read.cocked, read.cocked_refused) == (1, 0)


def test_a_die_that_nobody_can_read_is_left_out() -> None:
    t = tally(photo(UNKNOWN), seen(50, 2))
    assert (t.pictures, t.dice, t.shown) == (0, 0, 0)


def test_the_nearest_die_is_matched_and_each_only_once() -> None:
    pairs, spare = match(photo(3), [seen(58, 2), seen(51, 3)])
    assert pairs[0][1] is not None
    assert pairs[0][1].value == 3
    assert [die.value for die in spare] == [2]


def test_risk_grows_as_less_confident_dice_are_kept() -> None:
    rows = risk_coverage([(0.9, True), (0.8, True), (0.6, False), (0.7, True)])
    assert rows[0] == (0.9, 0.25, 0.0)
    assert rows[-1] == (0.6, 1.0, 0.25)


def test_the_curves_are_drawn() -> None:
    empty, drawn = draw_risk({"rig": []}), draw_risk({"rig": risk_coverage([(0.9, True), (0.6, False)])})
    assert drawn.shape == (600, 900, 3)
    assert (empty != drawn).any()


def test_each_way_to_fail_has_its_name() -> None:
    t = tally(
        photo(1, 2, 3, 4, COCKED),
        seen(100, 5),
        seen(150, None, sure=False),
        seen(200, None, sure=False, state=DieState.COCKED),
        seen(250, 6),
        seen(400, 1, sure=False),
    )
    assert [failure.kind for failure in t.failures] == [
        "missed",
        "wrong face",
        "unsure",
        "called cocked",
        "cocked read as number",
        "extra",
    ]
    assert t.figures()["kinds"]["extra"] == 1
    assert (t.sure_false, t.asked_false) == (0, 1)
    assert "5 sure 0.95, is 2" in t.failures[1].text


def test_a_side_face_read_as_a_die_of_its_own_is_told_from_clutter() -> None:
    t = tally(photo(3), seen(51, 3), seen(58, 2))
    assert [failure.kind for failure in t.failures] == ["second face"]
    assert (t.sure_false, t.sure_wrong) == (1, 1)


def test_a_die_so_hidden_that_nobody_asks_for_it_costs_nothing() -> None:
    t = tally(photo(3, IGNORE), seen(50, 3))
    assert (t.pictures, t.exact, t.dice, t.failures) == (1, 1, 1, [])


def test_where_only_the_values_are_known_the_picture_is_judged_and_no_die() -> None:
    label = Label(np.zeros((0, 4), np.float32), np.zeros(0, np.int64), True)
    t = tally(Photo(Path("x.jpg"), "rig", "g", label, (3, 5), 0, True), seen(50, 3), seen(90, 5))
    assert (t.pictures, t.exact, t.dice, t.shown, t.sure_false) == (1, 1, 0, 0, 0)


def test_sure_dice_where_none_are_count_by_200_pictures() -> None:
    t = Tally()
    for number in range(100):
        t.add(photo(), Reading((seen(50, 1),) if number == 7 else ()))
    assert (t.figures()["sure_false_per_200"], t.silent) == (2.0, 1)


class Scripted:
    """Gives the readings prepared for it, one after the other."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = list(readings)

    def read(self, image: object, *, size_px: object = None, region_px: object = None) -> Reading:
        return self.readings.pop(0)


def rig(folder: Path, *rows: dict[str, object]) -> Path:
    folder.mkdir()
    for row in rows:
        cv2.imwrite(str(folder / str(row["file"])), np.full((120, 500, 3), 100, np.uint8))
    (folder / "labels.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def die(x: float, value: int) -> dict[str, object]:
    return {"box_px": [x - 10, 40, 20, 20], "value": value}


def test_a_folder_with_the_fewest_labels_is_measured(tmp_path: Path) -> None:
    folder = rig(
        tmp_path / "mine",
        {"file": "a.png", "dice": [die(50, 3)]},
        {"file": "b.png", "dice": [], "complete": False},
        {"file": "e.png", "dice": None, "values": None, "complete": False},
        {"file": "c.png", "values": [6]},
        {"file": "d.png", "dice": [die(50, 2)]},
    )
    wishes = Wishes(as_json=True, failures=True, plot=tmp_path / "out", sheets=tmp_path / "out")
    folders, steps = plan([folder], wishes)
    done: list[int] = []
    reader = Scripted(Reading((seen(50, 3),)), Reading((seen(90, 6),)), Reading((seen(50, 5),)))
    (line,) = lines(reader, folders, wishes, step=lambda: done.append(1))
    figures = json.loads(line)
    assert (figures["rig"], figures["pictures"], figures["exact"], figures["silent"]) == (
        "mine",
        3,
        0.6667,
        1,
    )
    assert (figures["dice"], figures["sure_wrong"], figures["confusion"][1][4]) == (2, 1, 1)
    assert figures["failures"] == ["d.png: read [5], is [2], shown as sure"]
    assert len(done) == steps == 3
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "mine-wrong-face.png",
        "risk-coverage.png",
    ]


def test_the_table_for_people_sums_up_several_folders(tmp_path: Path) -> None:
    one = rig(tmp_path / "one", {"file": "a.png", "dice": [die(50, 3)]})
    two = rig(tmp_path / "two", {"file": "a.png", "dice": [die(50, 3)]})
    folders, _ = plan([one, two], Wishes())
    out = list(lines(Scripted(Reading((seen(50, 3),)), Reading(())), folders, Wishes()))
    assert out[0].split()[:3] == ["rig", "what", "pictures"]
    assert [line.split()[0] for line in out if " photos " in line][:3] == ["one", "two", "all"]
    assert any("missed 1" in line for line in out)
    assert next(line for line in out if line.startswith("all")).split()[2:4] == ["2", "0.5000"]


def test_a_folder_without_dice_needs_no_labels_when_it_is_said_so(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((50, 50, 3), 100, np.uint8))
    folders, steps = plan([tmp_path], Wishes(no_dice=True))
    assert steps == 1
    report = list(lines(Scripted(Reading((seen(50, 1),))), folders, Wishes(no_dice=True)))
    assert "1 sure false dice (200.0 in 200 pictures)" in report[1]
    with pytest.raises(BadFolder, match=r"no labels\.json"):
        plan([tmp_path], Wishes())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("{}", "must be a list"),
        ("[]", "must be a list"),
        ("[3]", "entry 1: wanted an object"),
        ('[{"dice": []}]', "file must be the name"),
        ('[{"file": "a.png"}]', "wanted dice"),
        ('[{"file": "a.png", "dice": 3}]', "dice must be a list"),
        ('[{"file": "a.png", "dice": [1]}]', "die 1: wanted an object"),
        ('[{"file": "a.png", "dice": [{"box_px": [1, 2, 3], "value": 1}]}]', "box_px must be"),
        ('[{"file": "a.png", "dice": [{"box_px": [1, 2, 0, 4], "value": 1}]}]', "box_px must be"),
        ('[{"file": "a.png", "dice": [{"box_px": [1, 2, 3, 4], "value": 7}]}]', "value must be 1 to 6"),
        ('[{"file": "a.png", "dice": [{"box_px": [1, 2, 3, 4], "state": "up"}]}]', "state must be one of"),
        ('[{"file": "a.png", "dice": [{"box_px": [1, 2, 3, 4], "box_is": "x"}]}]', "box_is must be one of"),
        ('[{"file": "a.png", "values": [0]}]', "values must be a list of faces"),
        ('[{"file": "a.png", "dice": [], "complete": "yes"}]', "complete must be true or false"),
        ('[{"file": "gone.png", "dice": []}]', "gone.png, which is not there"),
        ('[{"file": "a.png", "dice": null}]', "no complete picture"),
        ('[{"file": "a.mp4", "rest": 3}]', "rest must be a list"),
        (
            '[{"file": "a.mp4", "rest": [{"start_frame": 9, "end_frame": 3, "values": []}]}]',
            "first and the last",
        ),
        ('[{"file": "a.mp4", "rest": [{"start_frame": 1, "end_frame": 3}]}]', "values must be a list"),
        (
            '[{"file": "a.mp4", "rest": [{"start_frame": 1, "end_frame": 3, "values": [1],'
            ' "boxes_px": [1, 2]}]}]',
            "a box for each",
        ),
        ('[{"file": "a.mp4", "rest": [], "fps": 0}]', "fps must be"),
    ],
)
def test_labels_that_cannot_be_used_are_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((50, 50, 3), 100, np.uint8))
    (tmp_path / "labels.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadFolder, match=says) as error:
        plan([tmp_path], Wishes())
    assert "\n" not in str(error.value)


def test_the_command_ends_with_a_sentence_and_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from models.training.evaluate import main

    with pytest.raises(SystemExit) as stop:
        main([str(tmp_path / "nowhere")])
    assert stop.value.code == 2
    assert "is no folder" in capsys.readouterr().err


def test_any_labelled_folder_can_be_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from models.training.evaluate import main

    cv2.imwrite(str(tmp_path / "empty.png"), np.full((120, 160, 3), 100, np.uint8))
    row = {"file": "empty.png", "complete": True, "dice": [], "values": [], "group": "a"}
    (tmp_path / "labels.json").write_text(json.dumps([row]), encoding="utf-8")
    main([str(tmp_path), "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert (figures["pictures"], figures["exact"], figures["dice"]) == (1, 1.0, 0)
