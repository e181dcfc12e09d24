"""`croupier calibrate`: profiles from pictures of a printed mat, and from four corners."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.dice_colours import die_colour, distance, owner
from calibration.errors import BadLens, NotFound
from calibration.geometry import TableGeometry
from calibration.lens import board_pdf, known_lens, measure_lens
from calibration.mat import mat_as_text
from calibration.matcode import MatKind
from calibration.profile import CameraId, Lane, load_profile
from calibration.quality import blur_px
from device.calibrating import Calibrated, Glance, Wishes, calibrate_table, look
from device.cameras import Source
from device.cli import main
from device.errors import EXIT_BAD_INPUT
from device.sim import ScriptedReader, scripted_die
from tests.calibration.prints import A3, Picture, photograph, printed, sheet
from tests.calibration.seen import View
from vision.detection import Detection, Reading
from vision.frame import Frame

LANES = MatKind(420.0, 297.0, 2, True, False)
VIEW = View(tilt_deg=12, azimuth_deg=30, distance_mm=640)
WISHES = Wishes(name="table", made="2026-05-01", die_mm=16.0)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """The command, on a picture in a folder of its own, with a reader that sees no dice."""

    class NoDice:
        def read(self, image: object, **how: object) -> Reading:
            return Reading(())

    monkeypatch.setattr("vision.reader.Reader", NoDice)
    monkeypatch.chdir(tmp_path)

    def command(picture: Picture, *arguments: str) -> tuple[int, str, str]:
        cv2.imwrite(str(tmp_path / "table.png"), picture)
        code = main(["calibrate", "table.png", *arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return command


def test_a_mat_tells_everything(run: Run, tmp_path: Path) -> None:
    layout, paper = sheet(LANES)
    code, out, err = run(photograph(paper, VIEW, noise=3), "--json", "--players", "Anna,Ben", "--name", "den")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["error_mm"] < 0.2
    assert {each["what"]: each["ok"] for each in answer["quality"]} == dict.fromkeys(
        ("die", "focus", "glare", "light", "tilt", "view"), True
    )
    profile = load_profile(tmp_path / "table.json")
    assert (profile.name, [lane.name for lane in profile.lanes]) == ("den", ["Anna", "Ben"])
    assert profile.camera == CameraId("file", 1280, 720)
    assert profile.reference is not None
    assert (tmp_path / profile.reference).is_file()
    geometry = TableGeometry(profile)
    corners = np.array([(0.0, 0.0), (420.0, 0.0), (420.0, 297.0), (210.0, 150.0)])
    assert geometry.to_mm(VIEW.pixels(corners)) == pytest.approx(corners, abs=0.3)
    assert np.array(profile.zones[0].polygon_mm) == pytest.approx(
        np.array(layout.zones[0].polygon_mm), abs=0.001
    )


def test_the_picture_shows_the_zones(run: Run, tmp_path: Path) -> None:
    layout, paper = sheet(LANES)
    picture = photograph(paper, VIEW)
    assert run(picture, "--annotate", "seen.png")[0] == 0
    seen = cv2.imread(str(tmp_path / "seen.png"))
    assert seen is not None
    x, y = VIEW.pixels(np.array(layout.zones[0].polygon_mm[:1]))[0]
    near = seen[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].reshape(-1, 3).astype(int)
    assert (near[:, 1] - near[:, 2]).max() > 100  # the green line of a roll zone


def test_people_see_what_to_change(run: Run) -> None:
    _, paper = sheet()
    far = photograph(paper, View(distance_mm=1000, tilt_deg=30), light=(0.16, 0.1))
    code, out, _ = run(far)
    assert code == 0
    assert "BAD   light" in out
    assert "more light" in out
    assert "bring the camera nearer" in out
    assert "The markers agree to" in out
    assert "no proof roll" in out


def test_the_printed_scale_is_corrected(run: Run, tmp_path: Path) -> None:
    _, paper = sheet()
    assert run(photograph(paper, VIEW), "--json", "--ruler-mm", "97")[0] == 0
    geometry = TableGeometry(load_profile(tmp_path / "table.json"))
    assert geometry.to_mm(VIEW.pixels(np.array([[300.0, 200.0]])))[0] == pytest.approx([291, 194], abs=0.2)


def test_a_mat_of_any_size_comes_with_its_description(run: Run, tmp_path: Path) -> None:
    kind = MatKind(400.0, 290.0, 0, True, False)
    layout, paper = sheet(kind)
    picture = photograph(paper, VIEW)
    code, _, err = run(picture)
    assert code == EXIT_BAD_INPUT
    assert "with --mat" in err
    (tmp_path / "mat.json").write_text(mat_as_text(layout), encoding="utf-8")
    assert run(picture, "--mat", "mat.json")[0] == 0


def test_a_picture_upside_down_is_used_and_said(run: Run) -> None:
    _, paper = sheet()
    code, out, _ = run(photograph(paper, View(roll_deg=180)))
    assert code == 0
    assert "upside down" in out


@pytest.mark.parametrize(
    ("change", "arguments", "says"),
    [
        (lambda p: p[:, ::-1], [], "the picture is mirrored"),
        (lambda p: p[::-1], [], "the picture is mirrored"),
        (lambda p: np.full_like(p, 90), [], "no markers of a mat are seen"),
        (
            lambda p: np.where(np.indices(p.shape)[1] > 900, 90, p),
            [],
            "upper right and the lower right markers",
        ),
        (lambda p: p, ["--players", "A,B"], "2 names for 0 lanes"),
        (lambda p: p, ["--mat", "none.json"], "cannot read the mat none.json"),
        (lambda p: p, ["--corners", "1,2 3,4"], "--corners wants four points"),
        (lambda p: p, ["--corners", "1,1 9,1 9,nan 1,9"], "--corners wants four points"),
        (lambda p: p, ["--corners", "0,0 900,700 900,0 0,700"], "crosses itself"),
        (
            lambda p: p,
            ["--corners", "0,0 0,700 900,700 900,0"],
            "the wrong way round|goes round the wrong way",
        ),
        (lambda p: p, ["--corners", "0,0 9000,0 9000,700 0,700"], "a corner outside the picture"),
        (lambda p: p, ["--corners", "0,0 900,0 900,700 0,700"], "no dice are seen"),
        (lambda p: p, ["--width-mm", "400"], "--width-mm belongs to --corners"),
        (lambda p: p, ["--die-mm", "1"], "--die-mm wants 4 to 60"),
        (lambda p: p, ["--ruler-mm", "10"], "--ruler-mm wants"),
        (lambda p: p, ["--lens", "fisheye"], "the lens 'fisheye' is not known"),
        (lambda p: p, ["--out", "nowhere/t.json"], "there is no folder"),
        (lambda p: p, ["--annotate", "seen.txt"], "ends in .png or .jpg"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    run: Run, tmp_path: Path, change: Callable[[Picture], Picture], arguments: list[str], says: str
) -> None:
    _, paper = sheet()
    picture = np.ascontiguousarray(change(photograph(paper, View())).astype(np.uint8))
    code, out, err = run(picture, *arguments)
    assert code == EXIT_BAD_INPUT
    assert out == ""
    assert any(part in err for part in says.split("|"))
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["table.png"]


def boxed(
    view: View, x: float, y: float, value: int, colour: tuple[int, int, int], picture: Picture
) -> Detection:
    """A die of 16 mm, painted flat and seen as a box."""
    corners = view.pixels(np.array([[x - 8, y - 8], [x + 8, y - 8], [x + 8, y + 8], [x - 8, y + 8]]))
    cv2.fillConvexPoly(picture, np.rint(corners).astype(np.int32), colour)
    low, high = corners.min(axis=0), corners.max(axis=0)
    return scripted_die(value, (low[0], low[1], high[0] - low[0], high[1] - low[1]))


def test_the_proof_roll_and_the_colours_of_the_dice() -> None:
    layout, paper = sheet(LANES)
    picture = photograph(paper, View())
    first, second = (np.mean(zone.polygon_mm, axis=0) for zone in layout.zones if zone.kind == "roll")
    dice = (
        boxed(View(), first[0], first[1], 4, (40, 40, 200), picture),
        boxed(View(), first[0] + 30, first[1], 1, (40, 40, 200), picture),
        boxed(View(), second[0], second[1], 6, (60, 160, 60), picture),
        scripted_die(5, (2, 2, 20, 20)),  # outside all zones: none of ours
    )
    glance = Glance(picture, CameraId("file", 1280, 720), look_at(picture).seen)
    result = calibrate_table(glance, WISHES, ScriptedReader([Reading(dice)]))
    assert result.values == [1, 4, 6]
    red, green = (lane.colour for lane in result.profile.lanes)
    assert red is not None
    assert green is not None
    assert red[1] > 40
    assert green[1] < -20
    assert owner(red, result.profile.lanes) == result.profile.lanes[0]


def look_at(picture: Picture) -> Glance:
    from calibration.markers import find_markers

    return Glance(picture, CameraId("file", picture.shape[1], picture.shape[0]), find_markers(picture))


def from_corners(view: View, wishes: Wishes, dice: tuple[Detection, ...] = ()) -> Calibrated:
    picture = np.full((view.height_px, view.width_px, 3), 120, dtype=np.uint8)
    empty = Glance(picture, CameraId("file", view.width_px, view.height_px), look_at(picture).seen)
    return calibrate_table(empty, wishes, ScriptedReader([Reading(dice), Reading(dice)]))


def corners_of(view: View) -> tuple[tuple[float, float], ...]:
    table = np.array([(20.0, 20.0), (400.0, 20.0), (400.0, 277.0), (20.0, 277.0)])
    return tuple((float(x), float(y)) for x, y in view.pixels(table))


@pytest.mark.parametrize("view", [View(), View(tilt_deg=25, azimuth_deg=35, focal_px=1024.0)])
def test_four_corners_and_a_length(view: View) -> None:
    from dataclasses import replace

    wishes = replace(WISHES, corners_px=corners_of(view), width_mm=380.0, lanes=2)
    result = from_corners(view, wishes)
    geometry = TableGeometry(result.profile)
    seen = geometry.to_mm(view.pixels(np.array([[210.0, 148.5], [400.0, 277.0]])))
    assert seen == pytest.approx(np.array([[190.0, 128.5], [380.0, 257.0]]), abs=1.5)
    assert [zone.kind for zone in result.profile.zones] == ["roll", "tray", "roll", "tray"]


def test_four_corners_and_dice() -> None:
    from dataclasses import replace

    view = View(tilt_deg=15, azimuth_deg=60)
    wishes = replace(WISHES, corners_px=corners_of(view), tray=False, lens=view.lens)
    true = TableGeometry(from_corners(view, replace(wishes, width_mm=380.0)).profile)
    dice = []
    for x, y in ((60.0, 60.0), (150.0, 90.0), (250.0, 180.0)):
        side = true.die_px_at((x, y))
        middle = true.pose.project(np.array([[x, y, 8.0]]))[0]
        dice.append(scripted_die(3, (middle[0] - side / 2, middle[1] - side / 2, side, side)))
    result = from_corners(view, wishes, tuple(dice))
    found = TableGeometry(result.profile).to_mm(view.pixels(np.array([[400.0, 277.0]])))[0]
    assert found == pytest.approx([380.0, 257.0], rel=0.01)
    assert "the scale was taken from 3 dice" in result.notes[0]


def test_several_frames_are_looked_at(tmp_path: Path) -> None:
    _, paper = sheet()
    for index in range(4):
        picture = photograph(paper, VIEW, noise=6, seed=index)
        if index == 3:
            picture[:, 640:] = 90  # a hand over two markers, in the last frame
        cv2.imwrite(str(tmp_path / f"{index}.png"), picture)
    glance = look(str(tmp_path), WISHES, told=lambda line: None)
    assert len(glance.seen.corners_px) == 4
    cv2.imwrite(str(tmp_path / "4.png"), np.zeros((480, 640, 3), np.uint8))
    with pytest.raises(Exception, match=r"640x480|size"):
        look(str(tmp_path), WISHES, told=lambda line: None)


def test_a_lens_is_measured_with_the_board() -> None:
    board = printed(board_pdf())
    rng = np.random.default_rng(1)
    bend = (-0.2, 0.05, 0.001, -0.001, 0.0)
    pictures = []
    for _ in range(7):
        tilt, azimuth, far = rng.uniform(10, 35), rng.uniform(0, 360), rng.uniform(260, 380)
        place = (148 + rng.uniform(-50, 50), 105 + rng.uniform(-35, 35))
        view = View(640, 360, 500.0, far, tilt, azimuth, middle_mm=place, distortion=bend)
        pictures.append(photograph(board, view, noise=2))
    found = measure_lens(pictures)
    assert found.lens.matrix[0][0] == pytest.approx(500.0, rel=0.01)
    assert found.lens.distortion[0] == pytest.approx(-0.2, abs=0.03)
    assert found.error_px < 0.3
    with pytest.raises(BadLens, match="seen well in 1 of 2 pictures"):
        measure_lens([pictures[0], np.zeros_like(pictures[0])])
    assert known_lens("camera-module-3", 1280, 720).matrix[0][0] == pytest.approx(985.5, abs=1)


def test_blur_is_measured_in_pixels() -> None:
    _, paper = sheet(A3)
    widths = []
    for sigma in (0.6, 1.5, 2.5, 4.0):
        picture = photograph(paper, View(), blur_px=sigma, noise=2)
        widths.append(blur_px(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)))
    assert widths == sorted(widths)
    assert widths[0] < 2.6
    assert widths[2] == pytest.approx(2.5 * 2.5, rel=0.25)
    assert blur_px(np.full((50, 50), 7, np.uint8)) == float("inf")


def test_colours_near_each_other_are_told_apart_or_not_at_all() -> None:
    lanes = (Lane("A", (50.0, 60.0, 40.0)), Lane("B", (50.0, 55.0, 42.0)), Lane("C", (30.0, 10.0, -50.0)))
    assert owner((31.0, 11.0, -49.0), lanes) == lanes[2]
    assert owner((50.0, 57.0, 41.0), lanes) is None
    assert owner((90.0, 0.0, 0.0), lanes) is None
    assert distance((50, 0, 0), (60, 0, 0)) == 5
    assert die_colour(np.zeros((9, 9, 3), np.uint8), (0, 0, 4, 4)) is None


def test_a_lens_for_other_pictures() -> None:
    from dataclasses import replace

    _, paper = sheet()
    glance = look_at(photograph(paper, View()))
    with pytest.raises(BadLens, match="does not fit pictures of 1280x720"):
        calibrate_table(
            glance, replace(WISHES, lens=View(640, 480, 500.0).lens), ScriptedReader([Reading(())])
        )


def test_a_bent_lens_or_a_mat_glued_askew_is_said() -> None:
    _, paper = sheet()
    bent = look_at(
        photograph(paper, View(640, 360, 500.0, distance_mm=560, distortion=(-0.2, 0.05, 0, 0, 0)))
    )
    assert "--charuco" in calibrate_table(bent, WISHES, ScriptedReader([Reading(())])).notes[0]
    askew = paper.copy()
    askew[:, 1050:] = np.roll(paper[:, 1050:], 200, axis=1)  # the right half lies 40 mm too far right
    with pytest.raises(NotFound, match="mm from where this mat has them"):
        calibrate_table(look_at(photograph(askew, View())), WISHES, ScriptedReader([]))


def test_a_live_camera_is_told_what_to_change_until_it_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    _, paper = sheet()
    dark, good = photograph(paper, VIEW, light=(0.1, 0.1)), photograph(paper, VIEW)
    covered = good.copy()
    covered[:, 640:] = 90

    class Live(Source):
        name = "usb:0"
        live = True

        def __iter__(self) -> Iterator[Frame]:
            for index in range(60):
                picture = covered if index < 12 else dark if index < 24 else good
                yield Frame(picture.copy(), index * 100_000_000, index)

        def close(self) -> None:
            pass

    monkeypatch.setattr("device.cameras.open_source", lambda text: Live())
    told: list[str] = []
    glance = look("usb:0", WISHES, told=told.append)
    assert glance.camera == CameraId("usb:0", 1280, 720)
    assert len(glance.seen.corners_px) == 4
    assert "markers are not seen" in told[0]
    assert "more light" in told[1]
    assert len(told) == 2
