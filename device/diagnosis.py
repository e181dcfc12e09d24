"""The checks of `croupier doctor`: can this machine run Croupier, and if not, what to do about it.

Libraries with compiled code are tried in a process of its own: one that was built for another processor does
not raise an error, it kills its process (illegal instruction).
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from device.errors import DeviceError

CHILD_TIMEOUT_S = 120.0
"""A Raspberry Pi with a slow card needs half a minute for its first import of everything."""
_SUPPORTED = ((3, 11), (3, 13))
_MODEL_FILE = Path("/proc/device-tree/model")
_APT_PACKAGES = "/usr/lib/python3/dist-packages/"
_LIBRARIES = ("numpy", "cv2", "onnxruntime", "PIL", "pydantic")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    """What it is about: one word."""
    ok: bool
    """Whether Croupier can work with it."""
    found: str
    """What was found."""
    advice: str = ""
    """What to do; empty when nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    code: int
    """Its exit code; minus the number of the signal that killed it."""
    output: str
    """Its standard output, without the last line end."""
    error: str
    """The last line of its standard error."""


RunPython = Callable[[str], Ended]
"""Runs a Python program, given as text, in a process of its own."""


def run_python(program: str, *, timeout_s: float = CHILD_TIMEOUT_S) -> Ended:
    """Run a program with this Python in a process of its own; one that takes too long counts as killed."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return Ended(-signal.SIGKILL, "", f"no answer within {timeout_s:.0f} s")
    lines = done.stderr.strip().splitlines()
    return Ended(done.returncode, done.stdout.strip(), lines[-1] if lines else "")


def examine(
    *, run: RunPython = run_python, board: str | None = None, store: Callable[[], Path] | None = None
) -> list[Check]:
    """Make every check; `board` is the model of the computer, `store` gives the folder of the games.

    Their defaults are those of this machine.
    """
    checks = [check_python(), check_bits()]
    libraries = check_libraries(run)
    checks.append(libraries)
    if libraries.ok:  # without them the network cannot load either: one fault, one line
        checks.append(check_weights(run))
        checks.append(check_markers(run))
    checks.append(check_store(store or _store_folder))
    checks.append(check_camera(run, board_model() if board is None else board))
    return checks


def check_python(version: Sequence[int] = tuple(sys.version_info[:3])) -> Check:
    """Is this a Python that Croupier supports?"""
    found = ".".join(str(number) for number in version[:3])
    ok = _SUPPORTED[0] <= tuple(version[:2]) <= _SUPPORTED[1]
    return Check(
        "python", ok, found, "" if ok else "install Python 3.11, 3.12 or 3.13 and run `make install`"
    )


def check_bits(largest: int = sys.maxsize) -> Check:
    """Is it a 64-bit Python? The network runtime is not made for any other."""
    ok = largest > 2**32
    return Check(
        "64-bit",
        ok,
        "64-bit Python" if ok else "32-bit Python",
        "" if ok else "install the 64-bit system (on a Raspberry Pi: Raspberry Pi OS, 64-bit)",
    )


def check_libraries(run: RunPython) -> Check:
    """Do the compiled libraries load?"""
    program = (
        "import importlib\n"
        f"for name in {_LIBRARIES!r}:\n"
        "    print(name, getattr(importlib.import_module(name), '__version__', '?'), flush=True)"
    )
    ended = run(program)
    loaded = ended.output.splitlines()
    if ended.code == 0:
        return Check("libraries", True, ", ".join(loaded))
    culprit = _LIBRARIES[len(loaded)] if len(loaded) < len(_LIBRARIES) else "the last one"
    if ended.code == -signal.SIGILL:
        advice = (
            f"{culprit} was built for a newer processor: install an older {culprit}, or use another machine"
        )
    else:
        advice = "install again: make clean, then make install"
    return Check("libraries", False, f"{culprit} does not load ({_why(ended)})", advice)


def check_weights(run: RunPython) -> Check:
    """Does the network that reads the dice load?"""
    ended = run("from vision.reader import Reader\nReader()\nprint('the network loads')")
    if ended.code == 0:
        return Check("network", True, ended.output)
    return Check(
        "network", False, f"it does not load ({_why(ended)})", "install again: make clean, then make install"
    )


def check_markers(run: RunPython) -> Check:
    """Can this OpenCV find the markers of a mat? Versions before 4.7, such as Debian's own, cannot."""
    ended = run(
        "from calibration.markers import find_markers\nimport numpy\n"
        "find_markers(numpy.zeros((64, 64, 3), numpy.uint8))\nprint('the markers of a mat can be found')"
    )
    if ended.code == 0:
        return Check("mat", True, ended.output)
    return Check(
        "mat",
        False,
        f"OpenCV cannot find markers ({_why(ended)})",
        "install again: make clean, then make install; games without a mat work all the same",
    )


def check_store(folder: Callable[[], Path]) -> Check:
    """Can games be written down?"""
    from device.atomic import check_folder

    try:
        return Check("store", True, f"games are kept in {check_folder(folder())}")
    except DeviceError as error:
        return Check("store", False, str(error), "set CROUPIER_STORE to a folder that you may write to")


def check_camera(run: RunPython, board: str) -> Check:
    """On a Raspberry Pi: is the camera's library there, and is it the one from apt?

    One installed with pip hides apt's and does not fit the camera system underneath.
    """
    if "Raspberry Pi" not in board:
        return Check("camera", True, "no Raspberry Pi, so no Pi camera to check")
    ended = run("import picamera2\nprint(picamera2.__file__)")
    if ended.code == 0 and ended.output.startswith(_APT_PACKAGES):
        return Check("camera", True, f"{board}: picamera2 from apt")
    if ended.code == 0:
        return Check(
            "camera",
            False,
            f"{board}: picamera2 from {ended.output}, which hides the one from apt",
            "pip uninstall picamera2",
        )
    return Check(
        "camera",
        False,
        f"{board}: picamera2 does not load ({_why(ended)})",
        "sudo apt install python3-picamera2, then make clean and make install",
    )


def board_model(file: Path = _MODEL_FILE) -> str:
    """The model of this computer as its firmware names it; empty where it does not."""
    try:
        return file.read_text(errors="replace").strip("\0\n ")
    except OSError:
        return ""


def _store_folder() -> Path:
    from device.store import store_folder

    return store_folder(None)


def _why(ended: Ended) -> str:
    if ended.code < 0:
        reason = f"killed by {signal.Signals(-ended.code).name}"
        return f"{reason}: {ended.error}" if ended.error else reason
    return ended.error or f"exit code {ended.code}"
