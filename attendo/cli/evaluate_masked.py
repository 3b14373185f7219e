"""attendo evaluate, of an encoder-only model: how many hidden tokens of a text it guesses."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attendo.cli.terminal import print_json, print_result
from attendo.errors import AttendoError, DataError, UsageError
from attendo.report.language import Language, Tr, in_language

if TYPE_CHECKING:
    from attendo.evaluation.masked import MaskedScores

LABELS = 34  # columns


def is_encoder_only(model: str) -> bool:
    """A model that cannot be read is reported when it is loaded."""
    from attendo.model.config import EncoderOnlyConfig
    from attendo.model_folder.bundle import model_folder, read_bundle

    try:
        return isinstance(read_bundle(model_folder(model)).config, EncoderOnlyConfig)
    except AttendoError:
        return False


def check_no_option_of_translators(typed: Mapping[str, Any], model: str) -> None:
    for option, value in typed.items():
        if value is not None and value is not False:
            raise UsageError(f"{option} is for models that translate: {model} is an encoder-only model")


def evaluate_masked(
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
    """`of_translators`: options that such a model has no use for, as they were typed."""
    check_no_option_of_translators(of_translators, model)

    from rich.console import Console

    from attendo.cli.evaluate_language_model import read_texts
    from attendo.evaluation.masked import measure_masked
    from attendo.reading.load import load_encoder, open_bundle

    tr = in_language(language)
    texts = {file: read_texts(file, column, language) for file in files}  # what cannot be read is told at once
    loaded = load_encoder(open_bundle(model), engine=engine, device=device, threads=threads)
    found = []
    with Console(stderr=True).status("") as status:
        for file, lines in texts.items():

            def show(done: int, of: int, name: str = str(file)) -> None:
                status.update(tr(f"{name}: {done:,} of {of:,} passes", f"{name}：已读 {done:,} / {of:,} 遍"))

            try:
                found.append((file, measure_masked(loaded.tokenizer, loaded.engine, lines, show)))
            except DataError as error:
                raise DataError(f"{file}: {error}") from error
    if as_json:
        shared = {"model": model, "engine": loaded.engine.name, "column": column}
        print_json([{"text": str(file)} | shared | one.to_dict() for file, one in found])
        return
    for file, one in found:
        print_result("\n".join(masked_lines(str(file), one, loaded.engine.name, tr)))


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
        *(f"  {padded(label, LABELS)}{value}" for label, value in rows),
    ]
