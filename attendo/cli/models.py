"""attendo models: those that came with the package."""

import json
from typing import Annotated, Any

import typer


def models(
    as_json: Annotated[bool, typer.Option("--json", help="A list with an object for each model.")] = False,
) -> None:
    """What is installed: models that --model knows by name."""
    from attendo.bundle import read_bundle
    from attendo.installed import DEFAULT, licence_of, shipped_models

    tables: list[dict[str, Any]] = []
    for folder in shipped_models():
        bundle = read_bundle(folder)
        tables.append(
            {
                "name": folder.name,
                "default": folder.name == DEFAULT,
                "directions": ["-".join(direction) for direction in bundle.directions],
                "bytes": bundle.weights.stat().st_size,
                "licence": licence_of(folder),
                "folder": str(folder),
            }
        )
    if as_json:
        typer.echo(json.dumps(tables, ensure_ascii=False, indent=2).encode())
        return
    for table in tables:
        arrows = ", ".join(direction.replace("-", " → ") for direction in table["directions"])
        size = f"{table['bytes'] / 1e6:.1f} MB"
        typer.echo(f"{table['name']}: {arrows}; {size}; {table['licence']}\n    {table['folder']}")
    if not tables:
        typer.echo("no model came with this installation; attendo train makes one", err=True)
