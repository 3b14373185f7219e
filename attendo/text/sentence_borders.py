"""Where a new sentence begins in a line, by rules for wide (Chinese, Japanese) and for spaced scripts.

In doubt there is no border: two sentences in one piece are translated a little worse, half a sentence is translated
wrongly. Every look back and ahead is short, so the time is linear in the line.
"""

import re

from attendo.text.abbreviations import Abbreviations, abbreviations
from attendo.text.pretokenize import HAN, KANA

WIDE_ENDS = "。！？｡"
# Arabic, Urdu, Indic, Burmese, Khmer, Ethiopic, Armenian, Tibetan: these have no other use.
OTHER_ENDS = "؟۔।॥။។።։༎"
SURE_ENDS = frozenset(WIDE_ENDS + OTHER_ENDS)
ELLIPSES = "…⋯"
ENDS = re.compile(f"[.!?．‼⁇⁈⁉{WIDE_ENDS}{OTHER_ENDS}{ELLIPSES}]+")
DOTS_ALONE = re.compile(f"[.{ELLIPSES}]+")

# “ closes in German and opens in Chinese; behind a Latin end sign without a space it can only close.
CLOSES = re.compile("[\"'”’“‘»«›‹)\\]}」』）】》〉〕］｝＂*_]*")
CLOSES_WIDE = re.compile("[”’」』）】》〉〕］｝)\\]}]*")
CLOSES_FRENCH = re.compile("[\"'”’)\\]}]*(?:[ \u00a0\u202f]?»)?[\"'”’)\\]}]*")
SPACE = re.compile(r"\s*")

GOES_ON = set(",;:，、；：)]}）】」』》〉%‰~～·/\\&") | set(WIDE_ENDS) | set(".!?…⋯")
OPENS = "\"'“‘„‚«»‹›(\\[{「『（【《〈〔¿¡—–*•#\\-"
FIRST_WORD = re.compile(rf"[\s{OPENS}]{{0,8}}([^\W_]+(?:['’][^\W_]+)?)")
# The apostrophe is inside a word (lawyer's), the other opening signs are not.
WORD_BEFORE = re.compile(rf"[^\s{OPENS[2:]}/{HAN}{KANA}]*\Z")
WIDE = re.compile(f"[{HAN}{KANA}“‘「『（【《〈〔\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
# 「…。」と言った · “……。”他说: what is quoted belongs to the sentence that says who said it.
SAYS_WHO = re.compile(f"(?:と|って|という|など|(?:(?![没沒不])[{HAN}]){{0,6}}?[说說道问問喊叫答嚷])")
DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")  # z.B, U.S, c.-à-d
ROMAN = re.compile(r"[IVXLCDM]+")
LONGEST_WORD = 30
# 我……我不知道: so early in a sentence the dots are a pause.
EARLY = 6


def borders(line: str, language: str) -> list[int]:
    """The places where sentences begin, without 0, ascending; white space belongs to the sentence before."""
    known = abbreviations(language)
    is_french = language.lower().startswith("fr")
    found: list[int] = []
    start, counted, quotes = 0, 0, 0
    for ends in ENDS.finditer(line):
        first, last = ends.span()
        if last == len(line):  # behind the last sign no sentence begins
            break
        if is_wide_end(line, first, ends.group()):
            after = closing(CLOSES_WIDE, line, last)
            quotes += line.count('"', counted, after)
            counted = after
            if quotes % 2 and line[after : after + 1] == '"':  # an open straight quote closes here
                after, counted, quotes = after + 1, after + 1, quotes + 1
            place = closing(SPACE, line, after)
            border = place < len(line) and ends_wide(line, start, ends, after, place)
        else:
            after = closing(CLOSES_FRENCH if is_french else CLOSES, line, last)
            place = closing(SPACE, line, after)
            border = place < len(line) and ends_spaced(line, start, ends, after, place, known)
        if border:
            found.append(place)
            start = place
    return found


def closing(pattern: re.Pattern[str], line: str, place: int) -> int:
    match = pattern.match(line, place)
    return match.end() if match else place


def is_wide(character: str) -> bool:
    return WIDE.match(character) is not None


def is_wide_end(line: str, first: int, run: str) -> bool:
    if not SURE_ENDS.isdisjoint(run):
        return True
    return run.strip(ELLIPSES) == "" and first > 0 and is_wide(line[first - 1])


def ends_wide(line: str, start: int, ends: re.Match[str], after: int, place: int) -> bool:
    first, last = ends.span()
    if line[place] in GOES_ON:
        return False
    if last == place and line[first - 1 : first].isdigit() and line[place].isdigit():
        return False  # 3。5, a decimal sign typed in the wrong width
    if ends.group().strip(ELLIPSES) == "" and first - start < EARLY:
        return False
    return not (after > last and SAYS_WHO.match(line, place))


def ends_spaced(line: str, start: int, ends: re.Match[str], after: int, place: int, known: Abbreviations) -> bool:
    """Behind . ! ? there must be a space and then something that may begin a sentence, or a wide character."""
    first, run, following = ends.start(), ends.group(), line[place]
    before = line[first - 1] if first > 0 else " "
    asks = "!" in run or "?" in run
    if place == after:
        if asks:
            return is_wide(following) or (is_wide(before) and following.isalnum())
        if run not in (".", "．") or not is_wide(following) or before.isdigit():
            return False
        return is_wide(before) or dot_ends(line, start, first, place, known)
    if following in GOES_ON:
        return False
    next_word = FIRST_WORD.match(line, place)
    if next_word and next_word.group(1)[0].islower():
        return False
    if asks or first == start:
        return first > start
    if DOTS_ALONE.fullmatch(run) and run != ".":  # Well... I do not know.
        return not (next_word and next_word.group(1).partition("'")[0] == "I")
    return dot_ends(line, start, first, place, known)


def dot_ends(line: str, start: int, dot: int, place: int, known: Abbreviations) -> bool:
    """Whether the one dot at `dot` ends the sentence that began at `start`, seen by the words around it."""
    begin = max(start, dot - LONGEST_WORD)
    before = WORD_BEFORE.search(line[begin:dot])
    word = before.group().lstrip("'") if before else ""
    if not word:
        return True
    next_word = FIRST_WORD.match(line, place)
    follows = next_word.group(1) if next_word else ""
    starts = follows.replace("’", "'").lower() in known.starters and follows[:1].isupper()
    if word.isdigit() or ROMAN.fullmatch(word):
        return number_ends(line, start, dot, word, starts, known)
    at_start = begin + len(line[begin:dot]) - len(word) == start
    spellings = {word, word[0].lower() + word[1:]} if at_start else {word}
    if spellings & known.always:
        return False
    if spellings & known.number and (follows[:1].isdigit() or (ROMAN.fullmatch(follows) and not starts)):
        return False
    if spellings & known.often:
        return starts
    if len(word) == 1 and word.isalpha() and not is_wide(word):  # J. R. Smith, z. B., a list's a.
        second = line[max(start, dot - 4) : dot - 1].strip()[-1:] == "."
        return starts and word.isupper() and not second
    if DOTTED.fullmatch(word):
        return starts and word[0].isupper()
    return True


def number_ends(line: str, start: int, dot: int, number: str, starts: bool, known: Abbreviations) -> bool:
    """1. at the beginning numbers a list; 3. Oktober and Karl V. go on where ordinals have a dot."""
    if not line[start : min(dot - len(number), start + LONGEST_WORD)].strip(" \t(*•-"):
        return False
    if number.isdigit() and not (known.ordinals and len(number) <= 2):
        return True
    counted = line[max(start, dot - LONGEST_WORD) : dot - len(number)].split()
    if counted and counted[-1].removesuffix(".") in known.number:  # Nr. 7. Danke
        return True
    if not known.ordinals and len(number) > 1:  # Part II. Next
        return True
    return starts
