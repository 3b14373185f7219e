"""attendo models: those that came with the package."""

import json
from typing import Annotated, Any

import typer


def models(
    as_json: Annotated[bool, typer.Option("--json", help="A list with an object for each model.")] = False,
) -> None:
    """What is installed: models that --model knows by name."""
    from attendo.model_folder.bundle import DEFAULT, licence_of, read_bundle, shipped_models

    tables: list[dict[str, Any]] = []
    lines = []
    for folder in shipped_models():
        bundle, licence = read_bundle(folder), licence_of(folder)
        size = bundle.weights.stat().st_size
        arrows = ", ".join(" → ".join(direction) for direction in bundle.directions)
        lines.append(f"{folder.name}: {arrows}; {size / 1e6:.1f} MB; {licence}\n    {folder}")
        tables.append(
            {
                "name": folder.name,
                "default": folder.name == DEFAULT,
                "directions": ["-".join(direction) for direction in bundle.directions],
                "bytes": size,
                "licence": licence,
                "folder": str(folder),
            }
        )
    if as_json:
        typer.echo(json.dumps(tables, ensure_ascii=False, indent=2).encode())
        return
    for line in lines:
        typer.echo(line)
    if not lines:
        typer.echo("no model came with this installation; attendo train makes one", err=True)
