"""The command line `croupier`: registers the commands and turns every error into a sentence and an exit code.

Nothing heavy is imported here: a command imports what it needs when it runs, so that `croupier --help`
answers at once, also on a Raspberry Pi.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from device.errors import EXIT_BAD_INPUT, EXIT_DEVICE, EXIT_DONE, DeviceError

COMMANDS = (
    "mat",
    "calibrate",
    "read",
    "watch",
    "score",
    "replay",
    "rules",
    "odds",
    "play",
    "games",
    "display",
    "config",
    "appliance",
    "welcome",
    "demo",
    "simulate",
    "bench",
    "doctor",
)
"""The command modules in `device.commands`, in the order in which the help lists them."""

EXIT_INTERRUPTED = 130
"""What a shell reports for a program that Ctrl-C ended."""

_OWN_CONFIG = "croupier/croupier.toml"
_SYSTEM_CONFIG = "/etc/croupier/croupier.toml"

DEBUG_VARIABLE = "CROUPIER_DEBUG"
"""Set to 1, it shows the traceback of any error and the log of what the program does."""

_BAD_INPUT_ERRORS = (
    ("vision.errors", "VisionError"),
    ("calibration.errors", "CalibrationError"),
    ("scorer.errors", "RulesError"),
)
"""Bases of the errors that the pure packages raise about what they were given."""

_ClickError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)
"""The base of Typer's usage errors. Older Typers take it from the package click, newer ones from a copy
inside Typer, so it is found from the one subclass that both export."""


app = typer.Typer(
    name="croupier",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: half the start-up time, and it reads well in a pipe
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"croupier {version('croupier')}")
        raise typer.Exit


@app.callback(epilog="Example: croupier read photo.jpg   (more in each command: croupier read --help)")
def croupier(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="Configuration of `play` (see: croupier config).",
            show_default=False,
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and stop.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """A camera above the table reads ordinary dice and keeps the score."""
    if context.invoked_subcommand == "play" and "--help" not in (context.obj or ()):
        _configure(context, config)


def _configure(context: typer.Context, named: Path | None) -> None:
    """Let the configuration, where there is one, say what the options of `play` are that nobody gives.

    Raises:
        BadInput: the configuration is wrong.
    """
    own = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), _OWN_CONFIG)
    places = (os.environ.get("CROUPIER_CONFIG", ""), own, _SYSTEM_CONFIG)
    if named is None and not any(map(os.path.exists, places)) and not places[0]:
        return  # and start quickly: most people have none
    from device.config import config_file, load_config, play_options

    path = config_file(named)
    if path is not None:
        options = play_options(load_config(path))
        if any(each.partition("=")[0] == "--dice" for each in (context.obj or ())):
            options.pop("source", None)  # this once without the camera
        context.default_map = {"play": options}


def _register() -> None:
    """Add each command whose module exists: its `app` (a group) or the function named like the module."""
    for name in COMMANDS:
        module_name = f"device.commands.{name}"
        if importlib.util.find_spec(module_name) is None:
            continue
        module = importlib.import_module(module_name)
        group = getattr(module, "app", None)
        if isinstance(group, typer.Typer):
            app.add_typer(group, name=name)
        else:
            app.command(name)(getattr(module, name))


_register()


def exit_code_of(error: BaseException) -> int | None:
    """The exit code of an error that the program raises on purpose, or None for any other.

    The packages of the other errors are looked up among those already imported: an error of a package that
    was never imported cannot have been raised, and importing it only to ask would cost start-up time.
    """
    if isinstance(error, DeviceError):
        return error.exit_code
    for module_name, class_name in _BAD_INPUT_ERRORS:
        base = getattr(sys.modules.get(module_name), class_name, None)
        if base is not None and isinstance(error, base):
            return EXIT_BAD_INPUT
    return None


def _say(sentence: str) -> None:
    typer.echo(f"croupier: {sentence}", err=True)


def _debugging() -> bool:
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def _usage_sentence(error: Exception) -> str:
    """Typer's complaint in one line, with the command whose help answers it."""
    message = " ".join(str(getattr(error, "format_message", error.__str__)()).split())
    if not message:  # no command at all: the help was shown instead
        return ""
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", None) or "croupier"
    return f"{message.rstrip('.')}. Try '{path} --help'."


def _report(error: Exception) -> int:
    """Tell the user about `error` in one sentence on standard error and return the exit code."""
    if _debugging():
        import traceback

        traceback.print_exception(error)
    code = exit_code_of(error)
    if code is not None:
        _say(" ".join(str(error).split()))
        return code
    if isinstance(error, _ClickError):
        if sentence := _usage_sentence(error):
            _say(sentence)
        return EXIT_BAD_INPUT
    fault = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    if isinstance(error, MemoryError):
        _say("out of memory: close other programs, or give it smaller pictures")
    elif isinstance(error, OSError) and error.strerror and error.filename:
        _say(f"the system refused {os.fsdecode(error.filename)!r}: {error.strerror}")
    else:
        _say(
            f"a fault of Croupier itself stopped it ({fault}): please report it, with what "
            f"{DEBUG_VARIABLE}=1 in front of the same command shows"
        )
    return EXIT_DEVICE


def _leave_closed_pipe() -> None:
    """Point standard output elsewhere when its reader has gone, so that the last flush is quiet too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _run(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code, raises whatever went wrong."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("croupier", list(arguments), obj=tuple(arguments)) as context:
            answer = command.invoke(context)
        code = answer if isinstance(answer, int) and not isinstance(answer, bool) else EXIT_DONE
    except typer.Exit as stop:
        code = stop.exit_code
    sys.stdout.flush()
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments` (default: those of the process) and return its exit code.

    0 done, 1 the answer is "no", 2 bad input or usage, 3 a device (or the program itself) failed,
    130 interrupted with Ctrl-C. A reader of standard output that stops reading (`| head`) is no error.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A file name may hold bytes that are no text: show them escaped instead of failing on them.
            stream.reconfigure(errors="backslashreplace")
    if _debugging():
        import logging

        logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s", force=True)
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _leave_closed_pipe()
        return EXIT_DONE
    except Exception as error:
        return _report(error)
