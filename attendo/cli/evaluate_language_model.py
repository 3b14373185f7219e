"""attendo evaluate, of a language model: the perplexity of texts."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from attendo.cli.terminal import print_json, print_note, print_result
from attendo.errors import AttendoError, DataError, UsageError
from attendo.report.language import Language, Tr, in_language
from attendo.report.messages import say

if TYPE_CHECKING:
    from attendo.evaluation.perplexity import Perplexity

LABELS = 28  # columns
MOST_PROBLEMS = 3  # told one by one


def is_text_model(model: str) -> bool:
    """Whether it was trained on plain text; a model that cannot be read is reported when it is loaded."""
    from attendo.model_folder.bundle import model_folder, read_bundle

    try:
        return not read_bundle(model_folder(model)).directions
    except AttendoError:
        return False


def refuse_options_of_translators(typed: Mapping[str, Any], model: str) -> None:
    for option, value in typed.items():
        if value is not None and value is not False:
            raise UsageError(f"{option} is for models that translate: {model} is a language model")


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
    refuse_options_of_translators(of_translators, model)

    from rich.console import Console

    from attendo.evaluation.perplexity import measure_texts
    from attendo.generation.load import load_language_model

    tr = in_language(language)
    texts = {file: read_texts(file, column, language) for file in files}  # what cannot be read is told at once
    loaded = load_language_model(model, engine=cast(Any, engine), device=device, threads=threads)
    found = []
    with Console(stderr=True).status(tr("measuring", "正在测量")) as status:
        for file, lines in texts.items():

            def show(done: int, file: Path = file, total: int = len(lines)) -> None:
                status.update(tr(f"{file}: {done:,} of {total:,} lines", f"{file}：{total:,} 行中的 {done:,} 行"))

            try:
                found.append((file, measure_texts(loaded, lines, show)))
            except DataError as error:
                raise DataError(f"{file}: {error}") from error
    if as_json:
        shared = {"model": model, "engine": loaded.engine.name, "column": column}
        print_json([{"text": str(file)} | shared | one.to_dict() for file, one in found])
        return
    for file, one in found:
        print_result("\n".join(lines_of(str(file), one, loaded.engine.name, tr)))


def read_texts(file: Path, column: int | None, language: Language) -> list[str]:
    """All lines; the first few that are broken are told, and where nothing else is there the first is the error."""
    from attendo.data.corpus import TextFile
    from attendo.data.lines import Problem

    problems: list[Problem] = []
    texts = [pair.target for pair in TextFile(file, column).pairs(problems.append)]
    if problems and not any(text.strip() for text in texts):
        raise DataError(str(problems[0]))
    for problem in problems[:MOST_PROBLEMS]:
        print_note(f"attendo: {say(str(problem), language)}")
    if len(problems) > MOST_PROBLEMS:
        more = len(problems) - MOST_PROBLEMS
        tr = in_language(language)
        print_note(f"attendo: {tr(f'{more:,} more broken lines', f'还有 {more:,} 行有问题')}")
    return texts


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
