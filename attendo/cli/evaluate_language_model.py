"""attendo evaluate, of a language model: the perplexity of texts."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from attendo.cli.terminal import print_json, print_result
from attendo.errors import AttendoError, DataError, UsageError
from attendo.report.language import Language, Tr, in_language

if TYPE_CHECKING:
    from attendo.evaluation.perplexity import Perplexity

LABELS = 28  # columns


def is_text_model(model: str) -> bool:
    """Whether it was trained on plain text; a model that cannot be read is reported when it is loaded."""
    from attendo.model_folder.bundle import model_folder, read_bundle

    try:
        return not read_bundle(model_folder(model)).directions
    except AttendoError:
        return False


def evaluate_language_model(
    model: str,
    files: list[Path],
    column: int | None,
    engine: str,
    device: str,
    threads: int | None,
    of_translators: Mapping[str, Any],
    *,
    as_json: bool,
    language: Language,
) -> None:
    """`of_translators`: options that a language model has no use for, as they were typed."""
    for option, value in of_translators.items():
        if value is not None and value is not False:
            raise UsageError(f"{option} is for models that translate: {model} is a language model")

    from attendo.evaluation.perplexity import measure_texts
    from attendo.generation.load import load_language_model

    loaded = load_language_model(model, engine=cast(Any, engine), device=device, threads=threads)
    found = []
    for file in files:
        try:
            found.append((file, measure_texts(loaded, read_texts(file, column))))
        except DataError as error:
            raise DataError(f"{file}: {error}") from error
    if as_json:
        shared = {"model": model, "engine": loaded.engine.name, "column": column}
        print_json([{"text": str(file)} | shared | one.to_dict() for file, one in found])
        return
    tr = in_language(language)
    for file, one in found:
        print_result("\n".join(lines_of(str(file), one, loaded.engine.name, tr)))


def read_texts(file: Path, column: int | None) -> list[str]:
    from attendo.data.corpus import TextFile
    from attendo.data.lines import ignore

    return [pair.target for pair in TextFile(file, column).pairs(ignore)]


def lines_of(name: str, one: "Perplexity", engine: str, tr: Tr) -> list[str]:
    from attendo.report.columns import padded

    words = "" if one.words is None else tr(f", {one.words:,} words", f"，{one.words:,} 个词")
    rows = [
        (tr("perplexity per token", "每个词元的困惑度"), f"{one.per_token:,.2f}"),
        (tr("perplexity per character", "每个字符的困惑度"), f"{one.per_character:,.2f}"),
        *([(tr("perplexity per word", "每个词的困惑度"), f"{one.per_word:,.2f}")] if one.per_word else []),
        (tr("bits per character", "每个字符的比特数"), f"{one.bits_per_character:.3f}"),
        (tr("tokens per character", "每个字符的词元数"), f"{one.tokens_per_character:.3f}"),
        (tr("tokens that are bytes", "字节词元"), f"{one.byte_share:.2%}"),
        (tr("engine", "引擎"), engine),
    ]
    return [
        tr(
            f"{name}: {one.lines:,} lines, {one.tokens:,} tokens, {one.characters:,} characters{words}, ends of lines "
            f"included",
            f"{name}：{one.lines:,} 行，{one.tokens:,} 个词元，{one.characters:,} 个字符{words}，行尾也计入",
        ),
        *(f"  {padded(label, LABELS)}{value}" for label, value in rows),
    ]
