"""An evaluation, or a comparison, as lines for a terminal or a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attendo.evaluation.compare import LEVEL, Comparison, Difference
from attendo.evaluation.evaluate import Evaluation, JudgedSentence
from attendo.evaluation.hypotheses import TranslationRun
from attendo.evaluation.loops_and_numbers import NumberCounts
from attendo.evaluation.metrics import PUBLISHED_NAME, Score
from attendo.report.formatting import count_text, duration_text, visible

LONGEST = 300  # characters of a sentence
EXTREMES = 3
ABSENT = "-"


def evaluation_lines(found: Evaluation) -> Iterator[str]:
    source = f"{found.source_language} → " if found.source_language else ""
    guessed = " (by the look of the references)" if found.guessed else ""
    yield (
        f"{visible(found.name)}: {count_text(found.sentences, 'sentence')}, {source}{found.target_language}{guessed}, "
        f"{count_text(found.references, 'reference')}"
    )
    for row in score_rows(found):
        yield f"  {row.label:<28}{score_text(row.score)}  {row.score.signature}{row.note}"
    for label, text in (*metric_rows(found), *fact_rows(found)):
        yield f"  {label:<28}{text}"
    yield ""
    yield "  by the length of the reference (words; of Chinese and Japanese, characters)"
    for length in found.lengths:
        yield (
            f"    {length.words:<14}{length.sentences:>7,} sentences   BLEU {length.bleu:6.2f}   "
            f"chrF {length.chrf:6.2f}   length ratio {length.length_ratio:.2f}"
        )
    counted_in = visible(found.frequencies_of) if found.frequencies_of else "the references"
    yield f"  words of the reference found in the translation, by how often they are in {counted_in}"
    for one in found.frequencies:
        yield f"    {one.times:<14}{one.words:>7,} words       {one.share:6.1%}"
    for extreme, sentences in (("worst", found.worst), ("best", found.best)):
        yield f"  {extreme} sentences, by chrF"
        for sentence in sentences[:EXTREMES]:
            yield f"    line {sentence.line:,}: chrF {sentence.chrf:.2f}"
            for label, text in judged_rows(sentence):
                yield f"      {label:<14}{visible(text, LONGEST) or ABSENT}"
    yield "  the same three scores by sacreBLEU's own command, in bash:"
    yield f"    {visible(found.command)}"
    if found.published_command:
        yield f"  {PUBLISHED_NAME} likewise:"
        yield f"    {visible(found.published_command)}"


@dataclass(frozen=True)
class ScoreRow:
    label: str
    score: Score
    note: str = ""
    marked: bool = False  # where there are several BLEU, the one to quote


def score_rows(found: Evaluation) -> list[ScoreRow]:
    quoted, others = [ScoreRow("BLEU", found.quoted[1])], []
    if len(found.bleu) > 1:
        every = [ScoreRow(f"BLEU, tokenisation {name}", score) for name, score in found.bleu.items()]
        quoted = [replace(every[0], note="  ← the one to quote", marked=True)]
        others = every[1:]
    rows = [*quoted, *others, ScoreRow(found.chrf.name, found.chrf), ScoreRow(found.ter.name, found.ter)]
    if found.published:
        rows.append(ScoreRow(PUBLISHED_NAME, found.published, "  (beside published tables of this kind alone)"))
    return rows


def metric_rows(found: Evaluation) -> list[tuple[str, str]]:
    """The scores by functions that were handed in."""
    return [(visible(name), f"{value:.4f}") for name, value in found.metrics.items()]


def fact_rows(found: Evaluation) -> list[tuple[str, str]]:
    """What else was measured, in words."""
    loops = f"{found.loops:,} of {found.sentences:,} translations ({found.loops / found.sentences:.1%})"
    rows = [
        ("length ratio", f"{found.quoted[1].length_ratio:.3f}"),
        ("loops", loops + (f"; decoded again because of one: {found.run.repeated:,}" if found.run else "")),
        ("numbers kept", numbers_text(found.numbers, found.numbers_of_references)),
        ("equal to a reference", f"{found.exact:,} of {found.sentences:,}"),
        ("empty", f"{found.empty:,}"),
    ]
    return [("speed", speed_text(found.run)), ("wider beam", recovered_text(found.run)), *rows] if found.run else rows


def speed_text(run: TranslationRun) -> str:
    threads = f", {count_text(run.threads, 'thread')}" if run.threads else ""
    seconds = f"{run.seconds:.2f} s" if run.seconds < 60 else duration_text(run.seconds)
    search = run.options.search
    return (
        f"{run.source_tokens_per_second:,.0f} source tokens/s: {run.source_tokens:,} in {seconds}, "
        f"{run.engine}{threads}, beam {search.beam_size}, length penalty {search.length_penalty:g}"
    )


def recovered_text(run: TranslationRun) -> str:
    if not run.options.to_dict()["second_look"]:
        return "none: the first answer was taken"
    return f"found what was missing at first in {count_text(run.recovered, 'line')}"


def numbers_text(numbers: NumberCounts | None, by_people: NumberCounts | None) -> str:
    if numbers is None:
        return "not known without the source"
    if numbers.share is None or by_people is None or by_people.share is None:
        return "no numbers in the source"
    return f"{numbers.share:.1%} of {numbers.asked:,} (the reference keeps {by_people.share:.1%})"


def score_text(score: Score) -> str:
    interval = f" [{score.interval[0]:.2f}, {score.interval[1]:.2f}]" if score.interval else ""
    return f"{score.score:6.2f}{interval}"


def judged_rows(sentence: JudgedSentence) -> list[tuple[str, str]]:
    source = [("source", sentence.source)] if sentence.source is not None else []
    return [*source, *(("reference", text) for text in sentence.references), ("translation", sentence.hypothesis)]


def comparison_lines(found: Comparison) -> Iterator[str]:
    yield (
        f"{visible(found.test_set)}: {count_text(found.sentences, 'sentence')}, {found.language}; "
        f"in {found.same:,} both say the same"
    )
    yield f"  A is {visible(found.a)}"
    yield f"  B is {visible(found.b)}"
    yield f"  {'':<8}{'A':>8}{'B':>8}{'B - A':>9}{'p, bootstrap':>15}{'p, randomised':>15}"
    for one in found.differences.values():
        yield (
            f"  {one.name:<8}{one.a:>8.2f}{one.b:>8.2f}{one.difference:>+9.2f}{one.bootstrap.p_value:>15.4f}"
            f"{one.randomisation.p_value:>15.4f}   {verdict(one)}"
        )
    for one in found.differences.values():
        for outcome in (one.bootstrap, one.randomisation):
            yield f"  {one.name:<8}{outcome.signature}"
    yield "  the same by sacreBLEU's own command, in bash:"
    for command in found.commands:
        yield f"    {visible(command)}"


def verdict(one: Difference) -> str:
    if one.difference == 0:
        return "no difference"
    if one.too_few:
        return "too few lines differ to tell"
    if one.real is None:
        return "uncertain: the two tests do not agree"
    if not one.real:
        return f"may be chance (p is not below {LEVEL:g})"
    return f"{'A' if one.better == 'a' else 'B'} is better"


def warnings_text(warnings: Sequence[str], name: str = "") -> list[str]:
    """For stderr; `name` is that of the test set, where there are several."""
    return [f"attendo: warning: {visible(f'{name}: ' if name else '')}{visible(warning)}" for warning in warnings]
