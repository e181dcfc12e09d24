"""The command line as a user meets it: help, exit codes, one sentence for each fault, quick start."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import device.cli
from device.cli import COMMANDS, app, exit_code_of, main
from device.errors import EXIT_BAD_INPUT, EXIT_DEVICE, BadInput, DeviceError, DeviceFailed
from scorer.errors import RulesError
from vision.errors import BadImage, VisionError

HEAVY = ("numpy", "cv2", "onnxruntime", "PIL", "pydantic", "sqlite3", "rich", "mujoco", "torch")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The real program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "device", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )


def registered() -> list[str]:
    """The names that the help lists."""
    commands = [info.name for info in app.registered_commands]
    return [
        name for name in commands + [info.name for info in app.registered_groups] if isinstance(name, str)
    ]


def test_every_command_module_is_registered() -> None:
    folder = Path(device.cli.__file__).parent / "commands"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert modules <= set(COMMANDS), "a command module that cli.COMMANDS does not list"
    assert modules == set(registered())
    assert "read" in modules


def every_command() -> list[str]:
    """The words of every command, with the commands inside groups: "read", "games list", ..."""
    program = typer.main.get_command(app)
    found = []
    for name, command in getattr(program, "commands", {}).items():
        found.append(name)
        found += [f"{name} {inner}" for inner in getattr(command, "commands", {})]
    return found


@pytest.mark.parametrize("words", every_command())
def test_every_command_has_help_with_an_example(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words.split(), "--help"]) == 0
    usage, _, rest = capsys.readouterr().out.partition("\n")
    assert usage.startswith(f"Usage: croupier {words}")
    assert f"croupier {words}" in " ".join(rest.split()), "no example"


def test_help_of_the_whole_lists_the_commands_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in registered():
        assert f"  {name} " in shown
    assert "Example: croupier read" in shown


def test_the_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from device.cli import main; code = main(['--help'])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], code, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.stderr.strip() == "[] 0"


def test_python_m_device_is_the_same_program() -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("croupier ")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["raed"], "No such command 'raed'"),
        (["read"], "Missing argument"),
        (["read", "--jason", "x.jpg"], "--jason"),
        (["--nope"], "--nope"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == EXIT_BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert "--help" in err
    assert err.count("\n") == 1


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == EXIT_BAD_INPUT
    out, err = capsys.readouterr()
    assert "Usage: croupier" in out + err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInput("x"), EXIT_BAD_INPUT),
        (DeviceFailed("x"), EXIT_DEVICE),
        (DeviceError("x"), EXIT_DEVICE),
        (VisionError("x"), EXIT_BAD_INPUT),
        (BadImage("x"), EXIT_BAD_INPUT),
        (RulesError("x"), EXIT_BAD_INPUT),
        (ValueError("x"), None),
    ],
)
def test_exit_codes_of_errors(error: Exception, code: int | None) -> None:
    assert exit_code_of(error) == code


class Raising:
    """A command that ends as the test says."""

    def __init__(self, end: BaseException | int | None) -> None:
        self.end = end

    def __call__(self) -> int | None:
        if isinstance(self.end, BaseException):
            raise self.end
        return self.end


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """A program with no commands yet, in place of the real one."""
    program = typer.Typer(add_completion=False, rich_markup_mode=None)
    program.callback()(lambda: None)
    monkeypatch.setattr(device.cli, "app", program)
    return program


@pytest.mark.parametrize(
    ("end", "code", "says"),
    [
        (None, 0, ""),
        (1, 1, ""),
        (typer.Exit(1), 1, ""),
        (
            BadInput("the file x is empty;\n copy it again"),
            2,
            "croupier: the file x is empty; copy it again\n",
        ),
        (RulesError("no such rule"), 2, "croupier: no such rule\n"),
        (DeviceFailed("no camera"), 3, "croupier: no camera\n"),
        (KeyboardInterrupt(), 130, ""),
        (MemoryError(), 3, "out of memory"),
        (OSError(28, "No space left on device", "/x/y"), 3, "'/x/y': No space left on device"),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (ZeroDivisionError("division by zero"), 3, "(ZeroDivisionError: division by zero): please report it"),
    ],
)
def test_how_a_command_can_end(
    ending: typer.Typer,
    end: BaseException | int | None,
    code: int,
    says: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CROUPIER_DEBUG", raising=False)
    ending.command("go")(Raising(end).__call__)
    assert main(["go"]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == (1 if says else 0)
    assert "Traceback" not in err


def test_debug_shows_the_traceback(
    ending: typer.Typer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_DEBUG", "1")
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging.root, "level", logging.root.level)
    ending.command("go")(Raising(ZeroDivisionError("oh")).__call__)
    assert main(["go"]) == EXIT_DEVICE
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "please report it" in err


def test_a_reader_that_stops_reading_is_no_error() -> None:
    program = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\nfrom device.cli import main\nsys.stdin.read()\nsys.exit(main(['--help']))",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    program.stdout.close()  # before the program writes: it waits for the end of its input
    _, err = program.communicate(b"", timeout=300)
    assert program.returncode == 0
    assert err == b""


def test_faults_of_the_real_program_have_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    for arguments, says in (
        (["read", str(tmp_path / "empty.jpg")], "is empty"),
        (["read", str(tmp_path / "missing.jpg")], "there is no file"),
        (["read", str(tmp_path), "--annotate", str(tmp_path / "empty.jpg")], "is a file"),
        (["read"], "Missing argument"),
    ):
        done = run(*arguments)
        assert done.returncode == EXIT_BAD_INPUT
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
        assert "Traceback" not in done.stderr
        assert done.stdout == ""
