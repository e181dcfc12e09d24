"""Keys and what they mean; the terminal is always given back."""

from __future__ import annotations

import os
import pty
import sys
import termios

import pytest

from device.errors import DeviceFailed
from device.keys import KeyMap, Prompt, Quit, Show, TerminalKeys
from device.sim import ScriptedKeys
from scorer.referee import Bank, Choose, FixDie, Next, Press, RollAgain, TakeOver, Undo

PLACES = (11, 12, 13)


def typed(keys: str, *, choosing: bool = False) -> list[Press | Quit | Show | Prompt | None]:
    keymap = KeyMap()
    return [keymap.feed(key, places=PLACES, choosing=choosing) for key in keys]


@pytest.mark.parametrize(
    ("key", "press"),
    [
        *(("b", Bank()), ("U", Undo()), ("r", RollAgain()), ("n", Next()), ("t", TakeOver()), ("q", Quit())),
        *(("h", Show("advice")), ("W", Show("chances"))),
    ],
)
def test_single_keys(key: str, press: Press | Quit | Show) -> None:
    assert typed(key) == [press]


def test_digits_choose_only_while_a_question_is_open() -> None:
    assert typed("2", choosing=True) == [Choose(2)]
    assert typed("2") == [None]
    assert typed("0", choosing=True) == [None]


def test_fixing_a_die_takes_its_place_and_its_face() -> None:
    assert typed("f25")[-1] == FixDie(12, 5)
    assert typed("f05")[-1] == FixDie(None, 5)
    assert typed("f30")[-1] == FixDie(13, None)
    # While a die is being fixed its digits do not answer the question.
    assert typed("f25", choosing=True)[-1] == FixDie(12, 5)


def test_fixing_a_die_survives_slips_of_the_finger() -> None:
    assert typed("f925")[-1] == FixDie(12, 5)
    assert typed("f295")[-1] == FixDie(12, 5)
    assert isinstance(typed("f00")[-1], Prompt)
    assert typed("fxb")[-1] == Bank()


def test_scripted_keys_come_at_their_time() -> None:
    keys = ScriptedKeys({20: "b", 10: "u", 30: "q"})
    assert keys.poll(5) == ""
    assert keys.poll(20) == "ub"
    assert keys.wait() == "q"
    assert keys.wait() == ""
    keys.close()
    assert keys.closed


class _Stdin:
    """Standard input that is the given terminal."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def isatty(self) -> bool:
        return os.isatty(self._fd)

    def fileno(self) -> int:
        return self._fd


def test_keys_of_a_real_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    try:
        before = termios.tcgetattr(theirs)
        monkeypatch.setattr(sys, "stdin", _Stdin(theirs))
        keys = TerminalKeys()
        assert termios.tcgetattr(theirs)[3] & termios.ICANON == 0  # no Enter needed
        assert keys.poll(0) == ""
        os.write(ours, b"bu")
        assert keys.wait() == "bu"
        os.write(ours, b"\x1b[A")  # an arrow key means nothing
        os.write(ours, b"q")
        assert keys.poll(0) in ("", "q")
        keys.close()
        keys.close()
        assert termios.tcgetattr(theirs) == before
    finally:
        os.close(ours)
        os.close(theirs)


def test_without_a_terminal_keys_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    monkeypatch.setattr(sys, "stdin", _Stdin(read))
    real_open = os.open

    def no_terminal(path: str, flags: int, mode: int = 0o777) -> int:
        if path == "/dev/tty":
            raise OSError(6, "No such device or address")
        return real_open(path, flags, mode)

    monkeypatch.setattr(os, "open", no_terminal)
    with pytest.raises(DeviceFailed, match="needs a keyboard") as caught:
        TerminalKeys()
    assert caught.value.exit_code == 3
    os.close(read)
    os.close(write)
