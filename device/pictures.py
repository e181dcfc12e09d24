"""Loads any photograph as the (height, width, 3) uint8 BGR array that the reader takes.

One decoder, Pillow, for every format: it knows the orientation that phones write, colour palettes, CMYK and
16 bits a channel, and it reports damaged files instead of printing about them as OpenCV does.
"""

from __future__ import annotations

import os
import stat
import struct
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from device.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image as PillowImage

    from vision.frame import Image

MIN_SIDE_PX = 16
"""A picture with a shorter side cannot show a die that anyone could read."""

MAX_MEGAPIXELS = 150
"""Three times what a good camera takes; it costs about 0.9 GB of memory while loading. Without a limit a
file of a few kilobytes could be made to fill the memory (a decompression bomb)."""

BACKGROUND = 128
"""Grey level put behind transparent pixels. Mid grey, since dice cut out of their background are mostly
white or black and would vanish on a background of their own colour."""

_FORMATS = ("JPEG", "MPO", "PNG", "WEBP", "BMP", "DIB", "TIFF", "GIF", "PPM", "AVIF", "JPEG2000")
"""What Pillow is allowed to try: pictures only. Some of its other decoders start outside programs."""

PICTURE_SUFFIXES = frozenset(
    f".{name}"
    for name in (
        *("jpg", "jpeg", "jpe", "jfif", "mpo", "png", "webp", "bmp", "dib"),
        *("tif", "tiff", "gif", "ppm", "pgm", "pnm", "avif", "jp2"),
    )
)
"""The names that count as pictures when a folder is given; a file that is named itself is always tried."""

_VIDEO_SUFFIXES = frozenset(
    (".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".mjpeg", ".mjpg", ".mpg", ".mpeg", ".3gp")
)
_HEIC_BRANDS = frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"))
_WANTED = "JPEG, PNG, WebP, BMP, TIFF or GIF"
_ORIENTATION_TAG = 0x0112
_BITS_TAG = 258


def pictures_in(folder: Path) -> list[Path]:
    """The picture files that lie directly in `folder`, sorted by name; hidden files are left out.

    Raises:
        BadInput: when the folder cannot be listed or has no picture.
    """
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise BadInput(f"cannot list the folder {folder}: {error.strerror}; check its permissions") from error
    found = [
        folder / name
        for name in names
        if not name.startswith(".")
        and Path(name).suffix.lower() in PICTURE_SUFFIXES
        and not (folder / name).is_dir()
    ]
    if not found:
        raise BadInput(
            f"the folder {folder} has no pictures ({_WANTED}); folders inside it are not searched: name them"
        )
    return found


def expand(paths: Sequence[Path]) -> list[tuple[Path, BadInput | None]]:
    """Replace each folder by its pictures; the rest stays, in the order given.

    A folder without pictures stays as one entry with the error that says so, so that the others go on.
    """
    entries: list[tuple[Path, BadInput | None]] = []
    for path in paths:
        if not os.path.isdir(path):
            entries.append((path, None))
            continue
        try:
            entries.extend((picture, None) for picture in pictures_in(path))
        except BadInput as error:
            entries.append((path, error))
    return entries


def load_picture(path: Path) -> Image:
    """Load one picture file, upright as its EXIF orientation says.

    16 bits a channel become 8 by taking the high byte, transparent pixels are laid on mid grey
    (`BACKGROUND`), of an animation or a multi-page file the first picture is taken.

    Returns:
        (height, width, 3) uint8, BGR, contiguous, writable.

    Raises:
        BadInput: with one sentence that names the file, what is wrong and what to do.
    """
    _check_is_file(path)
    try:
        with path.open("rb") as file:
            return _decode(file, path)
    except BadInput:
        raise
    except MemoryError as error:
        raise BadInput(
            f"{path} is too large for the memory of this machine; make it smaller first"
        ) from error
    except PermissionError as error:
        raise BadInput(f"no permission to read {path}; change it with: chmod a+r {path}") from error
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error


def _check_is_file(path: Path) -> None:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadInput(f"there is no file {path}; check the name") from error
    except PermissionError as error:
        raise BadInput(f"no permission to look at {path}; check the permissions of its folder") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"cannot open {str(path)[:80]!r}: {reason}; check the name") from error
    if stat.S_ISDIR(status.st_mode):
        raise BadInput(f"{path} is a folder; wanted a picture file")
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{path} is not an ordinary file; wanted a picture file ({_WANTED})")
    if status.st_size == 0:
        raise BadInput(f"{path} is empty (0 bytes); copy it again from the camera")


def _decode(file: BinaryIO, path: Path) -> Image:
    from PIL import Image as Pillow
    from PIL import UnidentifiedImageError

    Pillow.init()
    known = [name for name in _FORMATS if name in Pillow.OPEN]
    with warnings.catch_warnings():
        # Damaged metadata is no reason to refuse good pixels, and the size is checked below.
        warnings.simplefilter("ignore")
        try:
            picture = Pillow.open(file, formats=known)
        except UnidentifiedImageError:
            raise BadInput(_not_a_picture(file, path)) from None
        except Pillow.DecompressionBombError as error:
            raise BadInput(
                f"{path} is far too large; at most {MAX_MEGAPIXELS} megapixels are read"
            ) from error
        except MemoryError:
            raise
        except Exception as error:  # whatever a decoder raises, the file is damaged: see below
            raise _damaged(path) from error
        with picture:
            _check_size(path, *picture.size)
            try:
                picture.load()
                pixels = _bgr(picture, path)
                orientation = _orientation(picture)
            except (MemoryError, BadInput):
                raise
            except Exception as error:
                # Pillow's decoders report damage as OSError, SyntaxError, ValueError, struct.error,
                # zlib.error and more: any of them means that this file cannot be decoded.
                raise _damaged(path) from error
    return _upright(pixels, orientation)


def _not_a_picture(file: BinaryIO, path: Path) -> str:
    """Why Pillow did not know the file, guessed from its name and first bytes."""
    file.seek(0)
    head = file.read(16)
    if path.suffix.lower() in _VIDEO_SUFFIXES:
        return f"{path} is a video, not a picture; read it with: croupier watch {path}"
    if head[4:8] == b"ftyp" and head[8:12] in _HEIC_BRANDS:
        return f"{path} is a HEIC picture, which is not supported; export it as JPEG"
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return f"{path} is damaged or no picture at all; wanted {_WANTED}, copy it again from the camera"
    return f"{path} is not a picture; wanted {_WANTED}"


def _damaged(path: Path) -> BadInput:
    return BadInput(f"{path} is damaged or cut short; copy it again from the camera")


def _check_size(path: Path, width_px: int, height_px: int) -> None:
    if min(width_px, height_px) < MIN_SIDE_PX:
        raise BadInput(
            f"{path} is {width_px}x{height_px} pixels; at least {MIN_SIDE_PX}x{MIN_SIDE_PX} are needed to "
            "show a die"
        )
    if width_px * height_px > MAX_MEGAPIXELS * 1_000_000:
        raise BadInput(
            f"{path} is {width_px}x{height_px} pixels; at most {MAX_MEGAPIXELS} megapixels are read, make it "
            "smaller first"
        )


def _orientation(picture: PillowImage.Image) -> int:
    """EXIF orientation 1..8; 1 where there is none or it is nonsense.

    Asked after loading: Pillow turns some TIFF files itself while it loads them and then drops the tag.
    """
    try:
        orientation = picture.getexif().get(_ORIENTATION_TAG, 1)
    except (OSError, SyntaxError, ValueError, TypeError, KeyError, struct.error):
        return 1  # broken metadata: the pixels are still good
    return orientation if orientation in range(1, 9) else 1


def _upright(pixels: Image, orientation: int) -> Image:
    """Turn and mirror a picture so that it stands upright (EXIF 2.32, tag 0x0112)."""
    import numpy as np

    if orientation >= 5:
        pixels = pixels.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return np.ascontiguousarray(pixels)


def _bgr(picture: PillowImage.Image, path: Path) -> Image:
    """The pixels of a loaded picture of any mode as (H, W, 3) uint8 BGR, not yet turned."""
    import numpy as np

    if picture.mode == "F" or (picture.mode == "I" and _bits(picture) > 16):
        raise BadInput(f"{path} has 32 bits a channel; save it with 8 or 16")
    if picture.mode.startswith("I"):
        return _grey(_high_byte(np.asarray(picture)))
    if picture.has_transparency_data:
        return _on_background(np.asarray(picture.convert("RGBA")))
    if picture.mode in ("1", "L"):
        return _grey(np.asarray(picture.convert("L")))
    try:
        rgb = np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB"))
    except ValueError as error:  # no way from this mode (such as LAB) to RGB
        raise BadInput(f"{path} has colours of the kind {picture.mode}; save it as RGB") from error
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _bits(picture: PillowImage.Image) -> int:
    """Bits a channel of a TIFF; 16 for the other formats, none of which has more."""
    tags = getattr(picture, "tag_v2", None)
    return int(max(tags.get(_BITS_TAG, (16,)))) if tags is not None else 16


def _high_byte(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """The high bytes of (H, W) 16-bit values, which may come in a wider integer type."""
    import numpy as np

    return np.asarray(np.clip(values, 0, 0xFFFF) >> 8, dtype=np.uint8)


def _grey(values: NDArray[np.uint8]) -> Image:
    """(H, W) uint8 as a grey (H, W, 3) picture."""
    import numpy as np

    return np.repeat(values[:, :, np.newaxis], 3, axis=2)


def _on_background(rgba: NDArray[np.uint8]) -> Image:
    """Lay an (H, W, 4) uint8 RGBA picture (straight alpha) on the neutral background; returns BGR."""
    import numpy as np

    bgr = np.empty((*rgba.shape[:2], 3), dtype=np.uint8)
    # Row by row in slabs: the 16-bit intermediate of a whole 50-megapixel picture would be 300 MB.
    for top in range(0, rgba.shape[0], 256):
        slab = rgba[top : top + 256].astype(np.uint16)
        alpha = slab[:, :, 3:]
        mixed = (slab[:, :, 2::-1] * alpha + BACKGROUND * (255 - alpha) + 127) // 255
        bgr[top : top + 256] = mixed.astype(np.uint8)
    return bgr
