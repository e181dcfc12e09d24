"""The package for a Raspberry Pi: units, permissions and scripts hold together; `croupier welcome`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

from device.cli import main

PACKAGING = Path(__file__).parents[2] / "packaging"
UNITS = sorted((PACKAGING / "systemd").glob("*.service"))
SCRIPTS = [PACKAGING / "deb.sh", *(PACKAGING / "debian" / each for each in ("postinst", "prerm", "postrm"))]


def unit(name: str) -> RawConfigParser:
    parsed = RawConfigParser(strict=False, delimiters=("=",))
    parsed.optionxform = str  # type: ignore[assignment,method-assign]  # names of units keep their capitals
    parsed.read_string((PACKAGING / "systemd" / name).read_text(encoding="utf-8"))
    return parsed


def test_the_service_runs_the_appliance_as_its_own_user_and_waits_for_its_word() -> None:
    service = unit("croupier.service")["Service"]
    assert service["ExecStart"].endswith("croupier appliance --file /etc/croupier/croupier.toml")
    assert (service["Type"], service["Restart"], service["User"]) == ("notify", "always", "croupier")
    assert service["ProtectSystem"] == "strict"
    assert service["StateDirectory"] == "croupier"


def test_a_mistake_in_the_configuration_is_not_tried_for_ever() -> None:
    from device.errors import EXIT_BAD_INPUT

    assert unit("croupier.service")["Service"]["RestartPreventExitStatus"] == str(EXIT_BAD_INPUT)


def test_the_user_of_the_service_has_the_groups_of_the_devices() -> None:
    sysusers = (PACKAGING / "debian" / "croupier.sysusers").read_text(encoding="utf-8")
    members = set(re.findall(r"^m croupier (\w+)$", sysusers, re.MULTILINE))
    assert members == {"video", "render", "input", "audio", "gpio", "spi", "i2c"}
    rules = (PACKAGING / "debian" / "60-croupier.rules").read_text(encoding="utf-8")
    assert set(re.findall(r'GROUP="(\w+)"', rules)) <= members
    postinst = (PACKAGING / "debian" / "postinst").read_text(encoding="utf-8")
    (groups,) = re.findall(r"for group in (.*); do", postinst)
    assert set(groups.split()) == members


def test_the_package_depends_on_what_the_program_depends_on() -> None:
    """Every library of the core install comes from the system, under its name there."""
    import tomllib

    project = tomllib.loads((PACKAGING.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    control = (PACKAGING / "debian" / "control.in").read_text(encoding="utf-8")
    there = {"opencv-python-headless": "opencv", "opencv-python": "opencv", "pillow": "pil"}
    for each in project["dependencies"]:
        name = re.split(r"[<>=!~ ;\[]", each, maxsplit=1)[0].lower()
        assert f"python3-{there.get(name, name)}" in control, each


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda each: each.name)
def test_scripts_are_shell(script: Path) -> None:
    done = subprocess.run(["sh", "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_service_is_closed() -> None:
    """systemd's own scale from 0 (closed) to 10; 3 is what a service at home should stay under."""
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", str(PACKAGING / "systemd" / "croupier.service")],
        capture_output=True,
        text=True,
        check=False,
    )
    (exposure,) = re.findall(r"exposure level for croupier\.service: ([\d.]+)", done.stdout)
    assert float(exposure) < 3


def test_welcome_tells_what_to_do_next(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["welcome", "--json", "--port", "8123"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert re.fullmatch(r"http://[^/]+:8123", told["address"])
    assert main(["welcome", "--port", "8123"]) == 0
    text = capfd.readouterr().out
    assert told["address"] in text
    assert told["config"] in text
    assert "croupier doctor" in text
