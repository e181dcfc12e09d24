"""The die as a solid: faces, turns, painted pips."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.synth.dice import (
    BODY_NAMES,
    DieLook,
    Pip,
    axis_rotation,
    cube_rotations,
    face_atlas,
    face_values,
    flat_rotation,
    luminance,
    random_look,
    relabelled,
    top_face,
)

BOTH_HANDS = pytest.mark.parametrize("left_handed", [False, True])


@BOTH_HANDS
def test_opposite_faces_add_up_to_seven(left_handed: bool) -> None:
    values = face_values(left_handed)
    assert sorted(values) == [1, 2, 3, 4, 5, 6]
    assert [values[k] + values[k + 1] for k in (0, 2, 4)] == [7, 7, 7]


def test_one_two_three_run_anticlockwise_on_a_right_handed_die_only() -> None:
    for left_handed, wanted in ((False, 1.0), (True, -1.0)):
        normals = []
        for value in (1, 2, 3):
            place = face_values(left_handed).index(value)
            normal = np.zeros(3)
            normal[place // 2] = 1 - 2 * (place % 2)
            normals.append(normal)
        assert np.linalg.det(np.stack(normals)) == pytest.approx(wanted)


def test_the_cube_has_twenty_four_turns() -> None:
    turns = cube_rotations()
    assert len({turn.tobytes() for turn in turns}) == 24
    assert all(np.linalg.det(turn) == pytest.approx(1) for turn in turns)


@BOTH_HANDS
@pytest.mark.parametrize("value", range(1, 7))
def test_relabelling_keeps_the_solid_and_brings_the_value_up(value: int, left_handed: bool) -> None:
    before = axis_rotation(0, 0.3) @ axis_rotation(1, 2.3) @ axis_rotation(2, -1.0)
    for turn in range(4):
        after = relabelled(before, value, left_handed=left_handed, turn=turn)
        assert top_face(after, left_handed)[0] == value
        symmetry = before.T @ after
        assert any(np.allclose(symmetry, other) for other in cube_rotations())
    turns = [relabelled(before, value, left_handed=left_handed, turn=k) for k in range(4)]
    assert len({np.round(turn, 6).tobytes() for turn in turns}) == 4


@BOTH_HANDS
@pytest.mark.parametrize("value", range(1, 7))
def test_a_flat_die_is_flat(value: int, left_handed: bool) -> None:
    top, tilt = top_face(flat_rotation(value, 0.7, left_handed=left_handed), left_handed)
    assert top == value
    assert tilt == pytest.approx(0.0, abs=1e-6)


def test_a_leaning_die_is_tilted_by_its_angle() -> None:
    leaning = axis_rotation(0, np.radians(25)) @ flat_rotation(4, 0.2)
    assert np.degrees(top_face(leaning)[1]) == pytest.approx(25)


@pytest.mark.parametrize("style", list(Pip))
def test_every_face_has_as_many_pips_as_its_value(style: Pip) -> None:
    atlas = face_atlas(DieLook(pip_style=style), 96)
    for index, value in enumerate(face_values()):
        tile = (atlas.relief[:, index * 96 : (index + 1) * 96, 2] > 0.5).astype(np.uint8)
        assert cv2.connectedComponents(tile)[0] - 1 == value


def test_pips_of_every_random_look_stand_out() -> None:
    rng = np.random.default_rng(0)
    for name in BODY_NAMES:
        for _ in range(30):
            look = random_look(rng, body=name)
            difference = np.abs(np.sqrt(look.pip) - np.sqrt(look.body)).max()
            assert difference > 0.15, (name, look)
            assert 0 <= luminance(look.body) <= 1
            # No pip leaves the flat part of its face.
            assert look.pip_spread + look.pip_radius < 0.42
