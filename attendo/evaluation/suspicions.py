"""Files that may not be what they should be. A score does not tell: it is computed all the same, and wrong.

Each suspicion is a sentence for the user. Nothing here changes a score.
"""

from collections.abc import Iterable, Iterator, Sequence

from attendo.evaluation.lost_lines import overlap, where_lines_are_shifted
from attendo.text.scripts import base_language, guess_language, identifier

SAMPLE = 500  # lines that are looked at
ENOUGH = 100  # characters of a block; so many tell their language
FEWEST = 10  # lines, below which nothing is suspected of the whole
OFTEN = 0.2  # of the lines
MORE_ALIKE = 0.1


def exchanged_columns(sources: Sequence[str], references: Sequence[str], language: str) -> str:
    """Before anything is translated: whether the sides of a test set are exchanged, in a sentence; or nothing."""
    wanted, found = base_language(language), language_of(references)
    if len(references) < FEWEST or found == wanted or language_of(sources) != wanted:
        return ""
    return f"the sources look like {wanted} and the references like {found}, but the translation is to be in {language}"


def suspicions(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None, language: str
) -> list[str]:
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


def empty_lines(name: str, texts: Sequence[str]) -> list[str]:
    empty = [number for number, text in enumerate(texts, start=1) if not text.strip()]
    return [f"{len(empty):,} of {len(texts):,} {name} are empty, the first is line {empty[0]:,}"] if empty else []


def wrong_file(
    hypotheses: Sequence[str], references: Sequence[str], sources: Sequence[str] | None, language: str
) -> list[str]:
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
    said, wanted = language_of(hypotheses), language_of(references)
    if said != wanted:
        return [f"the hypotheses look like {said} and the references like {wanted}: are files exchanged?"]
    return [f"hypotheses and references look like {wanted}, not like {language}"] if wanted != asked else []


def different_case(hypotheses: Sequence[str], references: Sequence[str]) -> list[str]:
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


def language_of(texts: Sequence[str]) -> str:
    """Of a whole file: lines are joined into blocks long enough to tell."""
    return guess_language(blocks(sampled(texts)))


def blocks(texts: Sequence[str]) -> Iterator[str]:
    joined: list[str] = []
    for text in texts:
        joined.append(text)
        if sum(map(len, joined)) >= ENOUGH:
            yield " ".join(joined)
            joined = []
    if joined:
        yield " ".join(joined)


def likeness(texts: Sequence[str], others: Sequence[str]) -> float:
    """0 to 1, the mean over some lines."""
    pairs = list(zip(sampled(texts), sampled(others), strict=True))
    return sum(overlap(*pair) for pair in pairs) / len(pairs)


def sampled(texts: Sequence[str]) -> Sequence[str]:
    """Evenly over the whole, the same places of every file."""
    return texts[:: max(1, len(texts) // SAMPLE)]
