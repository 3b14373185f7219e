"""attendo export: a model in the form of another engine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attendo.cli.help import CHECKS, INPUT_AND_OUTPUT
from attendo.cli.language import tr_of
from attendo.cli.terminal import print_note, print_result
from attendo.errors import InputError, UsageError

if TYPE_CHECKING:
    from attendo.model_folder.bundle import Bundle


def export(
    context: typer.Context,
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A model folder, or the name of an installed model (see attendo models)."),
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What to write; it must not exist yet.")],
    form: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="ct2|hf|argos",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="The form to write: ct2, the files of CTranslate2; hf, a folder for transformers; argos, a package.",
        ),
    ],
    quantization: Annotated[
        str,
        typer.Option(
            "--quantization",
            metavar="int8|float32",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="How weights are stored: int8 is four times smaller and faster, float32 exact. Default: int8.",
        ),
    ] = "int8",
    direction: Annotated[
        str | None,
        typer.Option(
            "--direction",
            metavar="zh-en",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="What an Argos package translates, as it has one direction. Default: the model's first.",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="FILE",
            rich_help_panel=CHECKS,
            help="Translate these sentences, one per line, and tell how far int8 is from float32.",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--check-to",
            metavar="LANGUAGE",
            rich_help_panel=CHECKS,
            help="Language that --check translates into. By default the model's first target language.",
        ),
    ] = None,
) -> None:
    """Write a model in the form of another program: CTranslate2, Hugging Face's transformers, Argos Translate.

    attendo itself needs none of them: attendo translate converts a model on first use, into its cache.

    Examples:
        # For transformers: MarianMTModel, or Pegasus where norms stand before
        attendo export runs/mine/model mine-hf --to hf
        # For Argos Translate and LibreTranslate
        attendo export runs/mine/model mine.argosmodel --to argos --direction zh-en
        # Convert a model that you trained
        attendo export runs/mine/model mine-ct2 --to ct2
        # Convert it, and measure what 8-bit weights change
        attendo export runs/mine/model mine-ct2 --to ct2 --check sentences.txt --check-to en
    """
    if form not in ("ct2", "hf", "argos"):
        raise UsageError(f"--to is '{form}': expected ct2, hf or argos")
    if quantization not in ("int8", "float32"):
        raise UsageError(f"--quantization is '{quantization}': expected int8 or float32")

    from attendo.data.lines import LARGEST_TEST_SET, ignore, read_lines
    from attendo.engines.ct2.conversion import form_of, write_files
    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder, read_bundle

    found = model_folder(model)
    check_apart(reads={"MODEL": found, "--check": check}, writes={"DIR": folder})
    bundle = read_bundle(found)
    if form != "ct2":
        if check:
            raise UsageError("--check is of --to ct2 alone")
        write_other_form(bundle, folder, form, direction)
        return
    form_there = form_of(bundle.config)
    if check and form_there != "translator":
        raise UsageError("--check translates, and this model does not: export it without")
    texts = [line for line in read_lines(check, ignore, LARGEST_TEST_SET) if line.strip()] if check else []
    if check and not texts:
        raise InputError(f"{check} has no sentences")
    try:
        write_files(bundle, folder, "int8" if quantization == "int8" else "float32")
    except FileExistsError as error:
        raise UsageError(f"{folder} is already there") from error
    size = sum(file.stat().st_size for file in folder.iterdir())
    print_result(f"{folder}: {size:,} bytes, {quantization}")
    if form_there == "encoder":
        print_note(
            tr_of(context)(
                "for ctranslate2.Encoder; the head that guesses hidden tokens has no counterpart there",
                "供 ctranslate2.Encoder 使用；预测被遮住的词元的输出头在那里没有对应部分",
            )
        )
    if form_there == "generator":
        tr = tr_of(context)
        print_note(
            tr(
                "for ctranslate2.Generator: tokens are the ids of tokenizer.json as text, a text begins with '1'",
                "供 ctranslate2.Generator 使用：词元是 tokenizer.json 中编号的文字形式，文本以 '1' 开头",
            )
        )
    if texts:
        from attendo.evaluation.export_check import measure_agreement

        to = language or bundle.directions[0][1]
        agreement = measure_agreement(bundle, texts, to, ("float32", "int8"))
        print_result(f"from float32 to int8, into {to}: {agreement}")


def write_other_form(bundle: "Bundle", place: Path, form: str, direction: str | None) -> None:
    """hf or argos."""
    from attendo.exchange.export_argos import export_argos
    from attendo.exchange.export_hugging_face import export_hugging_face

    if direction and form != "argos":
        raise UsageError("--direction is of --to argos alone")
    try:
        if form == "hf":
            export_hugging_face(bundle, place)
        else:
            export_argos(bundle, place, direction)
    except FileExistsError as error:
        raise UsageError(f"{place} is already there") from error
    size = sum(file.stat().st_size for file in place.iterdir()) if place.is_dir() else place.stat().st_size
    print_result(f"{place}: {size:,} bytes, {form}")
