"""What people read in a Markdown text and we do not translate, so that the report names it.

[the map](map.png "Where it is")      the title of a link
[map]: map.png "Where it is"
::: tip Look here                     the title of a box
[^1]: A note.

    Its second paragraph.             to CommonMark this is code
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markdown_it.token import Token

from attendo.documents.formats.md_inline import TARGET, Inline
from attendo.documents.prose import is_prose

LINK_TITLE = "the title of a link or a picture is not translated"
BOX_TITLE = "the title of a box is not translated"
INDENTED = "an indented paragraph of a footnote or a box, which CommonMark takes for code"
NOTE = re.compile(r"[ ]{0,3}\[\^[^\]\s]{1,100}\]:")
BOX = re.compile(r"[ \t>]*(?:!!!|\?\?\?)")
BOX_NAMED = re.compile(
    r"[ \t>]*(?::{3,}[ \t]*[\w-]+(?:[ \t]+|\[)(?P<bare>[^\r\n{}\]]+)"
    r"|(?:!!!|\?\?\?\+?)[^\r\n\"]*\"(?P<quoted>[^\"\r\n]+)\")"
)
FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
CODE_INSIDE = 8  # columns: code even inside of a footnote


class MdLeft(NamedTuple):
    line: int
    kind: str
    why: str


def link_titles(content: str, parts: Sequence[Inline]) -> Iterator[int]:
    """Where in the content of a block the titles of its links and pictures stand."""
    for part in parts:
        if part.kind not in ("close", "image"):
            continue
        after = part.inner[1] + 1 if part.kind == "image" else part.start + 1
        target = TARGET.match(content, after, part.end) if content[after - 1 : after] == "]" else None
        if target and target["title"] and is_prose(target["title"][1:-1]):
            yield target.start("title")


def left_in_blocks(lines: Sequence[str], tokens: Sequence[Token], env: Mapping[str, Any]) -> Iterator[MdLeft]:
    """`lines` are those of the text, `tokens` and `env` what markdown-it makes of it."""
    for one in env.get("references", {}).values():
        if is_prose(one.get("title", "")):
            yield MdLeft(one["map"][0] + 1, "attribute", LINK_TITLE)
    code: set[int] = set()
    opened = False  # what is indented now belongs to a footnote or a box
    end = 0
    for token in tokens:
        if token.level or not token.map:
            continue
        first, last = token.map
        opened = opened and token.type == "code_block"
        opened = opened or any(BOX.match(line) for line in lines[end:first])
        if token.type == "code_block" and opened:
            yield from indented(lines, first, last)
        elif token.type in ("code_block", "fence", "html_block"):
            code.update(range(first, last))
        elif token.type == "paragraph_open":
            opened = any(NOTE.match(line) for line in lines[first:last])
        end = last
    for at, line in enumerate(lines):
        named = BOX_NAMED.match(line) if at not in code else None
        if named and is_prose(named["bare"] or named["quoted"]):
            yield MdLeft(at + 1, "title", BOX_TITLE)


def indented(lines: Sequence[str], first: int, last: int) -> Iterator[MdLeft]:
    """Paragraphs among lines that are indented."""
    begins = True
    for at in range(first, last):
        line = lines[at].expandtabs(4)
        bare = line.lstrip()
        is_box = BOX.match(line) is not None
        if begins and not is_box and is_prose(bare) and not FENCE.match(line) and len(line) - len(bare) < CODE_INSIDE:
            yield MdLeft(at + 1, "paragraph", INDENTED)
        begins = not bare or is_box
