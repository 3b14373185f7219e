"""WebVTT subtitles (.vtt): blocks between blank lines; those with a line of times are cues, the others stay.

WEBVTT - A talk

STYLE
::cue(v[voice="Mary"]) { color: lime }

intro
00:01.000 --> 00:04.000 position:10% align:start
<v Mary>Good <c.loud>morning</c>, everybody.
"""

import re
from dataclasses import dataclass, replace
from dataclasses import fields as fields_of

from attendo.documents.document import utf8
from attendo.documents.formats.cues import RULES, Cue, Subtitles, as_subtitles, cue_of
from attendo.errors import DataError
from attendo.translation.markup.rules import MarkupRules

BEGINS = re.compile(r"\ufeff?WEBVTT(?=[ \t\r\n]|\Z)")
BLOCK = re.compile(r"[^\r\n]+(?:(?:\r\n|\n|\r)[^\r\n]+)*")  # lines that are not empty
TIME = r"(?:(\d{2,}):)?(\d\d):(\d\d)\.(\d{3})"
TIMES = re.compile(rf"(?:[^\r\n]*(?:\r\n|\n|\r))?[ \t]*{TIME}[ \t]*-->[ \t]*{TIME}[^\r\n]*(\r\n|\n|\r|\Z)")
LANGUAGE = re.compile(r"[^\r\n]*(?:(?:\r\n|\n|\r)(?!Language:)[^\r\n]+)*(?:\r\n|\n|\r)Language:[ \t]*([\w-]+)")
ASIDE = re.compile(r"(?:NOTE|STYLE|REGION)(?=[ \t\r\n]|\Z)")


@dataclass(frozen=True, kw_only=True)
class WebVttRules(MarkupRules):
    """<c.loud> is closed by </c>."""

    def name(self, written: str) -> str:
        return written.lower().partition(".")[0]


VTT = WebVttRules(
    **{one.name: getattr(RULES, one.name) for one in fields_of(MarkupRules) if one.name != "inline"},
    inline=RULES.inline | {"c", "v", "lang"},
)


def find_vtt(data: bytes, name: str) -> Subtitles:
    text = utf8(data, name)
    head = BEGINS.match(text)
    if not head:
        raise DataError(f"{name} does not begin with WEBVTT: expected WebVTT subtitles")
    cues: list[Cue] = []
    for block in BLOCK.finditer(text, head.start()):
        times = TIMES.match(text, block.start(), block.end())
        if times is None or ASIDE.match(text, block.start()) or block.start() == head.start():
            continue
        start = min(times.end(), block.end())
        if times[9] == "" and times.end() == block.end():  # a cue without text
            continue
        cues.append(cue_of(len(cues) + 1, (milliseconds(times, 1), milliseconds(times, 5)), text, start, block.end()))
    found = as_subtitles(data, text, cues, VTT)
    language = LANGUAGE.match(text)
    return replace(found, language=found.offsets.span(*language.span(1))) if language else found


def milliseconds(found: re.Match[str], group: int) -> int:
    hours, minutes, seconds, fraction = (int(found[group + at] or 0) for at in range(4))
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + fraction
