"""Which languages a foreign model has, and which token tells it what to translate into.

    tokenizer_config.json   {"source_lang": "en", "target_lang": "fr"}     a model of two languages, no tags
    vocab.json              >>fra<<, >>por_BR<<, …                         a model of several targets
    opus-mt-en-fr           the name of a folder, where nothing else says it

Our names have a hyphen where theirs have a line: pt_BR is pt-BR. A user may name directions, and the tag of each:
en-fr, or en-zh:cmn_Hans.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attendo.errors import InputError, UsageError
from attendo.text.subword_models import LANGUAGE, MOST_LANGUAGES

TAG = re.compile(r">>([A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,8})?)<<")
FOLDER_NAME = re.compile(r"(?:^|[-_])([a-z]{2,3})[-_]([a-z]{2,3})$")

Directions = tuple[tuple[str, str], ...]  # source, target; a target may have ":tag" behind it
Found = tuple[tuple[str, ...], Directions, dict[str, str]]  # languages, directions, tags


def parse_given(texts: Sequence[str]) -> Directions:
    """en-fr, pt-BR-en, en-zh:cmn_Hans"""
    found = []
    for text in texts:
        pair, _, tag = text.partition(":")
        for split in (index for index, letter in enumerate(pair) if letter == "-"):
            source, target = pair[:split], pair[split + 1 :]
            if LANGUAGE.fullmatch(source) and LANGUAGE.fullmatch(target):
                found.append((source, f"{target}:{tag}" if tag else target))
                break
        else:
            raise UsageError(f"--direction is '{text}': expected two languages such as en-fr, or en-zh:cmn_Hans")
    return tuple(found)


def languages_of(folder: Path, named: Any, tokens: Sequence[str], given: Directions) -> Found:
    tagged = {match[1].replace("_", "-"): token for token in tokens if (match := TAG.fullmatch(token))}
    if given:
        return by_hand(folder, given, tagged)
    source, target = names_of(folder, named)
    if not tagged:
        if not (source and target):
            raise InputError(f"{folder} does not say which languages it translates: name them, --direction en-fr")
        return (source, target), ((source, target),), {}
    if not source:
        raise InputError(f"{folder} does not say what it translates from: name directions, --direction en-fra")
    targets = [name for name in tagged if LANGUAGE.fullmatch(name) and name != source][: MOST_LANGUAGES - 1]
    return (source, *targets), tuple((source, name) for name in targets), {name: tagged[name] for name in targets}


def names_of(folder: Path, named: Any) -> tuple[str, str]:
    """Source and target; empty where they are no languages that we can name, such as a group of them."""
    table = named if isinstance(named, dict) else {}
    source, target = table.get("source_lang"), table.get("target_lang")
    if not isinstance(source, str) or not isinstance(target, str):
        match = FOLDER_NAME.search(folder.name)
        source, target = match.groups() if match else ("", "")
    source, target = source.replace("_", "-"), target.replace("_", "-")
    return (source if LANGUAGE.fullmatch(source) else "", target if LANGUAGE.fullmatch(target) else "")


def by_hand(folder: Path, given: Directions, tagged: dict[str, str]) -> Found:
    directions: list[tuple[str, str]] = []
    tags: dict[str, str] = {}
    for source, asked in given:
        target, _, tag = asked.partition(":")
        directions.append((source, target))
        if tag or tagged:
            name = (tag or target).replace("_", "-")
            if name not in tagged:
                known = ", ".join(tagged) or "none"
                raise InputError(f"{folder} has no tag for {name}: it knows {known[:300]}")
            tags[target] = tagged[name]
    if not tags and len({target for _, target in directions}) > 1:
        raise UsageError(f"{folder} has no tags, so it translates into one language: name one direction")
    sources = [source for source, _ in directions]
    languages = dict.fromkeys((*sources, *(target for _, target in directions)))
    return tuple(languages), tuple(dict.fromkeys(directions)), tags
