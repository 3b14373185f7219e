"""Three ways to translate a text with tags: by alignment, with stand-ins for the tags, every text node alone."""

from collections.abc import Callable, Sequence

import attendo
from attendo.text.normalize import edges
from attendo.translation.markup.scan import scan
from attendo.translation.markup.translate import translate_markup
from benchmarks.markup.sentences import RULES

Way = Callable[[attendo.Translator, Sequence[str], str, str], list[str]]


def by_alignment(translator: attendo.Translator, texts: Sequence[str], source: str, target: str) -> list[str]:
    return [answer.text for answer in translate_markup(translator, texts, target, source)]


def with_stand_ins(translator: attendo.Translator, texts: Sequence[str], source: str, target: str) -> list[str]:
    """As plain text, in which a tag is one of the things that no language translates."""
    return [answer.text for answer in translator.translate(list(texts), target, source)]


def node_by_node(translator: attendo.Translator, texts: Sequence[str], source: str, target: str) -> list[str]:
    """As LibreTranslate does: what stands between two tags is translated alone; the white space around it stays."""
    found = []
    for text in texts:
        parts = scan(text, RULES)
        nodes = [edges(part.text)[1] for part in parts if part.kind == "text"]
        answers = iter(translator.translate(nodes, target, source))
        found.append("".join(alone(part.text, next(answers).text) if part.kind == "text" else part.text for part in parts))
    return found


def alone(text: str, answer: str) -> str:
    before, _, after = edges(text)
    return before + answer + after


WAYS: dict[str, Way] = {
    "by alignment": by_alignment,
    "stand-ins for tags": with_stand_ins,
    "every text node alone": node_by_node,
}
