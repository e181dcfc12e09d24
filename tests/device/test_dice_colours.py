"""Colours of dice in play: words for the statistics, and dice that lie in somebody else's lane."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.dice_colours import colour_name
from calibration.profile import Lane
from device.dice_colours import DieColour, colours_of, stray
from device.displays.recording import RecordingDisplay
from device.lanes import Lanes
from device.session import Session
from device.store import GameHeader, open_writer
from scorer.lane import Seating
from scorer.referee import new_referee
from scorer.rules import preset
from tests.device.test_lanes import die, lanes_of, rest
from vision.frame import Image
from vision.tracking import Track

RED, BLUE = (40, 40, 200), (190, 70, 30)


def lab(bgr: tuple[int, int, int]) -> tuple[float, float, float]:
    pixel = np.array([[bgr]], dtype=np.float32) / 255
    light, a, b = (float(v) for v in cv2.cvtColor(pixel, cv2.COLOR_BGR2LAB)[0, 0])
    return light, a, b


def own_dice() -> Lanes:
    """Lane 1 plays with red dice, lane 2 with blue ones."""
    lanes = lanes_of()
    lanes.profile = replace(lanes.profile, lanes=(Lane("1", lab(RED)), Lane("2", lab(BLUE))))
    return lanes


def picture(*dice: tuple[Track, tuple[int, int, int]]) -> Image:
    image = np.full((480, 640, 3), (60, 90, 40), dtype=np.uint8)
    for track, colour in dice:
        x, y, width, height = (round(v) for v in track.detection.box_px)
        image[y : y + height, x : x + width] = colour
    return image


@pytest.mark.parametrize(
    ("bgr", "name"),
    [
        ((30, 30, 30), "black"),
        ((128, 128, 128), "grey"),
        ((245, 245, 245), "white"),
        ((190, 220, 230), "ivory"),
        ((30, 30, 200), "red"),
        ((30, 140, 250), "orange"),
        ((20, 70, 120), "brown"),
        ((40, 220, 245), "yellow"),
        ((50, 140, 30), "green"),
        ((170, 160, 20), "turquoise"),
        ((180, 60, 20), "blue"),
        ((130, 20, 120), "purple"),
        ((200, 180, 250), "pink"),
    ],
)
def test_every_usual_colour_has_its_word(bgr: tuple[int, int, int], name: str) -> None:
    assert colour_name(lab(bgr)) == name


def test_a_die_has_the_colour_that_its_picture_shows() -> None:
    one, other = die(1, 40, 40, 3), die(2, 80, 40, 5)
    found = colours_of((one, other), picture((one, RED), (other, BLUE)), own_dice().profile.lanes)
    assert found == {1: DieColour("red", "1"), 2: DieColour("blue", "2")}
    assert colours_of((one,), picture((one, RED))) == {1: DieColour("red")}
    assert colours_of((one,), None) == {}


def test_dice_of_somebody_else_are_strays() -> None:
    colours = {1: DieColour("red", "1"), 2: DieColour("blue", "2"), 3: DieColour("blue", "2")}
    assert stray("1", [1], colours) == ""
    assert stray("1", [1, 2], colours) == "In lane 1: a blue die of lane 2."
    assert stray("1", [1, 2, 3], colours) == "In lane 1: 2 dice of lane 2."
    assert stray(None, [1, 2], colours) == ""
    assert stray("1", [4], colours) == ""


def test_a_throw_is_kept_with_its_colours_and_a_stray_is_told_once(tmp_path: Path) -> None:
    lanes = own_dice()
    said: list[dict[str, object]] = []
    faces, places = (1, 5, 2, 3, 4, 4), (20, 45, 70, 95, 120, 140)
    dice = [die(i + 1, x, 60, face) for i, (x, face) in enumerate(zip(places, faces, strict=True))]
    shown = picture(*((track, BLUE if track.id == 3 else RED) for track in dice))
    rules = preset("farkle")
    with open_writer(tmp_path) as store:
        game = store.begin(GameHeader("farkle", "farkle", rules.settings(), ("Anna", "Ben"), "x", "now"))
        session = Session(
            new_referee(rules, ("Anna", "Ben"), seating=Seating(("1", "2"))),
            store=store,
            game=game,
            display=RecordingDisplay(),
            title="Farkle",
            emit=lambda data: said.append(dict(data)),
            lanes=lanes,
        )
        session.observed(rest(1, *dice), shown)
        again = [replace(track, moved=False) for track in dice[:1]]
        again += [
            die(10 + i, x, 90, face) for i, (x, face) in enumerate(zip(places, (6, 3, 4, 6, 2), strict=False))
        ]
        session.observed(rest(9, *again), picture(*((track, RED) for track in again)))
        records = store.records(game)
    rolled = [record for record in records if record.event[0] == "rolled"]
    assert rolled[0].colours == ("red", "red", "blue", "red", "red", "red")
    assert len(rolled) == 2, said
    assert rolled[1].colours == ("red",) * 5
    remarks = [data["reason"] for data in said if data["event"] == "remark"]
    assert remarks == ["In lane 1: a blue die of lane 2."]
    assert json.dumps(said)
