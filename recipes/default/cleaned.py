"""Corpora whose pairs are not all translations: pages that volunteers have translated in part, laws with dates of
another edition. A cleaned copy leaves out

- what is the same on both sides: one pair in five of privacyguides in German,
- what has other numbers on either side, as `attendo` itself finds them: one in fifty of the laws,
- what ends with a full stop on one side alone: a sentence with half of its translation.
"""

from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.text.numbers import missing_numbers
from recipes.default.answers import Direction
from recipes.default.distil import write_pairs

UNCLEAN: tuple[tuple[str, Direction], ...] = (
    ("twlaws", ("zh", "en")),
    ("undoc", ("zh", "en")),
    ("ethereum", ("zh", "en")),
    ("privacyguides", ("zh", "en")),
    ("monero", ("zh", "en")),
    ("ethereum", ("de", "en")),
    ("privacyguides", ("de", "en")),
    ("monero", ("de", "en")),
    ("fsfe", ("de", "en")),
)
ENDS = (".", "。", "!", "！", "?", "？", ";", "；", ":", "：")


def write_cleaned(folder: Path, out: Path) -> None:
    """OUT/twlaws.zh-en.tsv and so on, from the corpora in the folder."""
    out.mkdir(exist_ok=True)
    for name, languages in UNCLEAN:
        pair_name = "-".join(languages)
        pairs = CorpusFile(folder / pair_name / f"{name}.train.tsv.xz", languages).pairs(ignore)
        kept = ((pair.source, pair.target) for pair in pairs if is_translation(pair.source, pair.target, languages))
        write_pairs(out / f"{name}.{pair_name}.tsv", kept)


def is_translation(source: str, target: str, languages: Direction) -> bool:
    first, second = languages
    return (
        source.casefold() != target.casefold()
        and source.endswith(ENDS) == target.endswith(ENDS)
        and not missing_numbers(source, target, first, second)
        and not missing_numbers(target, source, second, first)
    )
