"""Count how often a text in the wrong language is noticed, and how often one in the right language is by mistake.

    python -m benchmarks.languages

*Noticed*: sentences of other languages, written for this (other.tsv), and the English and German ones of
benchmarks/doubt as though they were to be translated into their own language. *By mistake*: both sides of Tatoeba's
development and test sets, and of test sets of software, in $ATTENDO_DATA. No model is asked.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from attendo.data.corpus import read_tsv
from attendo.data.lines import ignore
from attendo.errors import AttendoError
from attendo.translation.answer import LanguageNote
from attendo.translation.language_check import LanguageCheck, language_check
from benchmarks.doubt.labelled import read_labelled
from benchmarks.machine import data_folder, describe_machine

DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))  # of the default model
OTHER = Path(__file__).with_name("other.tsv")
SETS = {
    "zh-en": ("tatoeba.dev", "tatoeba.test", "android.test", "apps.test", "mdn.test"),
    "de-en": ("tatoeba.dev", "tatoeba.test", "android.test", "apps.test", "mozilla.test", "godotdocs.test"),
}
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


def read_other() -> list[tuple[str, str]]:
    """(language, sentence)"""
    lines = OTHER.read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]
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
    return [*lines, f"| in the target language | {' | '.join(cells)} |"]


def share(check: LanguageCheck, texts: Sequence[str], kind: str) -> str:
    found = sum(isinstance(note := check.judge(text), LanguageNote) and note.kind == kind for text in texts)
    return f"{found} of {len(texts)} ({found / len(texts):.0%})"


def by_mistake() -> list[str]:
    lines = ["| direction | texts | noticed by mistake | microseconds a text |", "|---|---:|---:|---:|"]
    for folder, names in SETS.items():
        first, second = folder.split("-")
        pairs = [pair for name in names for pair in read_tsv(data_folder() / folder / f"{name}.tsv", ignore)]
        for source, target, texts in (
            (first, second, [pair.source for pair in pairs]),
            (second, first, [pair.target for pair in pairs]),
        ):
            check = check_for(target)
            started = time.perf_counter()
            notes = [check.judge(text) for text in texts]
            each = (time.perf_counter() - started) / len(texts) * 1e6
            wrong = [(note, text) for note, text in zip(notes, texts, strict=True) if isinstance(note, LanguageNote)]
            lines.append(f"| {source}-{target} | {len(texts):,} | {len(wrong)} | {each:.0f} |")
            for note, text in wrong[:SHOWN]:
                print(f"{source}-{target}: {note.kind} {note.written_in}: {text}", file=sys.stderr)
    return lines


if __name__ == "__main__":
    sys.exit(main())
