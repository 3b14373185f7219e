"""What `attendo lab list` shows without measuring: of every claim the verdict, and what stands beside it on the index.

It is kept with the claims by `attendo lab run --all --store`, which `make lab` calls.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

from attendo.errors import InputError
from attendo.files.durable import write_file
from attendo.files.tables import from_dict, read_json
from attendo.lab.claim import Verdict
from attendo.lab.run import ClaimResult
from attendo.lab.tools.texts import Language
from attendo.lab.verdicts import beside, decided_by, finding, in_language

PATH = Path(__file__).parent / "evidence" / "index.json"
LARGEST = 1_000_000  # bytes


@dataclass(frozen=True)
class IndexLine:
    """In one language."""

    finding: str
    decides: str  # the number that decides
    beside: str  # steps, seeds, seconds


@dataclass(frozen=True)
class IndexEntry:
    verdict: Verdict
    en: IndexLine
    zh: IndexLine

    def line(self, language: Language) -> IndexLine:
        return {"en": self.en, "zh": self.zh}[language]


def entry_of(result: ClaimResult) -> IndexEntry:
    en, zh = (
        IndexLine(finding(result, language), decided_by(result, language), beside(result, in_language(language)))
        for language in get_args(Language)
    )
    return IndexEntry(result.verdict, en, zh)


def write_index(results: Sequence[ClaimResult]) -> None:
    table = {result.claim_id: asdict(entry_of(result)) for result in results}
    write_file(PATH, (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode())


def read_index() -> Mapping[str, IndexEntry]:
    if not PATH.exists():
        return {}
    table = read_json(PATH, LARGEST)
    if not isinstance(table, dict):
        raise InputError(f"{PATH} is no index of the lab: expected a JSON object")
    return {claim: checked(entry, claim) for claim, entry in table.items()}


def checked(entry: object, claim: str) -> IndexEntry:
    if not isinstance(entry, dict):
        raise InputError(f"{PATH}: {claim} is no object")
    lines = {language: from_dict(IndexLine, entry.get(language), f"{claim} {language}") for language in ("en", "zh")}
    if entry.get("verdict") not in get_args(Verdict):
        raise InputError(f"{PATH}: {claim} has no verdict")
    return IndexEntry(entry["verdict"], **lines)
