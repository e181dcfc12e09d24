"""Reading the evidence pictures of stored games again: is the throw that was written down in the picture?

A picture shows the whole table, so besides the throw there may be dice that were set aside. A throw is
contradicted when the dice of the picture, the unread ones counted as any face, cannot hold it. A face that a
person put right at the table is written down as the person said; such throws are told apart by who said so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from device.store import Fault, GameStore, Record, StoredGame

if TYPE_CHECKING:
    from vision.detection import DiceReader


@dataclass(slots=True)
class ReadAgain:
    """What came of it."""

    read: int = 0
    """Pictures that show the throw for certain."""
    unclear: int = 0
    """Pictures in which some die of the throw could not be read for certain, and nothing contradicts it."""
    gone: int = 0
    """Pictures that were let go for room, long before."""
    faults: list[Fault] = field(default_factory=list)
    """Throws that their pictures contradict."""

    @property
    def sentence(self) -> str:
        """All of it, for people."""
        words = f"{self.read} throws were read again from their pictures and are the same"
        if self.unclear:
            words += f"; {self.unclear} pictures are not clear enough to tell, and nothing contradicts them"
        if self.gone:
            words += f"; {self.gone} pictures were let go for room"
        return words + "."


def read_again(games: GameStore, wanted: Iterable[StoredGame], reader: DiceReader | None = None) -> ReadAgain:
    """Read the pictures of these games again; `reader` takes the place of the network."""
    import cv2
    import numpy as np

    if reader is None:
        from vision.reader import Reader

        reader = Reader()
    outcome, let_go = ReadAgain(), games.let_go()
    for stored in wanted:
        for seq, record in enumerate(games.records(stored.id)):
            if record.evidence is None or record.event[0] != "rolled" or record.by == "key":
                continue
            if record.evidence in let_go:
                outcome.gone += 1
                continue
            data = np.frombuffer((games.folder / record.evidence).read_bytes(), np.uint8)
            picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
            if picture is None:
                outcome.faults.append(Fault(stored.id, seq, f"{record.evidence} is no picture"))
                continue
            dice = reader.read(np.asarray(picture, np.uint8)).dice
            sure = Counter(die.value for die in dice if die.sure and die.value is not None)
            _judge(outcome, stored.id, seq, record, sure, len(dice))
    return outcome


def _judge(outcome: ReadAgain, game: int, seq: int, record: Record, sure: Counter[int], dice: int) -> None:
    faces: Counter[int] = Counter(record.event[1])  # type: ignore[call-overload]  # a throw has faces
    missing = (faces - sure).total()
    if missing == 0:
        outcome.read += 1
    elif missing <= dice - sure.total():
        outcome.unclear += 1
    else:
        written = " ".join(map(str, sorted(faces.elements())))
        shown = " ".join(map(str, sorted(sure.elements())))
        outcome.faults.append(
            Fault(game, seq, f"the throw was written as {written}, but its picture shows {shown}")
        )
