"""`croupier doctor`: can this machine run Croupier?"""

from __future__ import annotations

from typing import Annotated

import typer


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a check, one a line.")] = False,
) -> None:
    """Check that everything Croupier needs works on this machine.

    Says for each fault what to do about it. Ends with exit code 1 if a check failed.

    Example: croupier doctor
    """
    import json
    from dataclasses import asdict

    from device.diagnosis import examine
    from device.errors import EXIT_NO

    checks = examine()
    for check in checks:
        if as_json:
            typer.echo(json.dumps(asdict(check)))
            continue
        typer.echo(f"{'ok   ' if check.ok else 'FAULT'}  {check.name:<10} {check.found}")
        if check.advice:
            typer.echo(f"       {'':<10} do this: {check.advice}")
    if not all(check.ok for check in checks):
        raise typer.Exit(EXIT_NO)
