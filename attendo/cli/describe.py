"""attendo describe: a model in words, without allocating it."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from attendo.errors import InputError
from attendo.files.tables import read_json
from attendo.model.config import ModelConfig, config_from_dict, config_to_dict
from attendo.model.presets import PRESETS, preset

PRESET_HELP = f"One of {', '.join(PRESETS)}; or a model's folder or configuration, a .json."
LARGEST_FILE = 1_000_000  # bytes; a configuration has a few hundred


def describe(
    name: Annotated[str, typer.Argument(metavar="PRESET", help=PRESET_HELP)],
    vocab: Annotated[int | None, typer.Option("--vocab", help="Vocabulary size; by default the published one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False,
) -> None:
    """Show a model's module tree, shapes and parameters, without allocating its weights."""
    is_file = name.endswith(".json") or "/" in name
    path = Path(name) / "config.json" if is_file and Path(name).is_dir() else Path(name)
    config = read_config(path, vocab) if is_file else preset(name, vocab)

    from attendo.inspection.structure import describe_model  # torch, after the arguments have proved good

    model = describe_model(config)
    if as_json:
        answer = {"name": name, "parameters": model.parameters, "by_part": model.by_part}
        answer |= {"feed_forward_share": model.feed_forward_share, "config": config_to_dict(config)}
        typer.echo(json.dumps(answer, indent=2))
        return
    typer.echo(model.tree)
    typer.echo(f"\n{'part':<14}{'parameters':>16}{'share':>9}")
    for part, count in model.by_part.items():
        if count:
            typer.echo(f"{part.replace('_', '-'):<14}{count:>16,}{count / model.parameters:>9.1%}")
    typer.echo(f"{'in all':<14}{model.parameters:>16,}{1:>9.0%}")


def read_config(path: Path, vocab: int | None) -> ModelConfig:
    """The `model` table of a model folder's config.json, or a file that holds just such a table."""
    table: Any = read_json(path, LARGEST_FILE)
    if isinstance(table, dict) and isinstance(table.get("model"), dict):
        table = table["model"]
    if not isinstance(table, dict):
        raise InputError(f"{path} holds {type(table).__name__}: expected an object with the model's configuration")
    return config_from_dict(table if vocab is None else {**table, "vocab_size": vocab})
