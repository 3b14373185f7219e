"""A text in capitals alone, as signs and headlines have it: read in small letters, and its translation set in capitals.

    WARNING: DO NOT TOUCH!  ->  Warning: do not touch!  ->  Warnung: Nicht anfassen!  ->  WARNUNG: NICHT ANFASSEN!

A model has seen few words in capitals and takes them to pieces. No character is added or lost by any step, but that
SS is read as ß where German writes it so. In German nouns keep a capital, and in doubt a word is one; so do the
pronouns of "you". Abbreviations and what no language translates stay as they are.
"""

import re
from collections.abc import Callable, Iterator

from attendo.text.scripts import END, base_language
from attendo.text.verbatim import find_verbatim
from attendo.text.written_language import script_of_language, small_words

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
LONG = 7  # letters: a word alone, or without a small one beside it, that is no abbreviation
VOWEL = re.compile("[AEIOUYÄÖÜÀÁÂÃÅÆÈÉÊËÌÍÎÏÒÓÔÕØÙÚÛĄĘĚŮİ]")
BEGINS = re.compile(rf"{END}[^\w\s]*\s\D*$")  # a sentence, after such signs
CASED = ("Latin", "Cyrillic", "Greek")  # scripts of translations; of sources small words are known in Latin letters
# Those that could be read as words; what has no vowel is one anyway.
ABBREVIATIONS = frozenset(
    WORD.findall("""
        USA EU UN UNO UK NATO NASA UNESCO UNICEF OPEC WHO IMF CEO CIA FBI BBC AG IT PC TV CD DVD USB HDMI GPS API IP
        ID AI KI URL UI OS IOS PDF XML HTML FAQ ASAP DIY VIP AIDS COVID LED LCD WLAN WIFI SIM SUV ICE UEFA FIFA IKEA
        SAP ADAC EDV AGB IBAN BIC SEPA ARD ZDF SPD CDU CSU FDP AFD BAFÖG UFO
    """)
)
# Of these the pronoun is meant, unless they stand where only a noun can; and a sentence does not begin with "us".
ALSO_A_PRONOUN = frozenset(["US", "IT", "WHO"])
BEFORE_NOUN = frozenset(WORD.findall("the a an new our your my his their"))
# Nouns that stand among the small words of German, or look like verbs and adjectives.
GERMAN_NOUNS = frozenset(
    WORD.findall("""
        jahr jahre jahren tag tage tagen woche stunde stunden uhr zeit mann frau frauen kind kinder leute menschen
        welt haus hause arbeit schule buch geld wasser auto tür name freund freunde mutter vater eltern bruder
        schwester sohn tochter beispiel geschichte wort worte nacht abend fehler straße augen wahrheit tisch antwort
        quelle anleitung abschnitt kapitel frage fragen leben essen spiel spiele suche stelle

        könig könige fisch fische fischen fischer tiger honig essig käfig zweig zweige teig pfennig fleisch rindfleisch
        tische schreibtisch nachtisch prediger verteidiger titelverteidiger heilige heiligen angehörige angehörigen
        jugendliche jugendlichen jugendlicher englisch französisch spanisch italienisch chinesisch japanisch russisch
        türkisch leipzig danzig venedig braunschweig schleswig ludwig

        gemeinden gebieten gebäuden gedanken geschichten gesetzen geräten gerichten gegenden gegenständen geschäften
        gesprächen gefühlen geschenken getränken gebühren gefangenen germanen geburtstagen angeboten abgeordneten
        angestellten behörden beamten bereichen bergen beinen beeren betten beiträgen becken beispielen bestandteilen
        beschwerden beschäftigten befragten bedenken belgien erdbeben erwachsenen erbsen erdbeeren verfahren verhalten
        vertrauen verbrechen vergnügen vermögen vorgehen verbänden verträgen verlusten verwandten verletzten
        tieren haustieren säugetieren papieren offizieren turnieren nieren
    """)
)
# Pronouns that are "you" with a capital; "she" and "they" without are rarer on signs and in headlines.
GERMAN_YOU = frozenset(WORD.findall("sie ihnen ihr ihre ihren ihrem ihrer ihres"))
# Verbs after which SIE is "she".
GERMAN_SHE = frozenset(
    WORD.findall("""
        ist hat war hatte wird wurde kann konnte soll sollte will wollte darf durfte muss musste mag macht machte geht
        ging kommt kam sagt sagte sieht sah gibt gab nimmt nahm findet fand glaubt denkt dachte braucht heißt bleibt
        blieb spricht liest schreibt wartet hört versteht arbeitet wohnt kauft liebt liebte kennt sucht weiß wusste
    """)
)
# Forms that are no nouns, although they are in no list; Bestellungen and Verhältnissen are.
GERMAN_SMALL = re.compile(
    "(?!.*(?:ung|heit|keit|schaft|ion|tät|niss|erinn)en$)"
    "(?:(?:ab|an|auf|aus|ein|vor|zu|zurück)?ge[a-zäöü]+en|(?:be|ent|er|ver|zer)[a-zäöü]+en|[a-zäöü]+ier(?:en|t)"
    "|[a-zäöü]+(?:lich|isch|ig)(?:e[mnrs]?)?)"
)


# Stems with ß, which most capitals spell SS; not Aussicht, Kreisstadt, Masse, schloss.
SHARP_S = re.compile(
    r"(stra|gro|grö|gru|grü|flei|schwei|schlie|flie|gie|genie|schie|spie|stie|hie|fu|fü|sü|mä|gefä|sto|stö|blo|strau"
    r"|drau|preu|drei(?=ssig)|\b(?:hei|wei|lie)(?=ss(?:e|t|$))|\bspa|äu(?=sser)|au(?=sse(?:n(?!d)|r))|bu(?=ssgeld)"
    r"|ma(?=ss(?:nahm|stab|geb)))ss"
)


def is_in_capitals(text: str, language: str) -> bool:
    """Words, and not one small letter among them; nor abbreviations alone: USB HDMI."""
    if script_of_language(language) != "Latin" or not all_capitals(text):  # or there is no letter at all
        return False
    words = WORD.findall(text)
    small = small_words(base_language(language))
    # I... I... is written so anywhere.
    several = len(words) > 1 and any(as_listed(word) in small for word in words) and max(map(len, words)) > 1
    return several or any(len(word) >= LONG and VOWEL.search(word) for word in words)


def all_capitals(text: str) -> bool:
    """STRAßE, too: most people have no other ß."""
    return text.replace("ß", "ẞ").isupper()


def in_small_letters(text: str, language: str) -> str:
    """As the same would stand in running text, as far as rules can tell."""
    base = base_language(language)
    seen = "".join("0" * len(part) if stays else part for part, stays in verbatim_apart(text))
    parts: list[str] = []
    end, before = 0, "0"  # the word before; ":" after a colon, and none where a sentence begins
    for match in WORD.finditer(seen):
        gap = seen[end : match.start()] if end else f". {seen[: match.start()]}"
        before = "" if BEGINS.search(gap) else ":" if ":" in gap else before
        word, small = match.group(), match.group().lower()
        changes = len(small) == len(word)
        if base == "de":
            small = SHARP_S.sub(r"\1ß", small)
        parts += (text[end : match.start()], cased(word, small, before, base) if changes else word)
        end, before = match.end(), small
    return "".join([*parts, text[end:]])


def cased(word: str, small: str, before: str, base: str) -> str:
    """A word in capitals, and in small letters, as it is written after the one before."""
    listed = as_listed(small)
    if stays(word, listed, before, base):
        return word
    return small if before and not has_capital(listed, before, base) else word[0] + small[1:]


def as_listed(word: str) -> str:
    """As small words are listed, with the typewriter's apostrophe."""
    return word.lower().replace("’", "'")


def stays(word: str, small: str, before: str, base: str) -> bool:
    """Whether it is an abbreviation, by itself or by where it stands: US SENDS TROOPS, THE IT COMPANY, but TELL US."""
    if base == "en" and word in ALSO_A_PRONOUN:
        return before in BEFORE_NOUN or (word == "US" and before in ("", ":"))
    return small not in small_words(base) and is_abbreviation(word)


def has_capital(word: str, before: str, base: str) -> bool:
    """Whether it is written with one within a sentence, too."""
    if base == "en":
        return word.partition("'")[0] == "i"
    return base == "de" and (is_german_noun(word) or is_german_you(word, before))


def is_abbreviation(word: str) -> bool:
    return word in ABBREVIATIONS or not VOWEL.search(word)


def is_german_noun(word: str) -> bool:
    return word in GERMAN_NOUNS or not (word in small_words("de") or GERMAN_SMALL.fullmatch(word))


def is_german_you(word: str, before: str) -> bool:
    return word in GERMAN_YOU and not (word == "sie" and before in GERMAN_SHE)


def in_capitals(text: str, language: str) -> str:
    """A translation; ß has a capital of its own, so that the length stays. Chinese has none."""
    if script_of_language(language) not in CASED:
        return text
    return outside_verbatim(text, lambda part: "".join(map(upper, part)))


def upper(letter: str) -> str:
    return "ẞ" if letter == "ß" else large if len(large := letter.upper()) == 1 else letter


def lower(letter: str) -> str:
    return small if len(small := letter.lower()) == 1 else letter


def outside_verbatim(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if stays else change(part) for part, stays in verbatim_apart(text))


def verbatim_apart(text: str) -> Iterator[tuple[str, bool]]:
    """The text in parts, and whether each stays as it is: addresses, placeholders and their like, also those that are
    known by small letters alone: SETUP.EXE, $HOME."""
    end = 0
    for span in sorted(find_verbatim(text) + find_verbatim("".join(map(lower, text)))):
        yield text[end : span.start], False
        yield text[max(span.start, end) : span.end], True
        end = max(end, span.end)
    yield text[end:], False
