"""`croupier doctor`: every check can pass and fail, and a library that kills its process is survived."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

import device.diagnosis
from device.cli import main
from device.diagnosis import (
    Check,
    Ended,
    RunPython,
    board_model,
    check_bits,
    check_camera,
    check_libraries,
    check_markers,
    check_python,
    check_store,
    check_weights,
    examine,
    run_python,
)


def ending(code: int, output: str = "", error: str = "") -> RunPython:
    """Every process ends in this way."""
    return lambda _: Ended(code, output, error)


@pytest.mark.parametrize(
    ("version", "ok"),
    [((3, 10, 9), False), ((3, 11, 0), True), ((3, 13, 5), True), ((3, 14, 0), False), ((2, 7, 18), False)],
)
def test_python(version: tuple[int, int, int], ok: bool) -> None:
    check = check_python(version)
    assert (check.ok, check.found) == (ok, ".".join(map(str, version)))
    assert bool(check.advice) is not ok


def test_bits() -> None:
    assert check_bits(2**63 - 1).ok
    assert not check_bits(2**31 - 1).ok


def test_the_libraries_of_this_machine_load() -> None:
    check = check_libraries(run_python)
    assert check.ok
    assert "onnxruntime 1." in check.found


def test_a_library_for_another_processor_is_named() -> None:
    check = check_libraries(ending(-signal.SIGILL, "numpy 2.0\ncv2 5.0"))
    assert not check.ok
    assert check.found == "onnxruntime does not load (killed by SIGILL)"
    assert "older onnxruntime" in check.advice


def test_a_missing_library_is_named() -> None:
    check = check_libraries(ending(1, "numpy 2.0", "ModuleNotFoundError: No module named 'cv2'"))
    assert check.found == "cv2 does not load (ModuleNotFoundError: No module named 'cv2')"
    assert "make install" in check.advice


def test_processes_that_die_or_hang_are_survived() -> None:
    assert run_python("import os; os.kill(os.getpid(), 4)") == Ended(-4, "", "")
    assert run_python("import sys; print('a'); sys.exit('b\\nc')") == Ended(1, "a", "c")
    hung = run_python(
        "import sys; sys.stdin.read(); import threading; threading.Event().wait()", timeout_s=0.5
    )
    assert hung.code == -signal.SIGKILL
    assert "0 s" in hung.error


def test_markers_of_a_mat() -> None:
    assert check_markers(run_python).ok
    old = check_markers(ending(1, "", "AttributeError: no attribute 'ArucoDetector'"))
    assert not old.ok
    assert "ArucoDetector" in old.found


def test_weights() -> None:
    assert check_weights(ending(0, "the network loads")).ok
    bad = check_weights(ending(1, "", "vision.errors.WeightsMissing: no network"))
    assert not bad.ok
    assert "no network" in bad.found


def test_store(tmp_path: Path) -> None:
    assert check_store(lambda: tmp_path / "new").ok
    (tmp_path / "file").touch()
    bad = check_store(lambda: tmp_path / "file")
    assert not bad.ok
    assert "CROUPIER_STORE" in bad.advice
    assert [path.name for path in (tmp_path / "new").iterdir()] == []


@pytest.mark.parametrize(
    ("board", "ended", "ok", "says"),
    [
        ("", Ended(1, "", ""), True, "no Raspberry Pi"),
        (
            "Raspberry Pi 5 Model B",
            Ended(0, "/usr/lib/python3/dist-packages/picamera2/__init__.py", ""),
            True,
            "from apt",
        ),
        (
            "Raspberry Pi 4",
            Ended(0, "/home/x/.venv/lib/picamera2/__init__.py", ""),
            False,
            "hides the one from apt",
        ),
        ("Raspberry Pi 4", Ended(1, "", "ModuleNotFoundError: picamera2"), False, "ModuleNotFoundError"),
    ],
)
def test_camera(board: str, ended: Ended, ok: bool, says: str) -> None:
    check = check_camera(lambda _: ended, board)
    assert check.ok is ok
    assert says in check.found
    assert bool(check.advice) is not ok


def test_board_model(tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"Raspberry Pi 5 Model B Rev 1.0\0")
    assert board_model(tmp_path / "model") == "Raspberry Pi 5 Model B Rev 1.0"
    assert board_model(tmp_path / "none") == ""


def test_a_network_is_not_tried_without_its_libraries(tmp_path: Path) -> None:
    names = [check.name for check in examine(run=ending(1), board="", store=lambda: tmp_path)]
    assert names == ["python", "64-bit", "libraries", "store", "camera"]
    names = [check.name for check in examine(run=ending(0), board="", store=lambda: tmp_path)]
    assert names == ["python", "64-bit", "libraries", "network", "mat", "store", "camera"]


@pytest.mark.parametrize("ok", [True, False])
def test_the_command(ok: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    checks = [Check("python", True, "3.12.1"), Check("store", ok, "found", "" if ok else "mend it")]
    monkeypatch.setattr(device.diagnosis, "examine", lambda: checks)
    assert main(["doctor"]) == (0 if ok else 1)
    shown = capsys.readouterr().out
    assert "ok     python     3.12.1\n" in shown
    assert ("do this: mend it" in shown) is not ok
    assert main(["doctor", "--json"]) == (0 if ok else 1)
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first == {"name": "python", "ok": True, "found": "3.12.1", "advice": ""}
    assert second["ok"] is ok
