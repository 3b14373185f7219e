"""Values of numbers written as words, in English, German, French, Czech and Chinese.

Made to find an answer to a number in digits, so it is generous: every part of a number word counts ("twenty-five" says
25, but also 20 and 5), ordinals, months, "both" and "dozen" too.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from attendo.text.scripts import base_language, writes_han

EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
DE = (
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn"
)
FR = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
CS = (
    "nul jed dv tři čtyři pět šest sedm osm devět deset jedenáct dvanáct třináct čtrnáct patnáct šestnáct sedmnáct "
    "osmnáct devatenáct"
)
TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "cs": "dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát",
}
MONTHS = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "cs": "led únor břez dub květ červ červenec srp září říj listopad prosin",
}
SHORT_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
    "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
# Stems, so that inflected forms and ordinals are found; of those that fit the longest is taken.
MORE = {
    "en": {
        "first": 1, "once": 1, "second": 2, "twice": 2, "both": 2, "pair": 2, "couple": 2, "double": 2, "twin": 2,
        "third": 3, "triple": 3, "trio": 3, "thrice": 3, "fif": 5, "nin": 9, "eigh": 8, "twelf": 12, "dozen": 12,
        "noon": 12, "midnight": 12, "fourty": 40, "twentie": 20, "thirtie": 30, "fortie": 40, "fiftie": 50,
        "sixtie": 60, "seventie": 70, "eightie": 80, "ninetie": 90, "half": 30, "quarter": 15, "decade": 10,
        "fortnight": 14,
    },
    "de": {
        "erst": 1, "zwo": 2, "beide": 2, "doppel": 2, "paar": 2, "halb": 30, "hälfte": 50, "viertel": 15, "dritt": 3,
        "sech": 6, "sieb": 7, "dutzend": 12, "mittag": 12, "mitternacht": 12, "dreissig": 30, "jänner": 1, "juno": 6,
        "zwilling": 2,
    },
    "fr": {
        "premi": 1, "second": 2, "deuxi": 2, "quatr": 4, "cinqu": 5, "neuv": 9, "onz": 11, "douz": 12, "treiz": 13,
        "quatorz": 14, "quinz": 15, "seiz": 16, "trent": 30, "quarant": 40, "cinquant": 50, "soixant": 60, "midi": 12,
        "minuit": 12, "demi": 30, "moitié": 50, "quart": 15, "double": 2, "triple": 3, "couple": 2,
        "huitant": 80,
    },
    "cs": {
        "prvn": 1, "jeden": 1, "dva": 2, "dvě": 2, "dvou": 2, "druh": 2, "oba": 2, "obě": 2, "třet": 3, "tří": 3,
        "třem": 3, "čtvrt": 15, "čtyř": 4, "pát": 5, "pěti": 5, "devít": 9, "desít": 10, "půl": 30, "poledne": 12,
        "tucet": 12,
    },
}  # fmt: skip
MULTIPLIERS = {
    "en": {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
    "de": {"hundert": 100, "tausend": 10**3, "million": 10**6, "milliarde": 10**9, "billion": 10**12},
    "fr": {"cent": 100, "mille": 10**3, "million": 10**6, "milliard": 10**9},
    "cs": {"sto": 100, "stě": 100, "sta": 100, "set": 100, "tisíc": 10**3, "milion": 10**6, "miliard": 10**9},
}
# What may follow a stem for it to be a number word; German and Czech go on in too many ways to list.
ENDINGS = {
    "en": {"", "s", "th", "ths", "fold"},
    "fr": {"", "s", "e", "es", "ième", "ièmes", "ème", "aine", "aines", "er", "ers", "ère", "ères"},
}
UNITS = {"en": EN, "de": DE, "fr": FR, "cs": CS}
AND = {"and", "und", "et", "a"}
MOST_READINGS = 32

WORD = re.compile(r"[^\W\d_]+")
EIGHTY = re.compile("quatre[- ]vingts?")  # one number of two words; huitante is the Swiss word for it
CHINESE_DIGITS = {
    "零": 0, "〇": 0, "○": 0, "一": 1, "壹": 1, "二": 2, "贰": 2, "貳": 2, "两": 2, "兩": 2, "俩": 2, "双": 2, "雙": 2,
    "三": 3, "叁": 3, "參": 3, "仨": 3, "四": 4, "肆": 4, "五": 5, "伍": 5, "六": 6, "陆": 6, "陸": 6, "七": 7, "柒": 7,
    "八": 8, "捌": 8, "九": 9, "玖": 9,
}  # fmt: skip
CHINESE_UNITS = {"十": 10, "拾": 10, "廿": 20, "卅": 30, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
CHINESE_GROUPS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
CHINESE = "".join([*CHINESE_DIGITS, *CHINESE_UNITS, *CHINESE_GROUPS])
CHINESE_NUMBER = re.compile(f"[{CHINESE}]{{1,30}}")
# Halves and quarters of an hour, of a hundred.
CHINESE_MORE = {"半": (30, 50), "刻": (15, 45), "午": (12,), "打": (12,)}


def is_known(language: str) -> bool:
    """Whether we know the number words of the language."""
    return base_language(language) in UNITS or writes_han(language)


def values_in_words(text: str, language: str) -> set[int]:
    """All values that words of the text may stand for."""
    base = base_language(language)
    if base in UNITS:
        return set(values_of_stream(stems_of(text.lower(), base)))
    if writes_han(language):
        found = {value for sign, values in CHINESE_MORE.items() if sign in text for value in values}
        for match in CHINESE_NUMBER.finditer(text):
            found.update(chinese_values(match.group()))
        return found
    return set()


def names_month(text: str, month: int, language: str) -> bool:
    """Whether the month has its name there: October, Oct., 10月."""
    if writes_han(language):
        numeral = f"{'十' * (month >= 10)}{'一二三四五六七八九'[(month - 1) % 10] if month != 10 else ''}"
        return re.search(rf"(?:(?<!\d)0?{month}|(?<!十){numeral}) ?月", text) is not None
    names = MONTHS.get(base_language(language), "").split()
    names = [*names[month - 1 : month], *(name for name, value in SHORT_MONTHS.items() if value == month)]
    return any(re.search(rf"(?<![^\W\d_]){name}", text.lower()) for name in names)


@cache
def stems(language: str) -> tuple[re.Pattern[str], dict[str, int]]:
    values = {word: value for value, word in enumerate(UNITS[language].split())}
    values |= {word: 20 + 10 * index for index, word in enumerate(TENS[language].split())}
    values |= {word: 1 + index for index, word in enumerate(MONTHS[language].split())}
    values |= MORE[language] | MULTIPLIERS[language]
    longest_first = sorted(values, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))), values


def stems_of(text: str, language: str) -> Iterator[tuple[int, bool]]:
    """The values of number stems in order, and whether each may continue the number before it.

    Words begin with them, and in German more may follow in the same word; any other word but "and" ends a number.
    """
    pattern, values = stems(language)
    goes_on = False
    for word in WORD.finditer(EIGHTY.sub(" huitante ", text) if language == "fr" else text):
        letters = word.group()
        index, found = 0, False
        while (match := pattern.match(letters, index)) and (language == "de" or not found):
            if language in ENDINGS and letters[match.end() :] not in ENDINGS[language]:
                break
            yield values[match.group()], found or goes_on
            found = True
            index = match.end() + 3 * letters.startswith("und", match.end())
        if not found and letters[:3] in SHORT_MONTHS and len(letters) <= 4:
            yield SHORT_MONTHS[letters[:3]], False
        goes_on = found or (goes_on and letters in AND)


def values_of_stream(stream: Iterable[tuple[int, bool]]) -> Iterator[int]:
    """Sums and products as numbers are said, and every part: (2) (100) (5) (20) is 225, (19) (80) (4) is 1984.

    Two tens may be a sum, as in soixante-dix, or a year, so several readings are kept: pairs of what comes after the
    last thousand, and of what comes before it.
    """
    readings = {(0, 0)}
    for value, goes_on in stream:
        yield value
        before = readings if goes_on else {(0, 0)}
        if value >= 1000:
            readings = {(total + max(1, current) * value, 0) for total, current in before}
        elif value == 100:
            readings = {(total, max(1, current) * 100) for total, current in before}
        else:
            readings = {(total, current + value) for total, current in before}
            readings |= {(total, current * 100 + value) for total, current in before if 10 <= current <= 99}
            readings.add((0, value))  # or another number begins: "first, twenty-six"
        readings = set(sorted(readings)[:MOST_READINGS])
        yield from (total + current for total, current in readings)
        yield from (current for _, current in readings)


def chinese_values(text: str) -> set[int]:
    """二十五 is 25, 一九四五 is 1945, 两三 is 2, 3 and 23; each digit counts on its own too."""
    found = {CHINESE_DIGITS[sign] for sign in text if sign in CHINESE_DIGITS}
    if all(sign in CHINESE_DIGITS for sign in text):
        found.add(int("".join(str(CHINESE_DIGITS[sign]) for sign in text)))
        return found
    total = section = digit = 0
    last_unit = 1
    for sign in text:
        if sign in CHINESE_DIGITS:
            digit = CHINESE_DIGITS[sign]
            last_unit = 1 if digit == 0 else last_unit
        elif sign in CHINESE_UNITS:
            last_unit = CHINESE_UNITS[sign]
            found.add(last_unit)
            section += max(1, digit) * last_unit if last_unit not in (20, 30) else last_unit
            digit = 0
        else:
            group = CHINESE_GROUPS[sign]
            total = (total + section + digit or 1) * group if total < group else total + max(1, section + digit) * group
            section = digit = 0
            last_unit = group
        found.update({section + digit, total + section + digit})
    found.add(total + section + digit * (last_unit // 10 if last_unit >= 100 else 1))  # 三百五 is 350
    return found
