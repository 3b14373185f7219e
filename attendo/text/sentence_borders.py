"""Where a new sentence begins in a line, by rules for wide (Chinese, Japanese) and for spaced scripts.

In doubt there is no border: two sentences in one piece are translated a little worse, half a sentence is translated
wrongly. Every look back and ahead is short, so the time is linear in the line.

Abbreviations of four languages are spelt as in running text, without the last dot. Three kinds: `always` (titles, z.B.)
goes on whatever follows; `number` (No., S., Art.) goes on before a number only, because many of these are words too;
`often` (etc., U.S., J.) goes on unless the next word is a usual first word of a sentence.
"""

import re
from dataclasses import dataclass

from attendo.text.scripts import ELLIPSES, ENDS, HAN, KANA, OTHER_ENDS, WIDE_ENDS, base_language

SURE_ENDS = frozenset(WIDE_ENDS + OTHER_ENDS)
DOTS_ALONE = re.compile(f"[.{ELLIPSES}]+")

# “ closes in German and opens in Chinese; after a Latin end sign without a space it can only close.
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
DIGITS = re.compile(r"[\s#]{0,3}\d")  # No. 5
CODE = re.compile(r"[\s#]{0,3}(?:[A-Z]{2,5}[-/.]?|[A-Z][-/.])?\d")  # and no. ABC-1234; but: He said no. B2 is better.
LONGEST_WORD = 30
# 我……我不知道: so early in a sentence the dots are a pause.
EARLY = 6


@dataclass(frozen=True)
class Abbreviations:
    always: frozenset[str]
    number: frozenset[str]
    often: frozenset[str]
    starters: frozenset[str]  # in lower case
    ordinals: bool = False  # "3. Oktober": a number with a dot is an ordinal


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = Abbreviations(
    always=words(
        "Mr Mrs Ms Mx Dr Prof Rev Hon Gen Col Capt Lt Sgt Cpl Maj Cmdr Adm Gov Sen Rep Pres Supt Msgr Messrs Mme "
        "Mlle Gebr e.g i.e E.g I.e eg ie cf viz vs v approx ca c.f Mt Ft"
    ),
    number=words("No no Nos nos Nr nr Fig fig Figs figs Eq eq Sec sec Ch ch Vol vol pp p Art art Ph ph Tel tel Ex ex"),
    often=words(
        "St Jr Sr Inc Ltd Co Corp Bros Dept Univ Assn etc al a.m p.m A.M P.M Ph.D M.D B.A M.A D.C U.S U.K U.N E.U "
        "U.S.A Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Ave Blvd Rd Est est ed eds min max hrs hr ft oz lb "
        "lbs"
    ),
    starters=words(
        "the a an this that these those he she it they we i you his her its their our my your there here in on at "
        "by for from with without after before when while if although because since as but and or so yet however "
        "then what who where why how is are was were do does did can could will would no not one some all many "
        "most each i'm i've i'll i'd it's he's she's they're we're you're that's there's don't"
    ),
)
GERMAN = Abbreviations(
    always=words(
        "Dr Prof Hr Hrn Fr Frl Dipl Ing Med med St Sr bzw vgl Vgl z.B Z.B d.h D.h i.d.R u.U z.T z.Z z.Zt i.A i.V "
        "e.V m.E sog ca evtl ggf bspw inkl exkl zzgl abzgl max mind gem lt geb gest verh dt engl frz lat griech "
        "röm Mio Mrd Tsd insb insbes bes einschl entspr gegr Hrsg hrsg jew spez urspr zw Kl Tel tel Gebr Ggf Evtl "
        "Bzw Sog"
    ),
    number=words("Nr Nrn nr S Art Abs Kap Bd Bde Abb Tab Ziff Aufl Fn Anm Str str Rn Az No Pos Jg Mk Mt Lk Joh Ps"),
    often=words(
        "usw Corp etc u.a u.ä o.ä u.s.w u.v.m uvm Std Min min Sek Jh Jhd Co Inc Ltd Jr U.S Chr s.o s.u o.g a.D"
    ),
    starters=words(
        "der die das dem den ein eine einen einem einer ich du er sie es wir ihr man mein meine sein seine unser "
        "unsere dies diese dieser dieses jeder jede jedes in im an am auf aus bei mit nach von vom vor zu zum zur "
        "für über unter durch ohne gegen um wenn als ob weil da dann danach dort hier aber und oder doch denn so "
        "auch nun jetzt heute gestern morgen wer was wo wie warum wann kein keine nicht nur viele alle einige ist "
        "sind war hat haben"
    ),
    ordinals=True,
)
FRENCH = Abbreviations(
    always=words(
        "M MM Mme Mmes Mlle Mlles Dr Pr Prof Me Mgr St Ste Vve cf Cf c.-à-d p.ex par.ex env éd coll dir adj av apr "
        "bd tél Tél boul"
    ),
    number=words("p pp art chap fig n no nos vol t l al réf Art Chap Fig No"),
    often=words("etc J.-C Cie ex U.S janv févr juill sept oct nov déc min max"),
    starters=words(
        "le la les l un une des ce cet cette ces il elle ils elles on nous vous je tu mon ma mes son sa ses notre "
        "nos votre vos leur leurs dans en à au aux sur sous par pour avec sans après avant quand lorsque si comme "
        "mais et ou donc or ni car puis alors ensuite ainsi qui que quoi où pourquoi comment ici là voici c'est "
        "j'ai aujourd'hui hier demain tout tous toute toutes c j d n s qu"
    ),
)
CZECH = Abbreviations(
    always=words(
        "např tzv tj resp popř příp mj cca Ing Mgr MgA MUDr MVDr JUDr PhDr RNDr ThDr Dr Prof prof doc Doc Bc BcA "
        "sv tzn ul nám tř tel tis mil mld max min srov angl něm lat fr pí zejm vč vyd red"
    ),
    number=words("č čís str s odst odd písm obr tab kap roč r p par sv čl"),
    often=words("atd apod aj atp hod st stol n.l př.n.l Kč vteř kpt Inc Ltd U.S"),
    starters=words(
        "ten ta to ti ty on ona ono oni já my vy v ve na do z ze za po pod před při o u k ke s se když pokud "
        "protože ale a i nebo pak potom tam tady zde co kdo kde jak proč kdy dnes včera zítra jeho její můj moje "
        "náš naše tento tato toto tyto je jsou byl byla bylo byli není"
    ),
    ordinals=True,
)
BY_LANGUAGE = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "cs": CZECH}
# Others that write ordinals with a dot; of their abbreviations we know none but the English.
OTHERS_WITH_ORDINALS = words("sk pl sl hr sr bs da no nb nn fi et lv is hu tr")
OTHER = Abbreviations(ENGLISH.always, ENGLISH.number, ENGLISH.often, frozenset(), ordinals=True)


def abbreviations_of(language: str) -> Abbreviations:
    base = base_language(language)
    if base in BY_LANGUAGE:
        return BY_LANGUAGE[base]
    return OTHER if base in OTHERS_WITH_ORDINALS else ENGLISH


def borders(line: str, language: str) -> list[int]:
    """The positions where sentences begin, without 0, ascending; white space belongs to the sentence before."""
    known = abbreviations_of(language)
    is_french = language.lower().startswith("fr")
    found: list[int] = []
    start, counted, quotes = 0, 0, 0
    for ends in ENDS.finditer(line):
        first, last = ends.span()
        if last == len(line):  # after the last sign no sentence begins
            break
        if is_wide_end(line, first, ends.group()):
            after = closing(CLOSES_WIDE, line, last)
            quotes += line.count('"', counted, after)
            counted = after
            if quotes % 2 and line[after : after + 1] == '"':  # an open straight quote closes here
                after, counted, quotes = after + 1, after + 1, quotes + 1
            position = closing(SPACE, line, after)
            border = position < len(line) and ends_wide(line, start, ends, after, position)
        else:
            after = closing(CLOSES_FRENCH if is_french else CLOSES, line, last)
            position = closing(SPACE, line, after)
            border = position < len(line) and ends_spaced(line, start, ends, after, position, known)
        if border:
            found.append(position)
            start = position
    return found


def closing(pattern: re.Pattern[str], line: str, position: int) -> int:
    match = pattern.match(line, position)
    return match.end() if match else position


def is_wide(character: str) -> bool:
    return WIDE.match(character) is not None


def is_wide_end(line: str, first: int, run: str) -> bool:
    if not SURE_ENDS.isdisjoint(run):
        return True
    return run.strip(ELLIPSES) == "" and first > 0 and is_wide(line[first - 1])


def ends_wide(line: str, start: int, ends: re.Match[str], after: int, position: int) -> bool:
    first, last = ends.span()
    if line[position] in GOES_ON:
        return False
    if last == position and line[first - 1 : first].isdigit() and line[position].isdigit():
        return False  # 3。5, a decimal sign typed in the wrong width
    if ends.group().strip(ELLIPSES) == "" and first - start < EARLY:
        return False
    return not (after > last and SAYS_WHO.match(line, position))


def ends_spaced(line: str, start: int, ends: re.Match[str], after: int, position: int, known: Abbreviations) -> bool:
    """After . ! ? there must be a space and then something that may begin a sentence, or a wide character."""
    first, run, following = ends.start(), ends.group(), line[position]
    before = line[first - 1] if first > 0 else " "
    asks = "!" in run or "?" in run
    if position == after:
        if asks:
            return is_wide(following) or (is_wide(before) and following.isalnum())
        if run not in (".", "．") or not is_wide(following) or before.isdigit():
            return False
        return is_wide(before) or dot_ends(line, start, first, position, known)
    if following in GOES_ON:
        return False
    next_word = FIRST_WORD.match(line, position)
    if next_word and next_word.group(1)[0].islower():
        return False
    if asks or first == start:
        return first > start
    if DOTS_ALONE.fullmatch(run) and run != ".":  # Well... I do not know.
        return not (next_word and next_word.group(1).partition("'")[0] == "I")
    return dot_ends(line, start, first, position, known)


def dot_ends(line: str, start: int, dot: int, position: int, known: Abbreviations) -> bool:
    """Whether the one dot at `dot` ends the sentence that began at `start`, seen by the words around it."""
    begin = max(start, dot - LONGEST_WORD)
    before = WORD_BEFORE.search(line[begin:dot])
    word = before.group().lstrip("'") if before else ""
    if not word:
        return True
    next_word = FIRST_WORD.match(line, position)
    follows = next_word.group(1) if next_word else ""
    starts = follows.replace("’", "'").lower() in known.starters and follows[:1].isupper()
    if word.isdigit() or ROMAN.fullmatch(word):
        return number_ends(line, start, dot, word, starts, known)
    at_start = begin + len(line[begin:dot]) - len(word) == start
    spellings = {word, word[0].lower() + word[1:]} if at_start else {word}
    if spellings & known.always:
        return False
    code = DIGITS if at_start and word == "No" else CODE  # "No." is an answer
    numbered = code.match(line, position) or (ROMAN.fullmatch(follows) and not starts)
    if spellings & known.number and numbered:
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
