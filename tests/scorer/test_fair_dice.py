"""Fair virtual dice: what they are computed from, and that they are fair."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from scorer.dice_luck import faces_counted
from scorer.fair_dice import SEED_BYTES, seal, throw

SEED = bytes(range(SEED_BYTES))


def test_a_throw_is_what_anybody_computes_from_the_seed_with_other_tools() -> None:
    """The recipe of the documentation, step by step."""
    faces = []
    for die in range(1, 7):
        digest = hmac.new(SEED, f"7\n3\n{die}\n0\nhello".encode(), "sha256").digest()
        faces.append(next(byte for byte in digest if byte < 252) % 6 + 1)
    assert throw(SEED, game=7, number=3, dice=6, text="hello") == tuple(faces)
    assert seal(SEED) == hashlib.sha256(SEED).hexdigest()


def test_a_byte_that_would_favour_small_faces_is_drawn_again() -> None:
    """Of all throws with a first byte of 252 or more, none is decided by that byte."""
    met = 0
    for number in range(1, 400):
        digest = hmac.new(SEED, f"1\n{number}\n1\n0\n".encode(), "sha256").digest()
        if digest[0] >= 252:
            met += 1
            fair = next(byte for byte in digest if byte < 252)
            assert throw(SEED, game=1, number=number, dice=1) == (fair % 6 + 1,)
    assert met > 0


@pytest.mark.parametrize(
    "changed",
    [{"game": 2}, {"number": 2}, {"text": "luck"}, {"seed": bytes(SEED_BYTES)}],
)
def test_everything_that_goes_in_changes_the_dice(changed: dict[str, object]) -> None:
    base: dict[str, object] = {"seed": SEED, "game": 1, "number": 1, "text": ""}

    def faces(**how: object) -> list[tuple[int, ...]]:
        seed, number = how.pop("seed"), int(str(how.pop("number")))
        return [throw(seed, number=number + 10 * i, dice=6, **how) for i in range(20)]  # type: ignore[arg-type]

    assert faces(**base) != faces(**(base | changed))


def test_the_first_dice_of_a_throw_do_not_depend_on_how_many_are_thrown() -> None:
    six = throw(SEED, game=1, number=1, dice=6)
    assert [throw(SEED, game=1, number=1, dice=n) for n in range(1, 7)] == [six[:n] for n in range(1, 7)]


def test_the_faces_come_equally_often() -> None:
    """60,000 dice of a fixed seed; a million are counted by `python -m benchmarks.fair_dice`."""
    dice = (face for number in range(10_000) for face in throw(SEED, game=1, number=number, dice=6))
    counted = faces_counted(dice)
    assert counted.n == 60_000
    assert counted.p_value is not None
    assert 0.01 < counted.p_value < 0.99
