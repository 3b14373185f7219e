"""Count how often a text in the wrong language is noticed, and how often one in the right language is by mistake.

    python -m benchmarks.languages

*Noticed*: sentences of other languages, written for this (other.tsv), and the English and German ones of
benchmarks/doubt as though they were to be translated into their own language; sentences of languages that have no list
of small words (unlisted.tsv) must not be taken for the target language. *By mistake*: both sides of test sets in
$ATTENDO_DATA; and those of four words and more (or four Chinese characters) as though sent to their own language. No
model is asked.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from attendo.data.corpus import read_tsv
from attendo.data.lines import ignore
from attendo.errors import AttendoError, DataError
from attendo.text.scripts import HAN_CHARACTER
from attendo.text.written_language import WORD
from attendo.translation.answer import LanguageNote
from attendo.translation.language_check import LanguageCheck, language_check
from benchmarks.doubt.labelled import read_labelled
from benchmarks.machine import data_folder, describe_machine

DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))  # of the default model
OTHER = Path(__file__).with_name("other.tsv")
UNLISTED = Path(__file__).with_name("unlisted.tsv")
SETS = {  # by what is written there
    "Tatoeba": ("tatoeba.dev", "tatoeba.test"),
    "PUD: news, encyclopaedia": ("pud.test",),
    "software": ("android.test", "apps.test", "mozilla.test", "godotdocs.test", "mdn.test"),
}
FOLDERS = ("zh-en", "de-en")
FEWEST = 4  # words of a sentence that should be noticed
SHOWN = 5


def main() -> int:
    print(f"<!-- python -m benchmarks.languages; {describe_machine()} -->\n")
    print("\n".join(noticed()))
    try:
        print("\n" + "\n".join(by_mistake()))
    except AttendoError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def check_for(target: str) -> LanguageCheck:
    check = language_check(target, target, None, DIRECTIONS)
    assert check is not None
    return check


def read_other(path: Path = OTHER) -> list[tuple[str, str]]:
    """(language, sentence)"""
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]
    return [(language, text) for language, text in (line.split("\t") for line in lines)]


def noticed() -> list[str]:
    lines = ["| texts that should be noticed | into en | into de | into zh |", "|---|---:|---:|---:|"]
    other = [text for _, text in read_other()]
    cells = [share(check_for(target), other, "foreign") for target in ("en", "de", "zh")]
    lines.append(f"| in a third language | {' | '.join(cells)} |")
    labelled = read_labelled()
    texts = {
        language: [one.source for one in labelled if one.direction[0] == language] for language in ("en", "de", "zh")
    }
    cells = [share(check_for(target), texts[target], "already") for target in texts]
    lines.append(f"| in the target language, short ones too | {' | '.join(cells)} |")
    unlisted = [text for _, text in read_other(UNLISTED)]
    cells = [share(check_for(target), unlisted, "already") for target in ("en", "de", "zh")]
    return [*lines, f"| not: in an unlisted language, held for the target's | {' | '.join(cells)} |"]


def share(check: LanguageCheck, texts: Sequence[str], kind: str) -> str:
    found = sum(is_noted(check, text, kind) for text in texts)
    return f"{found:,} of {len(texts):,} ({found / len(texts):.1%})"


def is_noted(check: LanguageCheck, text: str, kind: str) -> bool:
    note = check.judge(text)
    return isinstance(note, LanguageNote) and note.kind == kind


def by_mistake() -> list[str]:
    lines = [
        "| texts | direction | noticed by mistake | sent to their own language: noticed | microseconds a text |",
        "|---|---|---:|---:|---:|",
    ]
    for name, files in SETS.items():
        for source, target, texts in directions(files):
            check, own = check_for(target), check_for(source)
            started = time.perf_counter()
            notes = [check.judge(text) for text in texts]
            each = (time.perf_counter() - started) / len(texts) * 1e6
            wrong = [(note, text) for note, text in zip(notes, texts, strict=True) if isinstance(note, LanguageNote)]
            already = share(own, [text for text in texts if is_long(text, source)], "already")
            lines.append(
                f"| {name} | {source}-{target} | {len(wrong)} of {len(texts):,} ({len(wrong) / len(texts):.2%}) "
                f"| {already} | {each:.0f} |"
            )
            for note, text in wrong[:SHOWN]:
                print(f"{source}-{target}: {note.kind} {note.written_in}: {text}", file=sys.stderr)
    return lines


def directions(files: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Source, target and all source sentences, of each direction."""
    for folder in FOLDERS:
        first, second = folder.split("-")
        paths = [data_folder() / folder / f"{name}.tsv" for name in files]
        pairs = [pair for path in paths if path.exists() for pair in read_tsv(path, ignore)]
        if not pairs:
            raise DataError(f"{data_folder() / folder} has none of {', '.join(files)}")
        yield first, second, [pair.source for pair in pairs]
        yield second, first, [pair.target for pair in pairs]


def is_long(text: str, language: str) -> bool:
    return len((HAN_CHARACTER if language == "zh" else WORD).findall(text)) >= FEWEST


if __name__ == "__main__":
    sys.exit(main())
