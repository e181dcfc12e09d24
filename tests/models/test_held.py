"""Fingers over dice, for the training of the classifier."""

from __future__ import annotations

import numpy as np
import pytest

from models.training.held import PATCH_PX, lay_fingers, skin_patches
from vision.frame import Image

DIE_PX = 34.0
SKIN = np.full((PATCH_PX, PATCH_PX, 3), (130, 160, 210), np.uint8)


def die() -> Image:
    """A white die's box in the middle of a blue table."""
    crop = np.full((48, 48, 3), (200, 30, 30), np.uint8)
    crop[7:41, 7:41] = 255
    return crop


@pytest.mark.parametrize("seed", range(20))
def test_a_finger_over_the_die_hides_part_of_it(seed: int) -> None:
    covered = lay_fingers(die(), DIE_PX, SKIN, np.random.default_rng(seed), over=True)
    hidden = (np.abs(covered[7:41, 7:41].astype(int) - 255).max(axis=2) > 60).mean()
    assert 0.04 < hidden < 0.98


@pytest.mark.parametrize("seed", range(20))
def test_a_finger_beside_the_die_leaves_its_face_alone(seed: int) -> None:
    beside = lay_fingers(die(), DIE_PX, SKIN, np.random.default_rng(seed), over=False)
    middle = beside[14:34, 14:34].astype(int)  # the shadow may fall on the die's edge, no finger on its face
    assert middle.min() > 100


def test_skin_is_cut_from_hands_only() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal((140, 120, 40), 4, (300, 300, 3)).clip(0, 255).astype(np.uint8)
    hand = table.copy()
    hand[60:240, 60:240] = (130, 160, 210)
    assert skin_patches([table], rng) == []
    patches = skin_patches([hand], rng, per_image=4)
    assert len(patches) == 4
    assert all(patch.shape == (PATCH_PX, PATCH_PX, 3) for patch in patches)
    assert all(np.abs(patch.mean(axis=(0, 1)) - (130, 160, 210)).max() < 20 for patch in patches)
