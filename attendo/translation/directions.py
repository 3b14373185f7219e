"""Which of its languages a model is asked for, and which it is given."""

from collections.abc import Sequence
from functools import lru_cache

from attendo.errors import InputError, UsageError
from attendo.text.scripts import base_language, is_mostly_han, writes_han

Direction = tuple[str, str]  # source and target, as the model names them

SAMPLE = 2_000  # characters, by which the language of a text is told


@lru_cache(maxsize=1_000)
def choose_target(to: str | None, directions: tuple[Direction, ...]) -> str:
    """The model's own name of the language asked for: zh for zh-TW, if it knows no other. None: the only one."""
    targets = list(dict.fromkeys(target for _, target in directions))
    if to is None:
        if len(targets) == 1:
            return targets[0]
        raise UsageError(f"this model translates into {', '.join(targets)}: say which (--to, or to=)")
    return known(to, targets, f"into '{to}'", directions)


def choose_source(from_: str | None, target: str, text: str, directions: tuple[Direction, ...]) -> str:
    """What the user says; else the only language there is for this target, else what the text looks like."""
    sources = sources_of(target, directions)
    if from_ is not None:
        return known(from_, sources, f"from '{from_}' into '{target}'", directions)
    return sources[0] if len(sources) == 1 else likeliest(text, sources)


@lru_cache(maxsize=1_000)
def sources_of(target: str, directions: tuple[Direction, ...]) -> tuple[str, ...]:
    return tuple(source for source, other in directions if other == target)


def known(name: str, names: Sequence[str], what: str, directions: Sequence[Direction]) -> str:
    same = [one for one in names if one.lower() == name.lower().replace("_", "-")]
    alike = [one for one in names if base_language(one) == base_language(name)]
    if same or alike:
        return (same or alike)[0]
    there = ", ".join(f"{source}-{target}" for source, target in directions)
    raise InputError(f"this model does not translate {what}: it knows {there}")


def likeliest(text: str, sources: tuple[str, ...]) -> str:
    """By script where that decides; among languages of one script by the identifier, if it is installed."""
    sample = text[:SAMPLE]
    if not any(map(str.isalpha, sample)):
        return sources[0]
    sources = of_script(sources, is_mostly_han(sample)) or sources
    if len(sources) == 1:
        return sources[0]
    try:
        from attendo.text.scripts import identifier

        ranked = [name for name, _ in identifier().rank(sample)]
    except ModuleNotFoundError:
        return sources[0]
    return min(sources, key=lambda name: place_of(base_language(name), ranked))


def is_foreign(text: str, source: str) -> bool:
    """Whether it is in Chinese characters although the language has none, as where somebody asks a model for a
    direction that it does not know."""
    return not writes_han(source) and is_mostly_han(text[:SAMPLE])


@lru_cache(maxsize=1_000)
def of_script(names: tuple[str, ...], han: bool) -> tuple[str, ...]:
    return tuple(name for name in names if writes_han(name) == han)


def place_of(name: str, ranked: Sequence[str]) -> int:
    return ranked.index(name) if name in ranked else len(ranked)
