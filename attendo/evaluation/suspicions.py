"""Files that may not be what they should be. A score does not tell: it is computed all the same, and wrong.

Each suspicion is a sentence for the user. Nothing here changes a score.

Where a file has lost lines, its lines fit the other file's better if they are moved: before that line, line n is like
line n of the other file, and after it like line n + k; the best line is the one where the sum of both is largest.
Likeness is that of letters, so both files must be in one language, as a translation and its reference are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from attendo.evaluation.metrics import References, Texts
from attendo.text.scripts import base_language, guess_language, identifier

SAMPLE = 500  # lines that are looked at
ENOUGH = 100  # characters of a block; so many tell their language
FEWEST = 10  # lines, below which nothing is suspected of the whole
OFTEN = 0.2  # of the lines
MORE_ALIKE = 0.1

BETTER_THAN_CHANCE = 1.5  # times as like as lines that have nothing to do with each other
BETTER_THAN_STRAIGHT = 2.0
FEWEST_AFTER = 20  # lines after the one from which on lines are shifted
MOST_COMPARED = 100_000  # lines that are compared


def exchanged_columns(sources: Texts, references: Texts, language: str) -> str:
    """Before anything is translated: whether the sides of a test set are exchanged, in a sentence; or nothing."""
    wanted, found = base_language(language), language_of(references)
    if len(references) < FEWEST or found == wanted or language_of(sources) != wanted:
        return ""
    return f"the sources look like {wanted} and the references like {found}, but the translation is to be in {language}"


def suspicions(hypotheses: Texts, references: References, sources: Texts | None, language: str) -> list[str]:
    """What may be wrong with the texts to be scored, each in a sentence; empty if nothing is."""
    found = empty_lines("hypotheses", hypotheses)
    for one in references[1:]:
        found += empty_lines("further references", one)
    if len(hypotheses) < FEWEST:
        return found
    first = references[0]
    found += wrong_file(hypotheses, first, sources, language)
    found += different_case(hypotheses, first)
    found += where_lines_are_shifted(hypotheses, first)
    for name, texts in (("hypotheses", hypotheses), ("references", first)):
        ended = [text for text in texts if text.endswith(".")]
        if len(ended) >= FEWEST and sum(text.endswith(" .") for text in ended) > len(ended) / 2:
            found.append(f"the {name} look tokenised (they end in ' .'): BLEU to be quoted is of plain text")
    if all("\t" in text for text in first):
        found.append("each reference has a tab in it: a file of several columns is to be named .tsv")
    return found


def empty_lines(name: str, texts: Texts) -> list[str]:
    empty = [line for line, text in enumerate(texts, start=1) if not text.strip()]
    return [f"{len(empty):,} of {len(texts):,} {name} are empty, the first is line {empty[0]:,}"] if empty else []


def wrong_file(hypotheses: Texts, references: Texts, sources: Texts | None, language: str) -> list[str]:
    if list(hypotheses) == list(references):
        return ["every hypothesis equals its reference: is the file of references judged by itself?"]
    if sources is not None:
        to_source, to_reference = likeness(hypotheses, sources), likeness(hypotheses, references)
        if to_source > max(to_reference, likeness(references, sources) + MORE_ALIKE):
            return [
                f"the hypotheses are more like the source ({to_source:.2f}) than like the references "
                f"({to_reference:.2f}): are files exchanged, or is nothing translated?"
            ]
    asked = base_language(language)
    if asked not in identifier().labels:
        return []
    found, wanted = language_of(hypotheses), language_of(references)
    if found != wanted:
        return [f"the hypotheses look like {found} and the references like {wanted}: are files exchanged?"]
    return [f"hypotheses and references look like {wanted}, not like {language}"] if wanted != asked else []


def different_case(hypotheses: Texts, references: Texts) -> list[str]:
    """A side all in lower case beside one that is not: every name counts as a mistake."""
    sides = [("hypotheses", hypotheses), ("references", references)]
    found = []
    for (name, texts), (beside, others) in (sides, reversed(sides)):
        small = share(text != text.upper() for text in texts)  # Chinese has neither
        large, of_others = (share(text != text.lower() for text in side) for side in (texts, others))
        if large == 0 and min(small, of_others) > OFTEN:
            found.append(
                f"the {name} have no capital letter and the {beside} have: BLEU and chrF count case, so the score is "
                f"lower than the translation is (--published, and TER, do not)"
            )
    return found


def share(flags: Iterable[bool]) -> float:
    counted = list(flags)
    return sum(counted) / len(counted)


def language_of(texts: Texts) -> str:
    """Of a whole file: lines are joined into blocks long enough to tell."""
    return guess_language(blocks(take_sample(texts)))


def blocks(texts: Texts) -> Iterator[str]:
    joined: list[str] = []
    for text in texts:
        joined.append(text)
        if sum(map(len, joined)) >= ENOUGH:
            yield " ".join(joined)
            joined = []
    if joined:
        yield " ".join(joined)


def likeness(texts: Texts, others: Texts) -> float:
    """0 to 1, the mean over some lines."""
    pairs = list(zip(take_sample(texts), take_sample(others), strict=True))
    return sum(overlap(*pair) for pair in pairs) / len(pairs)


def take_sample(texts: Texts) -> Texts:
    """Evenly over the whole, the same lines of every file."""
    return texts[:: max(1, len(texts) // SAMPLE)]


@dataclass(frozen=True)
class Fit:
    """Two files, the longer one without some lines in a row."""

    index: int  # of the first of these lines, from 0
    likeness: float  # of all lines that are left, the mean
    straight: float  # of the lines after it, if they are not moved: the sum
    moved: float  # and if they are


def where_lines_were_lost(one: Texts, other: Texts, name: str, other_name: str) -> str:
    """Of two files of unequal length, the end of a sentence on where lines are missing; empty if nobody can tell."""
    if len(one) > len(other):
        one, other, name, other_name = other, one, other_name, name
    lost = len(other) - len(one)
    if lost > len(one) or len(one) > MOST_COMPARED:
        return ""
    fit = best_fit(one, other)
    if fit.likeness <= BETTER_THAN_CHANCE * chance_likeness(one, other):
        return ""
    lines = f"line {fit.index + 1:,}" if lost == 1 else f"lines {fit.index + 1:,}-{fit.index + lost:,}"
    return f"; they fit best if {name} has lost what belongs to {lines} of {other_name}, or near there"


def where_lines_are_shifted(hypotheses: Texts, references: Texts) -> list[str]:
    """Of two files of equal length: a line lost in the middle, and another added at the end."""
    if len(hypotheses) > MOST_COMPARED:
        return []
    by_chance = chance_likeness(hypotheses, references)
    for one, other, side in ((hypotheses, references, "hypotheses"), (references, hypotheses, "references")):
        fit = best_fit(one[:-1], other)
        after = len(one) - 1 - fit.index
        least = max(BETTER_THAN_STRAIGHT * fit.straight, BETTER_THAN_CHANCE * after * by_chance)
        if after >= FEWEST_AFTER and fit.moved > least:
            return [
                f"from about line {fit.index + 1:,} on the lines fit better if the {side} are moved down by one: "
                f"has a line been lost there?"
            ]
    return []


def best_fit(one: Texts, other: Texts) -> Fit:
    """`other` has more lines."""
    lost = len(other) - len(one)
    before = list(accumulate((overlap(*pair) for pair in zip(one, other, strict=False)), initial=0.0))
    after = list(accumulate((overlap(*pair) for pair in zip(one, other[lost:], strict=True)), initial=0.0))
    fits = [straight + after[-1] - moved for straight, moved in zip(before, after, strict=True)]
    index = max(range(len(fits)), key=fits.__getitem__)
    return Fit(index, fits[index] / max(len(one), 1), before[-1] - before[index], after[-1] - after[index])


def chance_likeness(one: Texts, other: Texts) -> float:
    """How like each other lines are that do not belong together: those half a file apart."""
    far = [*other[len(other) // 2 :], *other[: len(other) // 2]]
    return sum(overlap(*pair) for pair in zip(one, far, strict=False)) / max(len(one), 1)


def overlap(text: str, other: str) -> float:
    """Pairs of characters that both have: 2 |a ∩ b| / (|a| + |b|)."""
    a, b = pairs_of(text), pairs_of(other)
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


def pairs_of(text: str) -> set[str]:
    text = "".join(text.lower().split())
    return {text[index : index + 2] for index in range(len(text) - 1)} or {text} - {""}
