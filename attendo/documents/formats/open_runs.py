"""What a paragraph of OpenDocument (text:p, text:h) holds: text as it is, and spans with a look.

    <text:p>Press <text:span text:style-name="T1">St</text:span><text:span text:style-name="T2">art</text:span></text:p>

T1 and T2 may look the same: a program gives a span a style of its own for the day on which it was written. So a look is
what a style says, and not its name. Notes, text boxes and remarks stand inside of a paragraph with paragraphs of their
own.
"""

import re
from collections.abc import Mapping, Sequence

from attendo.documents.formats.runs import AtomKind, RunAtom, RunBox, RunItem, RunText, TextRun
from attendo.documents.xml_tree import XmlNode, XmlTree

OPEN_PARAGRAPHS = frozenset({"text:p", "text:h"})
KINDS: dict[str, AtomKind] = {"text:s": "sp", "text:tab": "tab", "text:line-break": "br"}
HOLDS = frozenset({"text:a", "text:meta", "text:span"})
GLUE = frozenset({"text:soft-page-break", "#aside"})
MARKS = "bookmark|reference-mark|change|toc-mark|alphabetical-index-mark|user-index-mark"
PAIRED = re.compile(rf"text:({MARKS})-(start|end)$")
UNSEEN = re.compile(r"rsid$|:(language|country|script|rfc-language-tag)(-asian|-complex)?$")
POINTS = re.compile(r"text:(bookmark|change|reference-mark|note)$|^office:annotation|^draw:|text:.*-mark$")


def looks_of(tree: XmlTree) -> dict[str, str]:
    """What each style of spans says, by its name."""
    found: dict[str, str] = {}
    for node in tree.root.walk():
        if node.name == "style:style" and tree.value(node, "style:family") == "text":
            says = [tree.value(node, "style:parent-style-name")]
            for child in node.elements:
                says += sorted(
                    f"{name}={one.value}" for name, one in tree.attributes(child).items() if not UNSEEN.search(name)
                )
            found[tree.value(node, "style:name")] = " ".join(filter(None, says))
    return found


class OpenReader:
    def __init__(self, looks: Mapping[str, str]) -> None:
        self.looks = looks

    def items(self, tree: XmlTree, paragraph: XmlNode, content: Sequence[XmlNode]) -> list[RunItem]:
        found, glue = self.level(tree, content, TextRun(b"", b"", ""))
        return [*found, RunAtom("p", glue)] if glue else found

    def level(self, tree: XmlTree, nodes: Sequence[XmlNode], run: TextRun) -> tuple[list[RunItem], bytes]:
        """The items, and what stands after them and means nothing."""
        items: list[RunItem] = []
        glue = b""
        for node in nodes:
            raw = tree.raw(node.start, node.end)
            if node.name in GLUE or (node.name in HOLDS and node.inner == node.outer):
                glue += raw
                continue
            item: RunItem
            if node.name == "#text":
                item = RunText(run, b"", raw.decode(), b"", lead=glue)
            elif node.name == "text:span" and not any(child.name in HOLDS for child in node.children):
                new = self.span(tree, node, glue)
                items += new
                glue = b"" if new else glue + raw
                continue
            elif node.name in HOLDS:
                inner, tail = self.level(tree, node.children, TextRun(b"", b"", ""))
                opened, closed = tree.raw(node.start, node.inner), tree.raw(node.outer, node.end)
                item = RunBox(opened, closed, inner, before=glue, tail=tail)
            else:
                item = self.atom(tree, node, run, glue)
            items.append(item)
            glue = b""
        return items, glue

    def span(self, tree: XmlTree, node: XmlNode, glue: bytes) -> list[RunItem]:
        name = tree.value(node, "text:style-name")
        opened, closed = tree.raw(node.start, node.inner), tree.raw(node.outer, node.end)
        run = TextRun(opened, closed, self.looks.get(name, name), before=glue)
        items, run.tail = self.level(tree, node.children, run)
        return items

    def atom(self, tree: XmlTree, node: XmlNode, run: TextRun, glue: bytes) -> RunAtom:
        kind = KINDS.get(node.name) or ("p" if POINTS.search(node.name) or PAIRED.match(node.name) else "x")
        nested = any(inner.name in OPEN_PARAGRAPHS for inner in node.walk())
        return RunAtom(
            kind, tree.raw(node.start, node.end), run, glue,
            ordered=nested or PAIRED.match(node.name) is not None, nested=(node.start, node.end) if nested else None,
        )  # fmt: skip
