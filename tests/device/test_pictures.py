"""Loading photographs: every format and mode, checked by pixel values, and every way to be unusable."""

from __future__ import annotations

import os
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pillow

from device.errors import BadInput
from device.pictures import BACKGROUND, MAX_MEGAPIXELS, MIN_SIDE_PX, expand, load_picture, pictures_in

# Four quarters of one colour each, wider than high: every turn and mirroring tells.
RED, GREEN, BLUE, YELLOW = (220, 20, 30), (10, 200, 40), (20, 40, 210), (230, 220, 20)
WIDTH, HEIGHT = 64, 40


def quarters() -> NDArray[np.uint8]:
    """(40, 64, 3) RGB: red top left, green top right, blue bottom left, yellow bottom right."""
    rgb = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    rgb[:20, :32], rgb[:20, 32:], rgb[20:, :32], rgb[20:, 32:] = RED, GREEN, BLUE, YELLOW
    return rgb


def corners_rgb(bgr: NDArray[np.uint8]) -> list[tuple[int, ...]]:
    """The colours (as RGB) near the four corners: top left, top right, bottom left, bottom right."""
    h, w = bgr.shape[:2]
    return [
        tuple(int(c) for c in bgr[y, x, ::-1]) for y, x in ((5, 5), (5, w - 6), (h - 6, 5), (h - 6, w - 6))
    ]


def assert_near(got: list[tuple[int, ...]], wanted: list[tuple[int, ...]], tolerance: int) -> None:
    difference = np.abs(np.array(got, int) - np.array(wanted, int)).max()
    assert difference <= tolerance, f"got {got}, wanted {wanted}"


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("a.png", 0), ("a.bmp", 0), ("a.tif", 0), ("a.gif", 0), ("a.ppm", 0), ("a.webp", 12), ("a.jpg", 12)],
)
def test_every_format_gives_bgr(tmp_path: Path, name: str, tolerance: int) -> None:
    path = tmp_path / name
    Pillow.fromarray(quarters()).save(path, quality=95, subsampling=0)
    image = load_picture(path)
    assert image.shape == (HEIGHT, WIDTH, 3)
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    assert image.flags.writeable
    assert_near(corners_rgb(image), [RED, GREEN, BLUE, YELLOW], tolerance)


def test_a_name_without_or_with_a_wrong_suffix_does_not_matter(tmp_path: Path) -> None:
    for name in ("picture", "picture.jpg"):
        path = tmp_path / name
        Pillow.fromarray(quarters()).save(path, format="PNG")
        assert corners_rgb(load_picture(path)) == [RED, GREEN, BLUE, YELLOW]


ORIENTED = {
    # What the stored picture's corners become (EXIF 2.32: which stored side the 0th row and column are).
    1: (RED, GREEN, BLUE, YELLOW),
    2: (GREEN, RED, YELLOW, BLUE),
    3: (YELLOW, BLUE, GREEN, RED),
    4: (BLUE, YELLOW, RED, GREEN),
    5: (RED, BLUE, GREEN, YELLOW),
    6: (BLUE, RED, YELLOW, GREEN),
    7: (YELLOW, GREEN, BLUE, RED),
    8: (GREEN, YELLOW, RED, BLUE),
}


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation(tmp_path: Path, orientation: int, suffix: str) -> None:
    path = tmp_path / f"turned.{suffix}"
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    Pillow.fromarray(quarters()).save(path, exif=exif, quality=95)
    image = load_picture(path)
    assert image.shape == ((HEIGHT, WIDTH, 3) if orientation < 5 else (WIDTH, HEIGHT, 3))
    assert image.flags.c_contiguous
    assert_near(corners_rgb(image), list(ORIENTED[orientation]), 14)


@pytest.mark.parametrize("orientation", [0, 9, 77])
def test_a_nonsense_orientation_is_ignored(tmp_path: Path, orientation: int) -> None:
    path = tmp_path / "odd.png"
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    Pillow.fromarray(quarters()).save(path, exif=exif)
    assert corners_rgb(load_picture(path)) == [RED, GREEN, BLUE, YELLOW]


def test_broken_exif_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "odd.jpg"
    Pillow.fromarray(quarters()).save(path, exif=b"Exif\0\0II*\0\xff\xff\xff\x7f broken", quality=95)
    assert_near(corners_rgb(load_picture(path)), [RED, GREEN, BLUE, YELLOW], 20)


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_16_bit_grey_is_scaled_to_the_whole_range(tmp_path: Path, suffix: str) -> None:
    values = np.array([0, 255, 256, 0x1234, 0x7FFF, 0x8000, 0xFEFF, 0xFFFF], np.uint16)
    path = tmp_path / f"deep.{suffix}"
    cv2.imwrite(str(path), np.repeat(np.repeat(values[np.newaxis], 16, 0), 4, 1))
    image = load_picture(path)
    assert image.shape == (16, 32, 3)
    assert image[0, ::4].tolist() == [[v] * 3 for v in (0, 0, 1, 0x12, 0x7F, 0x80, 0xFE, 0xFF)]


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_16_bit_colour_is_scaled_to_the_whole_range(tmp_path: Path, suffix: str) -> None:
    bgr16 = np.zeros((20, 20, 3), np.uint16)
    bgr16[:] = (0x1000, 0x8080, 0xFFFF)
    path = tmp_path / f"deep.{suffix}"
    cv2.imwrite(str(path), bgr16)
    assert load_picture(path)[7, 7].tolist() == [0x10, 0x80, 0xFF]


def test_16_bit_with_alpha(tmp_path: Path) -> None:
    bgra16 = np.zeros((20, 20, 4), np.uint16)
    bgra16[:] = (0x1000, 0x8080, 0xFFFF, 0xFFFF)
    bgra16[:10, :, 3] = 0
    path = tmp_path / "deep.png"
    cv2.imwrite(str(path), bgra16)
    image = load_picture(path)
    assert image[15, 7].tolist() == [0x10, 0x80, 0xFF]
    assert image[5, 7].tolist() == [BACKGROUND] * 3


def test_8_bit_grey(tmp_path: Path) -> None:
    path = tmp_path / "grey.png"
    Pillow.fromarray(np.full((20, 30), 77, np.uint8)).save(path)
    image = load_picture(path)
    assert image.shape == (20, 30, 3)
    assert np.unique(image).tolist() == [77]


def test_1_bit(tmp_path: Path) -> None:
    bits = np.zeros((20, 30), bool)
    bits[:, 15:] = True
    path = tmp_path / "bits.png"
    Pillow.fromarray(bits).save(path)
    image = load_picture(path)
    assert image[3, 3].tolist() == [0, 0, 0]
    assert image[3, 20].tolist() == [255, 255, 255]


def test_palette(tmp_path: Path) -> None:
    path = tmp_path / "palette.png"
    Pillow.fromarray(quarters()).quantize(8).save(path)
    with Pillow.open(path) as stored:
        assert stored.mode == "P"
    assert_near(corners_rgb(load_picture(path)), [RED, GREEN, BLUE, YELLOW], 3)


def test_palette_with_a_transparent_colour(tmp_path: Path) -> None:
    indices = np.zeros((20, 30), np.uint8)
    indices[:, 15:] = 1
    picture = Pillow.fromarray(indices).convert("P")
    picture.putpalette([255, 0, 0, 0, 0, 255])
    picture.save(tmp_path / "p.png", transparency=0)
    image = load_picture(tmp_path / "p.png")
    assert image[0, 0].tolist() == [BACKGROUND] * 3
    assert image[0, 20].tolist() == [255, 0, 0]


def test_transparent_pixels_lie_on_mid_grey(tmp_path: Path) -> None:
    rgba = np.zeros((20, 300, 4), np.uint8)
    rgba[:, :, 0] = 255
    rgba[:, 100:200, 3] = 255
    rgba[:, 200:, 3] = 51
    Pillow.fromarray(rgba).save(tmp_path / "cut.png")
    image = load_picture(tmp_path / "cut.png")
    assert image[0, 0].tolist() == [128, 128, 128]
    assert image[0, 150].tolist() == [0, 0, 255]
    assert image[0, 250].tolist() == [102, 102, 153]  # a fifth of red, four fifths of the background


def test_transparency_over_many_rows(tmp_path: Path) -> None:
    rgba = np.zeros((600, 20, 4), np.uint8)
    rgba[:, :, 1] = 200
    rgba[255:257, :, 3] = 255
    rgba[599, :, 3] = 255
    Pillow.fromarray(rgba).save(tmp_path / "tall.png")
    green = load_picture(tmp_path / "tall.png")[:, 0, 1]
    assert np.flatnonzero(green == 200).tolist() == [255, 256, 599]


def test_grey_with_alpha(tmp_path: Path) -> None:
    grey = np.full((20, 30, 2), 200, np.uint8)
    grey[:, :15, 1] = 0
    grey[:, 15:, 1] = 255
    Pillow.fromarray(grey).save(tmp_path / "la.png")
    image = load_picture(tmp_path / "la.png")
    assert image[0, 0].tolist() == [BACKGROUND] * 3
    assert image[0, 20].tolist() == [200] * 3


def test_cmyk_jpeg(tmp_path: Path) -> None:
    Pillow.fromarray(quarters()).convert("CMYK").save(tmp_path / "print.jpg", quality=95, subsampling=0)
    assert_near(corners_rgb(load_picture(tmp_path / "print.jpg")), [RED, GREEN, BLUE, YELLOW], 12)


def test_gif_gives_its_first_picture(tmp_path: Path) -> None:
    first, second = Pillow.fromarray(quarters()), Pillow.new("RGB", (WIDTH, HEIGHT))
    first.save(tmp_path / "two.gif", save_all=True, append_images=[second])
    assert_near(corners_rgb(load_picture(tmp_path / "two.gif")), [RED, GREEN, BLUE, YELLOW], 8)


def test_50_megapixels(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    Pillow.new("L", (8192, 6144), 9).save(path, compress_level=1)
    image = load_picture(path)
    assert image.shape == (6144, 8192, 3)
    assert int(image[6143, 8191, 0]) == 9


def png_header(width: int, height: int) -> bytes:
    """A PNG file that claims a size and holds almost nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 99)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("side", [12_500, 13_200, 30_000, 60_000])
def test_a_decompression_bomb_is_refused(tmp_path: Path, side: int) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_header(side, side))
    with pytest.raises(BadInput, match=f"large: at most|at most {MAX_MEGAPIXELS} megapixels"):
        load_picture(path)


@pytest.mark.parametrize("size", [(1, 1), (MIN_SIDE_PX - 1, 100), (100, MIN_SIDE_PX - 1)])
def test_a_tiny_picture_is_refused(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "dot.png"
    Pillow.new("RGB", size).save(path)
    with pytest.raises(BadInput, match=rf"{size[0]}x{size[1]} pixels; at least 16x16"):
        load_picture(path)


def test_the_smallest_allowed_picture(tmp_path: Path) -> None:
    Pillow.new("RGB", (MIN_SIDE_PX, MIN_SIDE_PX)).save(tmp_path / "small.png")
    assert load_picture(tmp_path / "small.png").shape == (16, 16, 3)


def noise_file(path: Path) -> bytes:
    """The bytes of a picture of noise, saved to `path`: it fills many blocks of the format."""
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    Pillow.fromarray(noise).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "bmp", "tif", "gif"])
@pytest.mark.parametrize("kept", [0.02, 0.3, 0.9])
def test_a_truncated_file_is_refused(tmp_path: Path, suffix: str, kept: float) -> None:
    path = tmp_path / f"cut.{suffix}"
    data = noise_file(path)
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(BadInput, match=r"cut\.\w+ is damaged|pixels; at least"):
        load_picture(path)


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "bmp", "tif", "gif"])
def test_any_damage_gives_a_picture_or_bad_input_and_nothing_else(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"hit.{suffix}"
    data = noise_file(path)
    random = np.random.default_rng(7)
    for _ in range(25):
        hit = bytearray(data)
        for position in random.integers(0, min(len(hit), 600), 6):
            hit[position] = random.integers(256)
        path.write_bytes(hit)
        try:
            said = str(load_picture(path).dtype)
        except BadInput as error:
            said = str(error)
        assert said == "uint8" or str(path) in said


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.jpg", b"", "is empty"),
        ("notes.txt", b"no picture at all", "is not a picture"),
        ("fake.jpg", b"no picture at all", "damaged or no picture"),
        ("phone.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        ("game.mp4", b"\0\0\0\x18ftypisom\0\0\0\0isom", "croupier watch"),
        ("page.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 99 99\n", "is not a picture"),
    ],
)
def test_what_is_no_picture_is_named(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(BadInput, match=says) as caught:
        load_picture(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no file .*nothing\.jpg"):
        load_picture(tmp_path / "nothing.jpg")
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(BadInput, match="there is no file"):
        load_picture(tmp_path / "file" / "inside.jpg")


@pytest.mark.parametrize("name", ["x" * 300, "nul\0byte.jpg"])
def test_an_impossible_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="cannot open"):
        load_picture(tmp_path / name)


def test_folders_and_pipes_are_no_pictures(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        load_picture(tmp_path)
    os.mkfifo(tmp_path / "pipe.jpg")
    with pytest.raises(BadInput, match="not an ordinary file"):
        load_picture(tmp_path / "pipe.jpg")


def test_a_link_in_a_circle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.jpg").symlink_to(tmp_path / "loop.jpg")
    with pytest.raises(BadInput, match="cannot open"):
        load_picture(tmp_path / "loop.jpg")


@contextmanager
def no_root() -> Iterator[None]:
    """Root may read every file: be nobody for a moment."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_unreadable_files_and_folders_are_named() -> None:
    with tempfile.TemporaryDirectory() as name:  # not tmp_path, into which only its owner may look
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "locked.png"
        Pillow.fromarray(quarters()).save(path)
        path.chmod(0)
        with no_root(), pytest.raises(BadInput, match=r"no permission to read .*locked\.png"):
            load_picture(path)
        folder.chmod(0)
        with no_root():
            with pytest.raises(BadInput, match="no permission to look at"):
                load_picture(path)
            with pytest.raises(BadInput, match="cannot list the folder"):
                pictures_in(folder)
        folder.chmod(0o755)


def test_32_bit_pictures_are_refused(tmp_path: Path) -> None:
    for name, values in (("f.tif", np.zeros((20, 20), np.float32)), ("i.tif", np.zeros((20, 20), np.int32))):
        Pillow.fromarray(values).save(tmp_path / name)
        with pytest.raises(BadInput, match="32 bits a channel"):
            load_picture(tmp_path / name)


def test_pictures_in_a_folder_are_sorted_and_only_pictures(tmp_path: Path) -> None:
    for name in ("b.PNG", "a.jpg", "c10.webp", "c9.webp", ".hidden.jpg", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder.jpg").mkdir()
    assert [path.name for path in pictures_in(tmp_path)] == ["a.jpg", "b.PNG", "c10.webp", "c9.webp"]


def test_expand_keeps_the_order_given_and_reports_empty_folders(tmp_path: Path) -> None:
    full, empty = tmp_path / "full", tmp_path / "empty"
    full.mkdir()
    empty.mkdir()
    for name in ("2.jpg", "1.jpg"):
        (full / name).write_bytes(b"x")
    loose = tmp_path / "z.jpg"
    entries = expand([loose, full, empty, loose])
    assert [path for path, _ in entries] == [loose, full / "1.jpg", full / "2.jpg", empty, loose]
    assert [error is None for _, error in entries] == [True, True, True, False, True]
    assert "no pictures" in str(entries[3][1])
