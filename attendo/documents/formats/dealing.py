"""A translation dealt to cues and lines: no cue without words, no line too long.

The alignment says where a cue begins. Where it leaves a cue without words, as it may when the languages order their
words otherwise, the text is dealt by the lengths of the source instead: a blank subtitle helps nobody. Lines are broken
anew only where the source has several and keeps to the usual widths, and the translation does not.
"""

import re
from collections.abc import Iterator, Sequence

from attendo.text.normalize import WORD
from attendo.text.scripts import HAN_CHARACTER

WIDEST, WIDEST_HAN = 42, 16  # characters of a line
ATOM = re.compile(r"<[^<>]*>|\s+|[^\s<\u2e80-\u9fff\uac00-\ud7ff\uff00-\uffef]+|.", re.DOTALL)
NOT_FIRST = set(",.!?:;)]}%，。！？：；、）】」』”’…")
EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
ELEMENT = re.compile(r"<(/?)([A-Za-z]+)[^<>]*?(/?)>")
TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")


def dealt(pieces: Sequence[str], sources: Sequence[str], line_points: re.Pattern[str]) -> list[str]:
    """A piece for each cue, with words wherever the source has some, and with whole elements."""
    if any(has_words(source) and not has_words(piece) for piece, source in zip(pieces, sources, strict=True)):
        pieces = by_length(" ".join(line_points.sub(" ", piece).strip() for piece in pieces), sources)
    moved = any(names_of(piece) != names_of(source) for piece, source in zip(pieces, sources, strict=True))
    return list(balanced(pieces)) if moved else list(pieces)


def has_words(text: str) -> bool:
    return WORD.search(shown(text)) is not None


def names_of(text: str) -> list[str]:
    return sorted(slash + name for slash, name, single in ELEMENT.findall(text) if not single)


def balanced(pieces: Sequence[str]) -> Iterator[str]:
    """An element that was torn by the border of two cues ends before it and begins anew after it."""
    opened: list[tuple[str, str]] = []  # name and tag
    for piece in pieces:
        begun = "".join(tag for _, tag in opened)
        for tag in ELEMENT.finditer(piece):
            slash, name, single = tag.groups()
            if single:
                continue
            if not slash:
                opened.append((name, tag.group()))
            elif name in (one for one, _ in opened):
                while opened.pop()[0] != name:
                    pass
        yield begun + piece + "".join(f"</{name}>" for name, _ in reversed(opened))


def by_length(text: str, sources: Sequence[str]) -> list[str]:
    """Parted before words, as the lengths of the sources are."""
    atoms = ATOM.findall(text)
    total, whole = max(1, sum(map(width, atoms))), max(1, sum(map(width, sources)))
    found: list[str] = []
    at = done = 0
    passed = 0
    for source in sources[:-1]:
        passed += width(source)
        wish = total * passed / whole
        part = ""
        while at < len(atoms) and (done + width(atoms[at]) / 2 <= wish or atoms[at][0] in NOT_FIRST):
            part += atoms[at]
            done += width(atoms[at])
            at += 1
        found.append(part.strip())
    return [*found, "".join(atoms[at:]).strip()]


def fitted(lines: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Lines as the source has them; parted anew where they are too long, and the source's are not."""
    kept = len(lines) == len(sources)
    if kept and (len(lines) == 1 or fits(lines) or not fits(sources)):
        return [with_edges(line, source) for line, source in zip(lines, sources, strict=True)]
    if kept and any(WORD.search(shown(line)) for line in lines):
        text = " ".join(map(str.strip, lines))
        return [
            with_edges(line, source)
            for line, source in zip(by_length(text, ["x"] * len(sources)), sources, strict=True)
        ]
    return [line.strip() for line in lines]


def fits(lines: Sequence[str]) -> bool:
    return all(width(line) <= (WIDEST_HAN if has_han(line) else WIDEST) and shown(line).strip() for line in lines)


def has_han(text: str) -> bool:
    return HAN_CHARACTER.search(text) is not None


def width(text: str) -> int:
    return len(shown(text))


def shown(text: str) -> str:
    """What a viewer sees of it."""
    return TAGS.sub("", text)


def with_edges(line: str, source: str) -> str:
    """With the white space that is at the edges of the source's line."""
    found = EDGES.fullmatch(source)
    return f"{found[1]}{line.strip()}{found[3]}" if found and found[2] else line
