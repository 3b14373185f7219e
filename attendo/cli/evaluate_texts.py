"""attendo evaluate, of models that translate nothing: the perplexity of texts, or how many hidden tokens they guess."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from attendo.cli.terminal import print_json, print_note, print_result
from attendo.errors import AttendoError, DataError, UsageError
from attendo.report.language import Language, Tr, in_language
from attendo.report.messages import say

if TYPE_CHECKING:
    from attendo.evaluation.masked import MaskedScores
    from attendo.evaluation.perplexity import Perplexity

MOST_PROBLEMS = 3  # told one by one
PERPLEXITY_LABELS, MASKED_LABELS = 28, 34  # columns

Kind = Literal["language model", "encoder-only model"]
Show = Callable[[int, int], None]  # of a file: how much is measured, and how much there is
Measure = Callable[[list[str], Show], Any]


def kind_of(model: str) -> Kind | None:
    """None of a translator, and of a model that cannot be read: that is reported when it is loaded."""
    from attendo.model.config import EncoderOnlyConfig
    from attendo.model_folder.bundle import model_folder, read_bundle

    try:
        bundle = read_bundle(model_folder(model))
    except AttendoError:
        return None
    if isinstance(bundle.config, EncoderOnlyConfig):
        return "encoder-only model"
    return None if bundle.directions else "language model"


def refuse_options_of_translators(typed: Mapping[str, Any], model: str, kind: Kind) -> None:
    """Options that such a model has no use for, as they were typed."""
    article = "an" if kind == "encoder-only model" else "a"
    for option, value in typed.items():
        if value is not None and value is not False:
            raise UsageError(f"{option} is for models that translate: {model} is {article} {kind}")


def evaluate_texts(
    kind: Kind,
    model: str,
    files: list[Path],
    column: int | None,
    engine: str,
    device: str,
    threads: int | None,
    *,
    as_json: bool,
    language: Language,
) -> None:
    from rich.console import Console

    tr = in_language(language)
    texts = {file: read_texts(file, column, language) for file in files}  # what cannot be read is told at once
    opened = open_encoder if kind == "encoder-only model" else open_language_model
    name_of_engine, measure = opened(model, engine, device, threads)
    found = []
    with Console(stderr=True).status(tr("measuring", "正在测量")) as status:
        for file, lines in texts.items():

            def show(done: int, total: int, file: Path = file) -> None:
                if kind == "language model":
                    status.update(tr(f"{file}: {done:,} of {total:,} lines", f"{file}：{total:,} 行中的 {done:,} 行"))
                else:
                    status.update(tr(f"{file}: {done:,} of {total:,} passes", f"{file}：已读 {done:,} / {total:,} 遍"))

            try:
                found.append((file, measure(lines, show)))
            except DataError as error:
                raise DataError(f"{file}: {error}") from error
    if as_json:
        shared = {"model": model, "engine": name_of_engine, "column": column}
        print_json([{"text": str(file)} | shared | one.to_dict() for file, one in found])
        return
    lines_of = masked_lines if kind == "encoder-only model" else perplexity_lines
    for file, one in found:
        print_result("\n".join(lines_of(str(file), one, name_of_engine, tr)))


def open_language_model(model: str, engine: str, device: str, threads: int | None) -> tuple[str, Measure]:
    from attendo.evaluation.perplexity import measure_texts
    from attendo.generation.load import load_language_model

    loaded = load_language_model(model, engine=cast(Any, engine), device=device, threads=threads)

    def measure(lines: list[str], show: Show) -> "Perplexity":
        return measure_texts(loaded, lines, lambda done: show(done, len(lines)))

    return loaded.engine.name, measure


def open_encoder(model: str, engine: str, device: str, threads: int | None) -> tuple[str, Measure]:
    from attendo.evaluation.masked import measure_masked
    from attendo.reading.load import load_encoder, open_bundle

    loaded = load_encoder(open_bundle(model), engine=engine, device=device, threads=threads)

    def measure(lines: list[str], show: Show) -> "MaskedScores":
        return measure_masked(loaded.tokenizer, loaded.engine, lines, show)

    return loaded.engine.name, measure


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


def perplexity_lines(name: str, one: "Perplexity", engine: str, tr: Tr) -> list[str]:
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
        *(f"  {padded(label, PERPLEXITY_LABELS)}{value}" for label, value in rows),
    ]


def masked_lines(name: str, one: "MaskedScores", engine: str, tr: Tr) -> list[str]:
    from attendo.evaluation.masked import SEED, SHARE
    from attendo.report.columns import padded

    times = "–" if one.times is None else f"{one.times:.1f}"
    alone = f"{one.lines_alone:,}"
    rows = [
        (
            tr("hidden tokens", "遮住的词元"),
            tr(
                f"{one.hidden:,} ({SHARE:.0%} of each line, at least one; seed {SEED})",
                f"{one.hidden:,}（每行的 {SHARE:.0%}，至少一个；随机种子 {SEED}）",
            ),
        ),
        (tr("guessed at once", "首选即正确"), f"{one.accuracy:.1%}"),
        (tr("among the five likeliest", "在前五个候选中"), f"{one.among_likeliest / one.hidden:.1%}"),
        (
            tr(f"the most frequent token, {one.frequent}", f"最常见的词元 {one.frequent}"),
            f"{one.frequent_accuracy:.1%}",
        ),
        (tr("times as many as by that", "是它的多少倍"), times),
        (tr("loss of hidden tokens", "遮住词元的损失"), f"{-one.log_prob / one.hidden:.3f}"),
        (
            tr("pseudo-perplexity", "伪困惑度"),
            tr(
                f"{one.pseudo_perplexity:,.2f} (each token hidden alone, {alone} lines)",
                f"{one.pseudo_perplexity:,.2f}（每次只遮住一个词元，{alone} 行）",
            ),
        ),
        (tr("engine", "引擎"), engine),
    ]
    if one.cut:
        rows.append((tr("lines cut", "被截断的行"), f"{one.cut:,}"))
    return [
        tr(f"{name}: {one.lines:,} lines, {one.tokens:,} tokens", f"{name}：{one.lines:,} 行，{one.tokens:,} 个词元"),
        *(f"  {padded(label, MASKED_LABELS)}{value}" for label, value in rows),
    ]
