"""The mat: millimetres on paper, its layout, its code, and that nothing on it looks like a die."""

from __future__ import annotations

import itertools

import numpy as np
import pypdfium2
import pytest

from calibration.errors import BadMat
from calibration.layout import lay_out
from calibration.markers import find_markers
from calibration.mat import COLOURS, GROUNDS, MatStyle, mat_as_text, mat_from_json, mat_pdf
from calibration.matcode import SIZES_MM, MatKind, kind_of, marker_ids
from calibration.polygon import holds
from tests.calibration.prints import A3, printed, sheet
from vision.reader import Reader

EVERY_KIND = [
    MatKind(*size, lanes, tray, bank)
    for size in [*SIZES_MM.values(), *((h, w) for w, h in SIZES_MM.values())]
    for lanes in range(9)
    for tray in (False, True)
    for bank in (False, True)
]


def test_every_standard_mat_tells_its_kind_by_its_markers() -> None:
    codes = {marker_ids(kind): kind for kind in EVERY_KIND}
    assert len(codes) == len(EVERY_KIND) == 360
    for ids, kind in codes.items():
        assert kind_of(ids) == kind
        assert [ident % 4 for ident in ids] == [0, 1, 2, 3]
        assert max(ids) < 50


def test_one_misread_marker_never_makes_another_mat() -> None:
    for kind in EVERY_KIND[::7]:
        ids = marker_ids(kind)
        for place, digit in itertools.product(range(4), range(12)):
            wrong = [*ids]
            wrong[place] = 4 * digit + place
            if tuple(wrong) != ids:
                assert kind_of((wrong[0], wrong[1], wrong[2], wrong[3])) is None


def test_mats_of_other_sizes_have_the_markers_0_to_3() -> None:
    assert marker_ids(MatKind(600, 400, 2, True, False)) == (0, 1, 2, 3)
    assert kind_of((0, 1, 2, 3)) is None
    assert kind_of((1, 0, 2, 3)) is None
    ids = [ident for ident, _ in lay_out(A3, marker_mm=40).markers.corners_mm]
    assert ids == [0, 1, 2, 3]


def test_the_layout_of_a_printed_mat_never_changes() -> None:
    layout = lay_out(MatKind(594.0, 420.0, 4, True, True))
    assert layout.markers.corners_mm[0] == (6, ((548, 374), (586, 374), (586, 412), (548, 412)))
    assert marker_ids(MatKind(594.0, 420.0, 4, True, True)) == (8, 45, 6, 35)
    first, tray = layout.zones[:2]
    assert (first.lane, tray.kind, len(layout.zones)) == ("1", "tray", 9)
    assert np.array(first.polygon_mm) == pytest.approx(
        np.array([[53.333, 212.5], [294.5, 212.5], [294.5, 363.11], [53.333, 363.11]]), abs=0.001
    )


@pytest.mark.parametrize("kind", EVERY_KIND[::11])
def test_zones_lie_on_the_mat_and_apart(kind: MatKind) -> None:
    try:
        layout = lay_out(kind)
    except BadMat:
        assert kind.lanes >= 5
        return
    places = [zone.polygon_mm for zone in layout.zones]
    places += [corners for _, corners in layout.markers.corners_mm]
    for corners in places:
        assert all(5 <= x <= kind.width_mm - 5 and 5 <= y <= kind.height_mm - 5 for x, y in corners)
    for one, other in itertools.permutations(places, 2):
        (x0, y0), _, (x1, y1), _ = one
        grid = [(x0 + (x1 - x0) * i / 8, y0 + (y1 - y0) * j / 8) for i in range(9) for j in range(9)]
        assert not any(holds(other, point) for point in grid)
    rolls = [zone for zone in layout.zones if zone.kind == "roll"]
    assert len(rolls) == max(1, kind.lanes)


def test_the_print_has_the_right_millimetres() -> None:
    layout, paper = sheet()
    assert paper.shape[:2] == (297 * 5, 420 * 5)
    seen = find_markers(paper)
    assert seen.ids == tuple(ident for ident, _ in layout.markers.corners_mm)
    for ident, corners in layout.markers.corners_mm:
        assert (seen.corners_px[ident] + 0.5) / 5 == pytest.approx(np.array(corners), abs=0.08)
    (x, top), (_, low) = layout.ruler
    column = paper[:, round(x * 5) - 8, 0] < 200  # crosses the marks of every 10 mm
    marks = np.flatnonzero(column[1:] & ~column[:-1]) / 5
    inside = marks[(marks > top - 1) & (marks < low + 1)]
    assert len(inside) == 11
    assert np.diff(inside) == pytest.approx(np.full(10, 10.0), abs=0.21)


def test_tiles_together_are_the_mat() -> None:
    layout = lay_out(MatKind(420.0, 297.0, 2, True, True))
    whole = printed(mat_pdf(layout, MatStyle())[0], 4.0)
    pdf, pages = mat_pdf(layout, MatStyle(), paper="a4")
    assert pages == 4
    width, height = 210 * 4, 594  # half of each side, in pixels (297 / 2 = 148.5 mm)
    for page in range(pages):
        tile = printed(pdf, 4.0, page)
        assert tile.shape[:2] == (210 * 4, 297 * 4)
        left, top = (297 * 4 - width) // 2, (210 * 4 - height) // 2
        part = tile[top : top + height, left : left + width].astype(int)
        row, column = divmod(page, 2)
        wanted = whole[row * height : (row + 1) * height, column * width : (column + 1) * width]
        off = np.abs(part - wanted).max(axis=2) > 120
        assert off.mean() < 0.01  # thin lines may fall a pixel aside
        assert (wanted < 100).any()


def test_a_sheet_of_any_size_is_one_page() -> None:
    pdf, pages = mat_pdf(lay_out(MatKind(777.0, 333.0, 3, True, False)), MatStyle())
    assert pages == 1
    document = pypdfium2.PdfDocument(pdf)
    assert document[0].get_size() == pytest.approx((777 * 72 / 25.4, 333 * 72 / 25.4), abs=0.01)
    document.close()
    assert pdf == mat_pdf(lay_out(MatKind(777.0, 333.0, 3, True, False)), MatStyle())[0]


@pytest.mark.parametrize("ground", ["white", "dark"])
def test_the_reader_sees_no_dice_on_an_empty_mat(ground: str) -> None:
    layout = lay_out(MatKind(594.0, 420.0, 4, True, True), ("Bo", "Lilo", "Öisin", "8"))
    paper = printed(mat_pdf(layout, MatStyle(ground=GROUNDS[ground]))[0], 2.0)
    dice = Reader().read(paper, size_px=2 * 16 * 1.25).dice
    # A marker is black with white squares: it may be in doubt, outside all zones, but never a number.
    assert not any(die.sure for die in dice)
    for die in dice:
        point = (die.centre_px[0] / 2, die.centre_px[1] / 2)
        assert not any(holds(zone.polygon_mm, point) for zone in layout.zones)


def test_a_description_comes_back_as_it_was() -> None:
    layout = lay_out(MatKind(600.0, 400.0, 2, True, True), ("Anna", "Åke"))
    again = mat_from_json(mat_as_text(layout), "mat.json")
    assert again.lanes == layout.lanes
    assert [zone.kind for zone in again.zones] == [zone.kind for zone in layout.zones]
    assert again.markers == layout.markers


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "x.json is not valid JSON"),
        ("[]", "x.json describes no mat"),
        ('{"croupier_mat": 2}', "describes no mat"),
        ('{"croupier_mat": 1, "lanes": []}', "x.json: the field zones is missing"),
        ('{"croupier_mat": 1, "lanes": [1]}', "lanes must be a list of names"),
        ('{"croupier_mat": 1, "legs": 4}', "a field legs"),
    ],
)
def test_bad_descriptions(text: str, says: str) -> None:
    with pytest.raises(BadMat, match=says):
        mat_from_json(text, "x.json")


@pytest.mark.parametrize(
    ("kind", "names", "says"),
    [
        (MatKind(100, 100, 0, True, True), (), "its sides must be 140 to 2000 mm"),
        (MatKind(3000, 1000, 0, True, True), (), "its sides must be 140 to 2000 mm"),
        (MatKind(297, 160, 0, True, True), (), "do not fit"),
        (MatKind(420, 297, 9, True, True), (), "1 to 8 lanes"),
        (MatKind(230, 185, 7, True, True), (), "take a larger sheet or fewer lanes"),
        (MatKind(420, 297, 2, True, True), ("A",), "1 names for 2 lanes"),
        (MatKind(420, 297, 2, True, True), ("A", "A"), "not all different"),
    ],
)
def test_mats_that_cannot_be(kind: MatKind, names: tuple[str, ...], says: str) -> None:
    with pytest.raises(BadMat, match=says):
        lay_out(kind, names)


def test_letters_that_cannot_be_printed_and_papers_that_are_none() -> None:
    with pytest.raises(BadMat, match="Latin letters"):
        mat_pdf(lay_out(MatKind(420, 297, 1, True, True), ("Ωmega",)), MatStyle())
    with pytest.raises(BadMat, match="'legal' is not known"):
        mat_pdf(lay_out(A3), MatStyle(), paper="legal")
    assert len(COLOURS) == 8
