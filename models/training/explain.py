"""Draw how a picture is read: `python -m models.training.explain --out docs/pictures` (docs/how-it-reads.md).

Everything drawn is what the reader really sees and says, on stills that `models.synth` draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.stills import make_still
from models.training.sheets import write_file
from vision.detection import Detection, DieState, Reading
from vision.detector import Region, Search
from vision.faces import FaceNetwork, cut_out
from vision.frame import Image
from vision.network import PADDING_PX, Candidates, Network
from vision.reader import Reader
from vision.verdict import Evidence, verdict

SEED = 21
INK = (30, 30, 30)
SURE, ASKED, COCKED = (178, 114, 0), (0, 159, 230), (167, 121, 204)
"""BGR of dice that are sure, a question, cocked: as `croupier read --annotate` draws them."""
TILE_PX = 300
NAMES = ("1", "2", "3", "4", "5", "6", "cocked", "none")


class WatchedNetwork(Network):
    """The detector, keeping a record of every look."""

    def __init__(self) -> None:
        """Load the network that is shipped."""
        super().__init__()
        self.looks: list[tuple[float, Region, Candidates]] = []
        """Scale, part of the picture and what was found, of each run."""

    def run(self, image: Image, scale: float, *, region_px: Region | None = None) -> Candidates:
        """Run as ever, and remember."""
        found = super().run(image, scale, region_px=region_px)
        self.looks.append((scale, region_px or (0, 0, image.shape[1], image.shape[0]), found))
        return found

    def heat(self, image: Image) -> NDArray[np.float64]:
        """Return the probability that a die's centre is there, (H/8, W/8), of a picture at its last scale."""
        height, width = image.shape[:2]
        padded = cv2.copyMakeBorder(
            image, 0, -height % PADDING_PX, 0, -width % PADDING_PX, cv2.BORDER_REPLICATE
        )
        blob = np.ascontiguousarray(padded.transpose(2, 0, 1)[None].astype(np.float32) / 255.0)
        raw = np.asarray(self._session.run(None, {"image": blob})[0][0, 0], np.float64)
        return np.asarray(1 / (1 + np.exp(-raw)), np.float64)


def draw_still(
    seed: int = SEED, *, width_px: int = 1280, dice: int = 6, size_px: float = 66.0, cocked: float = 0.35
) -> Image:
    """Draw a still, three quarters as high as it is wide."""
    return make_still(
        np.random.default_rng(seed),
        width_px=width_px,
        height_px=width_px * 3 // 4,
        dice=dice,
        size_px=(size_px, size_px),
        max_tilt_deg=22.0,
        cocked_share=cocked,
    ).image


def draw_search(image: Image) -> Image:
    """Draw the looks at a picture, in their order, each as large as the network sees it."""
    network = WatchedNetwork()
    Search(network, image, (0, 0, image.shape[1], image.shape[0]), None).look_closer()
    tiles = []
    for number, (scale, (x, y, width, height), found) in enumerate(network.looks, 1):
        part = image[y : y + height, x : x + width]
        seen = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        for box, chance in zip(found.boxes, found.found, strict=True):
            _box(seen, (box - (x, y, 0, 0)) * scale, SURE if chance >= 0.5 else ASKED)
        tiles.append(
            _captioned(np.asarray(seen, np.uint8), f"look {number}: {seen.shape[1]}x{seen.shape[0]}")
        )
    return _beside(tiles)


def draw_heat(image: Image) -> Image:
    """Draw where the network sees the centres of dice, over the picture at the scale of its last look."""
    network = WatchedNetwork()
    Search(network, image, (0, 0, image.shape[1], image.shape[0]), None).look_closer()
    scale, (x, y, width, height), _ = network.looks[-1]
    seen = np.asarray(
        cv2.resize(
            image[y : y + height, x : x + width], None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA
        ),
        np.uint8,
    )
    heat = cv2.resize(network.heat(seen), None, fx=8, fy=8, interpolation=cv2.INTER_CUBIC)
    heat = np.clip(heat[: seen.shape[0], : seen.shape[1]], 0, 1)
    colours = cv2.applyColorMap((255 * heat).astype(np.uint8), cv2.COLORMAP_INFERNO)
    grey = cv2.cvtColor(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    over = (0.35 * grey + 0.65 * np.maximum(grey * 0.4, colours)).astype(np.uint8)
    return _beside([_captioned(seen, "the last look"), _captioned(over, "centres of dice")])


def draw_decisions(image: Image, most: int = 8) -> Image:
    """Draw for each candidate the crop that the classifier sees, and what both networks say of it."""
    reader, faces = Reader(), FaceNetwork()
    seen = reader.evidence(image)
    order = np.lexsort((seen.boxes[:, 0], seen.boxes[:, 1]))[:most]
    rows = []
    for i in order:
        one = Evidence(
            seen.boxes[i : i + 1], seen.found[i : i + 1], seen.faces[i : i + 1], seen.classes[i : i + 1]
        )
        crop = cv2.resize(cut_out(image, seen.boxes[i]), (144, 144), interpolation=cv2.INTER_NEAREST)
        row = np.full((152, 760, 3), 255, np.uint8)
        row[4:148, 4:148] = crop
        _bars(row, 170, seen.faces[i], f"detector: a die {seen.found[i]:.2f}")
        _bars(row, 400, np.exp(faces.classify(image, seen.boxes[i : i + 1])[0]), "classifier")
        dice = verdict(one, reader.tuning)
        said = _said(dice[0]) if dice else "no die"
        _text(row, said, (630, 70), 0.6)
        if dice:
            _text(row, f"confidence {dice[0].confidence:.2f}", (630, 95), 0.4)
        rows.append(row)
    return np.vstack(rows)


def draw_unsure() -> Image:
    """Draw pictures that cannot be trusted, each with what the reader says of it."""
    reader = Reader()
    good = _read_for_certain(reader)
    size = float(np.median([die.size_px for die in reader.read(good).dice]))
    path = np.ones((1, round(0.45 * size)), np.float32)
    spoilt = {
        "as it was": good,
        "out of focus": cv2.GaussianBlur(good, (0, 0), 0.11 * size),
        "moved": cv2.filter2D(good, -1, path / path.sum()),
        "too dark": (good * 0.12).astype(np.uint8),
        "far away": cv2.resize(good, None, fx=12 / size, fy=12 / size, interpolation=cv2.INTER_AREA),
        "dice that lean": draw_still(3, width_px=640, dice=4, cocked=1.0),
    }
    tiles = []
    for name, picture in spoilt.items():
        shown = np.asarray(picture, np.uint8)
        reading = reader.read(shown)
        tiles.append(_captioned(_marked(shown, reading), name, *_summary(reading)))
    rows = [_beside(tiles[i : i + 3]) for i in range(0, len(tiles), 3)]
    width = max(row.shape[1] for row in rows)
    return np.vstack([_widened(row, width) for row in rows])


def _read_for_certain(reader: Reader) -> Image:
    """Draw stills until the reader reads all five dice of one for certain, and none is cut off."""
    for seed in range(1000):
        picture = draw_still(seed, width_px=640, dice=5, cocked=0.0)
        reading = reader.read(picture)
        inside = all(
            min(x, y) > 5 and x + width < 635 and y + height < 475
            for x, y, width, height in (die.box_px for die in reading.dice)
        )
        if reading.sure and len(reading.dice) == 5 and inside:
            return picture
    raise ValueError("no still was read for certain: are these the right networks?")


def _summary(reading: Reading) -> list[str]:
    sure = sum(die.sure for die in reading.dice)
    head = f"{sure} sure, {len(reading.dice) - sure} asked" + ("" if reading.sure else ": not sure")
    return [head, *(reason.split(":")[0] for reason in reading.reasons[:1])]


def _said(die: Detection) -> str:
    if die.state is DieState.COCKED:
        return "cocked"
    return "?" if die.value is None else f"{die.value}{' sure' if die.sure else ' ?'}"


def _marked(image: Image, reading: Reading) -> Image:
    out = image.copy()
    for die in reading.dice:
        x, y, width, height = die.box_px
        colour = COCKED if die.state is DieState.COCKED else SURE if die.sure else ASKED
        _box(
            out,
            np.array([x + width / 2, y + height / 2, width, height]),
            colour,
            max(2, image.shape[1] // 320),
        )
    return out


def _box(
    canvas: cv2.typing.MatLike, box: NDArray[np.float64], colour: tuple[int, int, int], line: int = 2
) -> None:
    x, y, width, height = box
    corners = (round(x - width / 2), round(y - height / 2)), (round(x + width / 2), round(y + height / 2))
    cv2.rectangle(canvas, *corners, colour, line, cv2.LINE_AA)


def _bars(canvas: Image, x: int, shares: NDArray[np.float64], title: str) -> None:
    _text(canvas, title, (x, 18), 0.42)
    for i, share in enumerate(shares):
        y = 28 + 15 * i
        _text(canvas, NAMES[i], (x, y + 10), 0.38)
        cv2.rectangle(canvas, (x + 52, y + 1), (x + 52 + round(120 * float(share)), y + 11), SURE, -1)
        cv2.rectangle(canvas, (x + 52, y + 1), (x + 172, y + 11), (200, 200, 200), 1)


def _captioned(image: Image, *lines: str) -> Image:
    """Bring a picture to `TILE_PX` of height at most and write below it."""
    scale = min(2.0 if image.shape[0] < 150 else 1.0, TILE_PX / image.shape[0])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    out = np.full((TILE_PX + 22 * max(1, len(lines)) + 8, max(small.shape[1], 200) + 8, 3), 255, np.uint8)
    out[: small.shape[0], : small.shape[1]] = small
    for number, line in enumerate(lines):
        _text(out, line, (2, TILE_PX + 18 + 22 * number), 0.45)
    return out


def _beside(tiles: Sequence[Image]) -> Image:
    height = max(tile.shape[0] for tile in tiles)
    grown = [
        cv2.copyMakeBorder(t, 0, height - t.shape[0], 0, 0, cv2.BORDER_CONSTANT, value=(255,) * 3)
        for t in tiles
    ]
    return np.asarray(np.hstack(grown), np.uint8)


def _widened(image: Image, width: int) -> Image:
    extra = width - image.shape[1]
    return np.asarray(
        cv2.copyMakeBorder(image, 0, 0, 0, extra, cv2.BORDER_CONSTANT, value=(255, 255, 255)), np.uint8
    )


def _text(canvas: Image, text: str, at: tuple[int, int], size: float) -> None:
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, INK, 1, cv2.LINE_AA)


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description="Draw how a picture is read.")
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"))
    args = parser.parse_args(argv)
    image = draw_still()
    drawings = {
        "reads-search": draw_search(image),
        "reads-heat": draw_heat(image),
        "reads-decisions": draw_decisions(image),
        "reads-unsure": draw_unsure(),
    }
    for name, drawing in drawings.items():
        write_file(args.out / f"{name}.jpg", drawing)


if __name__ == "__main__":
    main()
