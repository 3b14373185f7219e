"""attendo export: a model in the form of another engine."""

from pathlib import Path
from typing import Annotated

import typer

from attendo.errors import InputError, UsageError


def export(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model folder, or a name (`attendo models`).")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; it must not be there yet.")],
    form: Annotated[str, typer.Option("--to", metavar="ct2", help="The engine: ct2, CTranslate2.")],
    quantization: Annotated[str, typer.Option(metavar="int8|float32", help="What numbers become.")] = "int8",
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Sentences, a line each: tell how far their translations move."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--check-to", metavar="LANGUAGE", help="Into which language --check translates.")
    ] = None,
) -> None:
    """Write the files of the fast engine. `attendo translate` does it by itself, into its cache."""
    if form != "ct2":
        raise UsageError(f"--to is '{form}': expected ct2")
    if quantization not in ("int8", "float32"):
        raise UsageError(f"--quantization is '{quantization}': expected int8 or float32")

    from attendo.data.lines import ignore, read_lines
    from attendo.engines.ct2.engine import write_files
    from attendo.model_folder.bundle import model_folder, read_bundle

    bundle = read_bundle(model_folder(model))
    texts = [line for line in read_lines(check, ignore) if line.strip()] if check else []
    if check and not texts:
        raise InputError(f"{check} has no sentences")
    try:
        write_files(bundle, folder, "int8" if quantization == "int8" else "float32")
    except FileExistsError as error:
        raise UsageError(f"{folder} is already there") from error
    size = sum(file.stat().st_size for file in folder.iterdir())
    typer.echo(f"{folder}: {size:,} bytes, {quantization}")
    if texts:
        from attendo.evaluation.export_check import measure_agreement

        to = language or bundle.directions[0][1]
        agreement = measure_agreement(bundle, texts, to, ("float32", "int8"))
        typer.echo(f"from float32 to int8, into {to}: {agreement}")
