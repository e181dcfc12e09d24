"""The caller: says aloud what happens, through espeak-ng or piper where they are installed.

    few    busts, hot dice, the end
    some   banks too
    all    every throw too

It speaks in a process of its own; what has not been said when the next things happen is left out, so that the
voice never falls behind the table.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from device.errors import BadInput, DeviceFailed
from device.wording import check_language

LEVELS = ("off", "few", "some", "all")
"""How much it says."""
_WAITING_AT_MOST = 2
"""Sentences that wait to be said; of more, the older are left out."""
_LONGEST_S = 20.0
PIPER_VOICE = "CROUPIER_PIPER_VOICE"
"""Environment variable that names a piper voice (.onnx); without it espeak-ng speaks."""
_log = logging.getLogger("croupier.caller")

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "rolled": "{dice}",
        "bust": "Farkle! {player}.",
        "hot": "Hot dice for {player}!",
        "banked": "{player} banks {points}.",
        "took_over": "{player} takes over {points}.",
        "undone": "Taken back.",
        "asked": "Please look at the screen.",
        "won": "{player} wins!",
        "and": " and ",
    },
    "sv": {
        "rolled": "{dice}",
        "bust": "Farkle! {player}.",
        "hot": "Heta tärningar för {player}!",
        "banked": "{player} sparar {points}.",
        "took_over": "{player} tar över {points}.",
        "undone": "Ångrat.",
        "asked": "Titta på skärmen.",
        "won": "{player} vinner!",
        "and": " och ",
    },
}
_LEAST = {"bust": 1, "hot": 1, "won": 1, "asked": 1, "banked": 2, "took_over": 2}
"""Level from which on a sentence is said; 3 where none is named."""

Say = Callable[[str], None]
"""Says one sentence, and returns when it was said."""


class Caller:
    """Says the events of a game as `croupier play --json` writes them."""

    def __init__(self, level: str, *, language: str = "en", say: Say | None = None) -> None:
        """Speak at `level`; `say` takes the place of the real voice.

        Raises:
            BadInput: for a level or language that does not exist.
            DeviceFailed: neither espeak-ng nor piper is installed.
        """
        if level not in LEVELS:
            raise BadInput(f"--speak {level!r} is not known; use {', '.join(LEVELS)}")
        self._level = LEVELS.index(level)
        self._words = _SENTENCES[check_language(language)]
        self._say = say or voice(language)
        self._waiting: deque[str] = deque(maxlen=_WAITING_AT_MOST)
        self._change = threading.Condition()
        self._closed = False
        self._fault_said = False
        self._thread = threading.Thread(target=self._speak, name="caller", daemon=True)
        self._thread.start()

    def __enter__(self) -> Caller:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say what is waiting, and be quiet."""
        self.close()

    def event(self, data: Mapping[str, object]) -> None:
        """Take in one JSON object of the game."""
        sentence = " ".join(self.sentences(data))
        if sentence:
            with self._change:
                self._waiting.append(sentence)
                self._change.notify_all()

    def sentences(self, data: Mapping[str, object]) -> list[str]:
        """Return what is said about one JSON object, at the level chosen."""
        found = []
        for name, values in _meant(data):
            if name == "won":
                names = values["player"] if isinstance(values["player"], Sequence) else ()
                values = {"player": self._words["and"].join(map(str, names))}
            if _LEAST.get(name, 3) <= self._level:
                found.append(self._words[name].format(**values))
        return found

    def close(self) -> None:
        """Say what is waiting, then stop; again does nothing."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._thread.join(_LONGEST_S)

    def _speak(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                sentence = self._waiting.popleft()
            try:
                self._say(sentence)
            except (OSError, subprocess.SubprocessError) as error:
                if not self._fault_said:
                    _log.warning("there is no sound (%s); the game goes on silently", error)
                self._fault_said = True


def _meant(data: Mapping[str, object]) -> list[tuple[str, dict[str, object]]]:
    """Return the sentences, by name, that an event could bring, with what they are filled in with."""
    player, points = data.get("player"), data.get("points")
    match data.get("event"):
        case "rolled":
            faces = data.get("values")
            dice = ", ".join(map(str, faces)) if isinstance(faces, Sequence) else ""
            said: list[tuple[str, dict[str, object]]] = [("rolled", {"dice": dice})]
            if data.get("bust"):
                said.append(("bust", {"player": player}))
            return said
        case "set_aside" if data.get("hot_dice"):
            return [("hot", {"player": player})]
        case "banked" | "entered":
            return [("banked", {"player": player, "points": points})]
        case "took_over":
            return [("took_over", {"player": player, "points": points})]
        case "undone":
            return [("undone", {})]
        case "unsure" | "paused":
            return [("asked", {})]
        case None if data.get("finished"):
            return [("won", {"player": data.get("winners")})]
    return []


def voice(language: str) -> Say:
    """Return the voice that is installed: piper where a voice of it is named, else espeak-ng.

    Raises:
        DeviceFailed: there is none.
    """
    model = os.environ.get(PIPER_VOICE)
    if model and shutil.which("piper"):
        if not Path(model).is_file():
            raise DeviceFailed(
                f"the piper voice {model} ({PIPER_VOICE}) does not exist; download it, or unset it"
            )
        return lambda sentence: _pipe(sentence, ["piper", "--model", model, "--output-raw"], then=_PLAY)
    for program in ("espeak-ng", "espeak"):
        if shutil.which(program):
            command = [program, "-v", language, "-s", "150", "--stdin"]
            return lambda sentence: _pipe(sentence, command)
    raise DeviceFailed("the caller needs a voice; install one: sudo apt install espeak-ng")


_PLAY = ["aplay", "-q", "-r", "22050", "-f", "S16_LE", "-t", "raw", "-"]


def _pipe(sentence: str, command: Sequence[str], *, then: Sequence[str] | None = None) -> None:
    """Give a sentence to a program on its standard input: a name is no option and no shell sees it."""
    made = subprocess.run(
        command,
        input=sentence.encode(),
        stdout=subprocess.PIPE if then else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_LONGEST_S,
        check=True,
    )
    if then:
        subprocess.run(
            then, input=made.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=_LONGEST_S, check=True,
        )  # fmt: skip
