"""Which of the texts stand in training text as they are?

Sentences were written for the measure and should not; words such as *Umbrella* are in every dictionary. The share among
those that a model has never seen says whether it learnt to translate them or knows them by heart.
"""

from collections.abc import Iterable
from pathlib import Path

from attendo.data.lines import ignore, read_lines
from benchmarks.first_tries.texts import Text

STOPS = "。！？…，、；：.!?,;: "


def bare(text: str) -> str:
    """Without its final punctuation, in lower case."""
    return text.strip().rstrip(STOPS).casefold()


def seen_in(texts: Iterable[Text], files: Iterable[Path]) -> set[Text]:
    """Those that are a whole line of a file, or a whole column of it: either side of a pair."""
    wanted: dict[str, list[Text]] = {}
    for one in texts:
        wanted.setdefault(bare(one.text), []).append(one)
    found: set[Text] = set()
    for path in files:
        for line in read_lines(path, ignore):
            for column in line.split("\t"):
                found.update(wanted.get(bare(column), ()))
    return found
