"""SubRip subtitles (.srt): a number, two times and the text of each cue.

    12
    00:01:02,500 --> 00:01:04,000 X1:40 X2:600 Y1:20 Y2:50
    {\\an8}<i>Nobody</i> knows
    where they went.

A line of times begins a cue, whatever stands before it; its text goes to the first blank line, or to the number of the
next cue where the blank line is missing.
"""

import re

from attendo.documents.document import utf8
from attendo.documents.formats.cues import Subtitles, as_subtitles, cue_of
from attendo.errors import DataError

TIME = r"(\d{1,3}):(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
TIMES = re.compile(rf"^[ \t]*{TIME}[ \t]*-->[ \t]*{TIME}[^\r\n]*(\r\n|\n|\r|\Z)", re.MULTILINE)
BLANK = re.compile(r"(?>\r\n|\n|\r)[ \t]*(?=[\r\n]|\Z)|\Z")  # (?>: \r\n is not \r and a blank line
NUMBER_BEFORE = re.compile(r"(?:\A|\r\n|\n|\r)[ \t]*\d+[ \t]*(\r\n|\n|\r)\Z")


def find_srt(data: bytes, name: str) -> Subtitles:
    text = utf8(data, name)
    times = list(TIMES.finditer(text))
    if not times:
        raise DataError(f"{name} has no times 00:00:01,000 --> 00:00:02,000: expected SubRip subtitles")
    cues = []
    for at, found in enumerate(times):
        start = found.end()
        limit = times[at + 1].start() if at + 1 < len(times) else len(text)
        times_of_cue = milliseconds(found, 1), milliseconds(found, 5)
        cues.append(cue_of(at + 1, times_of_cue, text, start, end_of_text(text, start, limit)))
    return as_subtitles(data, text, cues)


def milliseconds(found: re.Match[str], group: int) -> int:
    hours, minutes, seconds, fraction = (found[group + at] for at in range(4))
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1_000 + int(fraction.ljust(3, "0"))


def end_of_text(text: str, start: int, limit: int) -> int:
    """Of a cue that may take no more than up to `limit`."""
    if text[start : start + 1] in ("", "\r", "\n"):
        return start
    blank = BLANK.search(text, start, limit)
    end = blank.start() if blank else limit
    if end == limit and limit < len(text):  # no blank line before the next cue
        number = NUMBER_BEFORE.search(text, max(start - 2, 0), limit)
        end = max(start, number.start()) if number else limit
    return max(start, start + len(text[start:end].rstrip("\r\n")))
