"""`croupier rules`: the rule presets, and what a table's rules come to."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

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
    typer.echo(f"{preset.title}: {preset.about_in(language.value)}")
    wide = max(map(len, values))
    for setting, value in values.items():
        text = value if isinstance(value, str) else json.dumps(value)
        typer.echo(f"{setting:<{wide}}  {text:<12}  {setting_descriptions()[setting][language.value]}")


@app.command("sheet")
def print_sheet(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PRESET", help="A name from `rules list`, or a TOML file.", show_default=False
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Change a rule; may be repeated.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="A .pdf or .png (default: PRESET-rules.pdf here)."),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", help="The heading instead of the preset's.", show_default=False)
    ] = None,
    language: Annotated[Language, typer.Option("--language", help="Language of the sheet.")] = Language.EN,
    as_json: Annotated[bool, typer.Option("--json", help="Say in JSON which file was written.")] = False,
) -> None:
    """Write the rules on one page to print and pin to the wall.

    Rules that this table plays otherwise (of a house preset, or --set) are marked.

    Example: croupier rules sheet tiotusen --set opening=500 --language sv --out rules.pdf
    """
    import json

    from device.documents import parse_settings
    from device.presets import find_preset, is_house_preset
    from device.rulesheet import Sheet, write_sheet

    preset = find_preset(name)
    rules = preset.rules.replace(**parse_settings(settings or ()))
    house = is_house_preset(name)  # a file of the table's own: what differs from its parent is its own too
    usual = preset.usual if house else preset.rules
    path = out if out is not None else Path(f"{preset.name}-rules.pdf")
    # What a preset says of itself need not hold any more when rules are changed on the command line.
    about = "" if settings else preset.about_in(language.value)
    spoken: Literal["en", "sv"] = "sv" if language is Language.SV else "en"
    write_sheet(Sheet(title or preset.title, about, rules, usual, spoken), path)
    typer.echo(json.dumps({"file": str(path)}) if as_json else f"Wrote {path}")
