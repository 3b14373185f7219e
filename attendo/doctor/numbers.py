"""Numbers that stand on one side only.

Only numbers in digits are asked for, because "one" and "ein" are rarely numbers. They may be answered in digits, in
number words, by a month or by a weekday; 1.000 answers 1,000, 19:30 answers 7:30, and '60s answers 1960s.
"""

import re
import unicodedata

from attendo.data.corpus import Pair

DIGIT = re.compile(r"\d")
NUMBER = re.compile(r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,'’]\d+)*")
CHINESE = "[〇零一二三四五六七八九十百千万萬亿億兆两兩半双雙俩倆廿卅壹贰叁肆伍陆柒捌玖拾]"
ENGLISH = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|"
    "trillion|half|quarter|dozen|once|twice|first|second|third|fifth|eighth|ninth|twelfth|twentieth|both|pair|double|"
    "triple|couple|noon|midnight|teen|decade|century|centuries|"
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
GERMAN = (
    "null|eins|einmal|zwei|zwo|drei|vier|fünf|sechs|sech|sieb|sieben|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|"
    "million|milliarde|billion|halb|hälfte|anderthalb|dutzend|erst|dritt|beide|doppel|paar|mittag|mitternacht|"
    "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|"
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
)
FRENCH = (
    "zéro|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante|"
    "cinquante|soixante|cent|mille|million|milliard|demi|moitié|quart|premi|second|fois|midi|minuit|"
    "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
)
CZECH = (
    "nula|dva|dvě|dvou|tři|tří|čtyři|čtyř|pět|šest|sedm|osm|devět|deset|jedenáct|dvanáct|třináct|dvacet|třicet|"
    "čtyřicet|padesát|sto|sta|stě|tisíc|milion|miliard|půl|polovin|čtvrt|první|druh|třetí|oba|obě|poledne|půlnoc|"
    "led|únor|břez|dub|květ|červ|srp|září|říj|listopad|prosin"
)
# A number word may go on: sixties, zweihundertste, cinquantaine. Roman numerals are capitals on their own.
NUMBER_WORD = re.compile(f"{CHINESE}|\\b(?:{ENGLISH}|{FRENCH}|{CZECH})|(?:{GERMAN})", re.IGNORECASE)
# 4万, 13-tausend and 3 million are answered by a number word or in full; as 4, 13 and 3 they ask for nothing.
MULTIPLIED = re.compile(
    r"[- ]?(?:[百千万萬亿億兆]|hundred|thousand|million|billion|hundert|tausend|mill?i|tisíc|mille)", re.I
)
ROMAN = re.compile(r"\b[IVXLCM]{1,7}\b")


def has_number_mismatch(pair: Pair) -> bool:
    """A number in digits on one side has no answer on the other. 0 and 1 are not asked for: 11:00, a week."""
    if not DIGIT.search(pair.source) and not DIGIT.search(pair.target):
        return False
    source, target = numbers_of(pair.source), numbers_of(pair.target)
    return is_unanswered(source, target, pair.target) or is_unanswered(target, source, pair.source)


def numbers_of(text: str) -> set[int]:
    """Digits without thousands and decimal signs, because 1.000 and 1,000 are the same in two languages."""
    text = unicodedata.normalize("NFKC", text)
    found = (match.group() for match in NUMBER.finditer(text) if not MULTIPLIED.match(text, match.end()))
    return {int("".join(letter for letter in number if letter.isdecimal())[:18]) for number in found}


def is_unanswered(asked: set[int], answers: set[int], text: str) -> bool:
    missing = {number for number in asked - answers if number > 1 and not in_other_words(number, answers)}
    return bool(missing) and not NUMBER_WORD.search(text) and not ROMAN.search(text)


def in_other_words(number: int, answers: set[int]) -> bool:
    """By the other clock, or a year without its century."""
    clock = number <= 24 and not answers.isdisjoint({number - 12, number + 12})
    century = any(
        number % 100 == answer % 100 and min(number, answer) < 100 < max(number, answer) for answer in answers
    )
    return clock or century
