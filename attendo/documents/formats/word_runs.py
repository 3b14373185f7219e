"""What a paragraph of Word (w:p) holds: runs, links, fields, and all that is no text.

w:r w:t                         text; w:tab, w:br, w:drawing, w:footnoteReference … stand among it
w:hyperlink w:ins w:sdt         hold text, and go with it
w:bookmarkStart … w:bookmarkEnd hold what is between them
w:fldChar … w:instrText …       a field: one that links holds its text, any other (a page's number) is one thing
w:del w:moveFrom                what somebody deleted stays as it is
m:oMath                         a formula stands for a word
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from attendo.documents.formats.runs import NEW_PAGE, AtomKind, RunAtom, RunBox, RunItem, RunText, TextRun
from attendo.documents.xml_tree import XmlNode, XmlTree

# Of a run's properties: what no reader sees.
UNSEEN = re.compile(
    rb"<(?:\w+:)?(lang|noProof|proofErr|webHidden)\b[^>]*?(/>|>.*?</(?:\w+:)?\1>)|\s\w+:rsid\w*=\"[^\"]*\""
)
HOLDS = frozenset(["w:hyperlink", "w:ins", "w:smartTag", "w:moveTo", "w:customXml", "w:bdo", "w:dir"])
UNCOPIED = frozenset(["w:ins", "w:moveTo", "w:customXml"])  # of a second paragraph: its ids are taken
GLUE = frozenset(["w:proofErr", "w:lastRenderedPageBreak", "#aside"])
WORDS = frozenset(["m:oMath", "m:oMathPara", "w:ruby"])
FIXED_CONTROLS = frozenset(["w:dropDownList", "w:comboBox", "w:date", "w:picture", "w:equation", "w:citation"])
RANGES = {
    f"w:{name}{start}": f"w:{name}{end}"
    for name, start, end in (
        ("bookmark", "Start", "End"),
        ("comment", "RangeStart", "RangeEnd"),
        ("perm", "Start", "End"),
        ("moveFrom", "RangeStart", "RangeEnd"),
        ("moveTo", "RangeStart", "RangeEnd"),
        ("customXmlInsRange", "Start", "End"),
    )
}
RANGE_ENDS = frozenset(RANGES.values())
LINKS = re.compile(r"\s*HYPERLINK\b", re.IGNORECASE)
SPACED = re.compile(rb"\sxml:space\s*=\s*[\"']preserve[\"']")
PARAGRAPHS = frozenset({"w:p", "a:p"})
DEEPEST = 20  # fields in fields, bookmarks in bookmarks


def word_items(tree: XmlTree, paragraph: XmlNode, content: Sequence[XmlNode]) -> list[RunItem]:
    items, glue = WordReader(tree, paragraph).level(content)
    if glue:
        items.append(RunAtom("p", glue))
    return items


class WordReader:
    def __init__(self, tree: XmlTree, paragraph: XmlNode) -> None:
        self.tree = tree
        self.inner = [node.start for node in paragraph.walk() if node.name in PARAGRAPHS and node is not paragraph]

    def raw(self, start: int, end: int) -> bytes:
        return self.tree.data[start:end]

    def holds_paragraphs(self, start: int, end: int) -> bool:
        return bisect_left(self.inner, start) < bisect_left(self.inner, end)

    def level(self, nodes: Sequence[XmlNode]) -> tuple[list[RunItem], bytes]:
        """The items, and what stands after them and means nothing."""
        items: list[RunItem] = []
        glue = b""
        for node in nodes:
            if node.name in GLUE or node.name == "#text" or is_empty_run(node):
                glue += self.raw(node.start, node.end)
                continue
            new = self.run(node) if node.name == "w:r" else [self.other(node)]
            if not new:  # a run of nothing but what means nothing
                glue += self.raw(node.start, node.end)
                continue
            self.lead(new[0], glue)
            glue = b""
            items += new
        return with_ranges(with_fields(items, self)), glue

    def lead(self, item: RunItem, glue: bytes) -> None:
        if isinstance(item, RunBox):
            item.before = glue
        elif item.run:
            item.run.before = glue
        else:
            item.lead = glue

    def other(self, node: XmlNode) -> RunItem:
        """What stands beside runs."""
        raw = self.raw(node.start, node.end)
        if node.name == "w:sdt":
            return self.control(node)
        if node.name == "w:fldSimple" and LINKS.match(self.tree.value(node, "w:instr")):
            return self.box(node, node.inner)
        if node.name in WORDS or node.name == "w:fldSimple":
            return self.point(node, "x")
        if node.name in HOLDS and node.outer > node.inner:
            properties = [child for child in node.children if child.name.endswith("Pr")]
            return self.box(node, properties[-1].end if properties else node.inner)
        if node.name in RANGES or node.name in RANGE_ENDS:
            return RunAtom("p", raw, ordered=True, mark=f"{node.name} {self.tree.value(node, 'w:id')}")
        return self.point(node)

    def box(self, node: XmlNode, inner: int) -> RunBox:
        items, tail = self.level([child for child in node.children if child.start >= inner])
        opened, closed = self.raw(node.start, inner), self.raw(node.outer, node.end)
        return RunBox(opened, closed, items, tail=tail, copied=node.name not in UNCOPIED)

    def control(self, node: XmlNode) -> RunItem:
        content, properties = node.child("w:sdtContent"), node.child("w:sdtPr")
        fixed = properties and any(one.name in FIXED_CONTROLS or "checkbox" in one.name for one in properties.elements)
        if content is None or fixed or content.inner == content.outer:
            return self.point(node, "x")
        items, tail = self.level(content.children)
        opened, closed = self.raw(node.start, content.inner), self.raw(content.outer, node.end)
        return RunBox(opened, closed, items, tail=tail, copied=False)

    def point(self, node: XmlNode, kind: AtomKind = "p") -> RunAtom:
        nested = (node.start, node.end) if self.holds_paragraphs(node.start, node.end) else None
        return RunAtom(kind, self.raw(node.start, node.end), nested=nested, ordered=nested is not None)

    def run(self, node: XmlNode) -> list[RunText | RunAtom]:
        properties = node.child("w:rPr")
        inner = properties.end if properties else node.inner
        look = UNSEEN.sub(b"", self.raw(properties.inner, properties.outer)).decode() if properties else ""
        run = TextRun(self.raw(node.start, inner), self.raw(node.outer, node.end), look, start=node.start, end=node.end)
        found: list[RunText | RunAtom] = []
        glue = b""
        for child in node.children:
            if child.start < inner:
                continue
            if child.name in GLUE or child.name == "#text":
                glue += self.raw(child.start, child.end)
                continue
            item, tail = self.in_run(child, run)
            if item is None:
                glue += tail
                continue
            item.lead = glue + item.lead
            glue = tail
            found.append(item)
        run.tail = glue
        return found

    def in_run(self, node: XmlNode, run: TextRun) -> tuple[RunText | RunAtom | None, bytes]:
        """None, and its bytes, for what means nothing; else the item, and what of it is not its own."""
        kind: AtomKind = "p"
        match node.name:
            case "w:t":
                return self.text(node, run)
            case "w:tab" | "w:ptab":
                kind = "tab"
            case "w:br" | "w:cr":
                kind = "tab" if self.tree.value(node, "w:type") in ("page", "column") else "br"
            case "w:ruby":
                kind = "x"
        atom = self.point(node, kind)
        atom.run = run
        if node.name == "w:br" and kind == "tab":
            atom.mark = NEW_PAGE
        if node.name in ("w:fldChar", "w:instrText", "w:delInstrText"):
            atom.ordered = True
            told = self.raw(node.inner, node.outer).decode()
            atom.mark = f"{node.name} {self.tree.value(node, 'w:fldCharType') or told}"
        return atom, b""

    def text(self, node: XmlNode, run: TextRun) -> tuple[RunText | RunAtom | None, bytes]:
        if any(child.name != "#text" for child in node.children):  # comments or CDATA among the letters
            return RunAtom("x", self.raw(node.start, node.end), run), b""
        opened, closed = self.raw(node.start, node.inner), self.raw(node.outer, node.end)
        text = self.raw(node.inner, node.outer).decode()
        start, end = 0, len(text)
        if not SPACED.search(opened):  # then white space at its edges does not count
            start = len(text) - len(text.lstrip())
            end = max(start, len(text.rstrip()))
        if start == end:
            return None, self.raw(node.start, node.end)
        before, after = text[:start].encode(), text[end:].encode()
        return RunText(run, opened + before, text[start:end], after + closed), b""


def is_empty_run(node: XmlNode) -> bool:
    return node.name == "w:r" and all(child.name in GLUE or child.name == "w:rPr" for child in node.children)


def with_fields(items: list[RunItem], reader: WordReader, depth: int = 0) -> list[RunItem]:
    """Fields that begin and end here as one thing, or as what holds their text; of others the marks stay in order."""
    found: list[RunItem] = []
    fields = ends_of_fields(items)
    at = 0
    while at < len(items):
        if at not in fields:
            found.append(items[at])
            at += 1
            continue
        middle, end = fields[at]
        last = end or middle or at
        whole = joined(items, at, last, reader)
        if end and middle and LINKS.match(instruction(items[at:middle])) and depth < DEEPEST:
            head, foot = joined(items, at, middle, reader), joined(items, end, end, reader)
            if head and foot:
                inner = with_fields(items[middle + 1 : end], reader, depth + 1)
                found.append(RunBox(head.raw, foot.raw, inner, before=head.lead, tail=foot.lead, copied=False))
                at = end + 1
                continue
            whole = None
        if whole:
            whole.kind, whole.ordered = ("x", False) if end else ("p", True)
            found.append(whole)
        else:
            found += items[at : last + 1]
        at = last + 1
    return found


def ends_of_fields(items: Sequence[RunItem]) -> dict[int, tuple[int, int]]:
    """Of each place where a field begins: where its text does, and where it ends; 0 where that is not here."""
    found: dict[int, tuple[int, int]] = {}
    opened: list[int] = []
    for index, item in enumerate(items):
        match item.mark if isinstance(item, RunAtom) else "":
            case "w:fldChar begin":
                opened.append(index)
                found[index] = 0, 0
            case "w:fldChar separate" if opened and not found[opened[-1]][0]:
                found[opened[-1]] = index, 0
            case "w:fldChar end" if opened:
                begin = opened.pop()
                found[begin] = found[begin][0], index
    return found


def instruction(items: Sequence[RunItem]) -> str:
    marks = [item.mark for item in items if isinstance(item, RunAtom)]
    return "".join(mark.removeprefix("w:instrText ") for mark in marks if mark.startswith("w:instrText"))


def joined(items: Sequence[RunItem], first: int, last: int, reader: WordReader) -> RunAtom | None:
    """Items as one, if they are whole runs."""
    ends = [item.run if not isinstance(item, RunBox) else None for item in (items[first], items[last])]
    if not ends[0] or not ends[1] or reader.holds_paragraphs(ends[0].start, ends[1].end):
        return None
    around = [items[first - 1] if first else None, items[last + 1] if last + 1 < len(items) else None]
    for run, beside in zip(ends, around, strict=True):
        if beside is not None and not isinstance(beside, RunBox) and beside.run is run:
            return None
    return RunAtom("p", reader.raw(ends[0].start, ends[1].end), lead=ends[0].before)


def with_ranges(items: list[RunItem]) -> list[RunItem]:
    """What is between the marks of a bookmark or a comment belongs to it, unless two of them cross."""
    levels: list[list[RunItem]] = [[]]
    opened: list[RunAtom] = []
    names = {item.mark for item in items if isinstance(item, RunAtom) and item.mark.split(" ")[0] in RANGE_ENDS}
    for item in items:
        mark = item.mark if isinstance(item, RunAtom) else ""
        name = mark.partition(" ")[0]
        if isinstance(item, RunAtom) and name in RANGES and closing(item) in names and len(opened) < DEEPEST:
            opened.append(item)
            levels.append([])
        elif isinstance(item, RunAtom) and opened and mark == closing(opened[-1]):
            inner, start = levels.pop(), opened.pop()
            if any(isinstance(one, (RunText, RunBox)) for one in inner):
                levels[-1].append(RunBox(start.raw, item.raw, inner, before=start.lead, tail=item.lead, copied=False))
            else:
                levels[-1] += [start, *inner, item]
        elif isinstance(item, RunAtom) and mark in [closing(one) for one in opened]:  # they cross
            while opened and mark != closing(opened[-1]):
                inner, start = levels.pop(), opened.pop()
                levels[-1] += [start, *inner]
            inner, start = levels.pop(), opened.pop()
            levels[-1] += [start, *inner, item]
        else:
            levels[-1].append(item)
    while opened:
        inner, start = levels.pop(), opened.pop()
        levels[-1] += [start, *inner]
    return levels[0]


def closing(start: RunAtom) -> str:
    name, _, number = start.mark.partition(" ")
    return f"{RANGES[name]} {number}"
