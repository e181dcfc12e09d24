"""`croupier rules`: the rule presets, and what a table's rules come to."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

app = typer.Typer(
    name="rules",
    help="The rule presets and their settings.",
    epilog="Example: croupier rules show tiotusen",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Language(StrEnum):
    """A language of the descriptions."""

    EN = "en"
    SV = "sv"


@app.command("list")
def list_presets(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a preset, one a line.")] = False,
) -> None:
    """List the presets.

    Example: croupier rules list --json
    """
    import json

    from scorer.rules import load_preset, preset_names

    presets = [load_preset(name) for name in preset_names()]
    if as_json:
        for each in presets:
            about = {"preset": each.name, "title": each.title, "about": each.about, "parent": each.parent}
            typer.echo(json.dumps(about, ensure_ascii=False))
        return
    width = max(len(each.name) for each in presets)
    for each in presets:
        typer.echo(f"{each.name:<{width}}  {each.about}")


@app.command("show")
def show_preset(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PRESET", help="A name from `rules list`, or a TOML file.", show_default=False
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="All settings as one JSON object.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Change a rule; may be repeated.", show_default=False
        ),
    ] = None,
    language: Annotated[Language, typer.Option("--language", help="Language of the descriptions.")] = (
        Language.EN
    ),
) -> None:
    """Show every setting of a preset, with what it means.

    Example: croupier rules show tiotusen --set opening=0
    """
    import json

    from device.documents import parse_settings
    from device.presets import find_preset
    from scorer.rules import setting_descriptions

    preset = find_preset(name)
    rules = preset.rules.replace(**parse_settings(settings or ()))
    values = rules.settings()
    if as_json:
        answer = {
            "preset": preset.name,
            "title": preset.title,
            "about": preset.about,
            "parent": preset.parent,
            "settings": values,
        }
        typer.echo(json.dumps(answer, ensure_ascii=False))
        return
    typer.echo(f"{preset.title}: {preset.about}")
    wide = max(map(len, values))
    for setting, value in values.items():
        text = value if isinstance(value, str) else json.dumps(value)
        typer.echo(f"{setting:<{wide}}  {text:<12}  {setting_descriptions()[setting][language.value]}")
