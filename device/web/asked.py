"""What requests may say, checked and bounded before anything looks at it (Pydantic)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Face = Annotated[int, Field(ge=1, le=6)]
Faces = Annotated[list[Face], Field(min_length=1, max_length=6)]
Version = Annotated[str, Field(max_length=64, description="The version of the state that the user saw.")]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Pin = Annotated[str, Field(min_length=1, max_length=64)]
Points = Annotated[int, Field(ge=-100_000, le=100_000)]
Number = Annotated[int, Field(ge=0, le=1_000_000)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Millimetres = Annotated[float, Field(ge=-5000.0, le=5000.0, allow_inf_nan=False)]
Setting = bool | int | str | dict[str, int] | None


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)


class PairRequest(_Request):
    """A phone wants in."""

    pin: Pin
    name: Name


class PinRequest(_Request):
    """The organiser's PIN."""

    pin: Pin


class PressRequest(_Request):
    """A button."""

    version: Version
    press: Literal["bank", "undo", "redo", "roll_again", "next", "take_over", "choose"]
    option: Annotated[int, Field(ge=1, le=9)] | None = None


class DieRequest(_Request):
    """What a die shows."""

    version: Version
    die: Annotated[int, Field(ge=-1_000_000, le=2**31)] | None = Field(
        None, description="Number of the die; none for one that the camera does not see."
    )
    is_: Literal["face", "none", "cocked"] = Field("face", alias="is")
    face: Face | None = None


class ThrowRequest(_Request):
    """A throw that is told, with what was set aside of the throw before."""

    version: Version
    aside: list[Face] = Field(default_factory=list, max_length=6)
    faces: list[Face] = Field(default_factory=list, max_length=6)


class EnterRequest(_Request):
    """A turn that nobody saw."""

    version: Version
    points: Points


class EditRequest(_Request):
    """A change of an old turn."""

    what: Literal["faces", "aside", "remove", "points", "insert"]
    turn: Number
    event: Annotated[int, Field(ge=0, le=1000)] | None = None
    was: Annotated[str, Field(max_length=4000)] = ""
    faces: list[Face] = Field(default_factory=list, max_length=6)
    aside: Annotated[list[Face], Field(max_length=6)] | None = None
    points: Points = 0
    player: Name | None = None
    write: bool = Field(False, description="False: only tell what it would come to.")
    leave_out: bool = Field(False, description="Drop what would not count any more.")


class StartRequest(_Request):
    """A new game."""

    players: Annotated[list[Name], Field(min_length=1, max_length=12)]
    preset: Annotated[str, Field(max_length=60)] = "farkle"
    settings: Annotated[dict[str, Setting], Field(max_length=60)] = Field(default_factory=dict)
    resume: bool = False


class RulesRequest(_Request):
    """Rules to be explained."""

    preset: Annotated[str, Field(max_length=60)] = "farkle"
    settings: Annotated[dict[str, Setting], Field(max_length=60)] = Field(default_factory=dict)
    language: Literal["en", "sv"] = "en"


class FindRequest(_Request):
    """Find the table in the picture: a mat by its markers, or a rectangle by its four corners."""

    die_mm: Annotated[float, Field(ge=4, le=60, allow_inf_nan=False)] = 16.0
    corners: Annotated[list[tuple[Fraction, Fraction]], Field(min_length=4, max_length=4)] | None = Field(
        None, description="Corners as fractions of the picture, clockwise from the upper left."
    )
    width_mm: Annotated[float, Field(ge=80, le=4000, allow_inf_nan=False)] | None = None
    players: Annotated[list[Name], Field(max_length=12)] = Field(default_factory=list)
    lanes: bool = False
    tray: bool = True


class ZonesRequest(_Request):
    """Zones that were dragged: their corners as fractions of the picture."""

    zones: Annotated[
        list[Annotated[list[tuple[Fraction, Fraction]], Field(min_length=3, max_length=12)]],
        Field(min_length=1, max_length=40),
    ]


class SaveRequest(_Request):
    """Keep the calibration."""

    name: Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9ÅÄÖåäö _-]+$")]
