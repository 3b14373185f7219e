"""Nations: countries, those who hold an office in them, and bodies such as ministries, in the four German cases.

    country("a", TURKEY)["a_gen"] -> 土耳其, Turkey, der Türkei
    official("host", GERMANY, FOREIGN_MINISTER, "f")["host_dat"] -> 德国外长, the German foreign minister,
        der deutschen Außenministerin

German decides the forms: where it says the same in two cases, and in Chinese and English everywhere, they are equal.
"""

import re
from typing import Literal

from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import rows

COUNTRIES = tuple(rows("countries"))
STATES = tuple(row for row in COUNTRIES if row["group"] != "plural")  # of which one says "is"
OFFICES = tuple(rows("offices"))
BODIES = tuple(rows("bodies"))

CASES = ("", "_acc", "_dat", "_gen")
THE = {"m": ("der", "den", "dem", "des"), "f": ("die", "die", "der", "der"), "n": ("das", "das", "dem", "des")}
# Of an adjective after der: only nominatives and the accusatives that look like them have the short ending.
WEAK = {"m": ("e", "en", "en", "en"), "f": ("e", "e", "en", "en"), "n": ("e", "e", "en", "en")}
CHINA = "中国"
UNKNOWN_IN_CHINA = ("总统", "副总统", "议长", "央行行长")  # these have other titles there
PRESIDENTS = ("总统", "副总统")

Row = dict[str, str]


def country(name: str, row: Row) -> dict[str, Phrase]:
    """The slots {name}, {name_dat}, {name_gen}, {to_name} and {name_adj}, to whose German an ending is put."""
    zh, en, de = row["zh"], row["en"], row["de"]
    bare = de.removeprefix("die ")
    if row["group"] == "plain":
        dative, genitive, to = de, f"von {de}" if de.endswith("s") else f"{de}s", f"nach {de}"
    elif row["group"] == "feminine":
        dative, genitive, to = f"der {bare}", f"der {bare}", f"in {de}"
    else:  # die Niederlande, in den Niederlanden; die USA, in den USA
        dative, genitive, to = f"den {bare}n" if bare.endswith("e") else f"den {bare}", f"der {bare}", f"in {de}"
    return {
        name: Phrase(zh, en, de),
        f"{name}_dat": Phrase(zh, en, dative),
        f"{name}_gen": Phrase(zh, en, genitive),
        f"to_{name}": Phrase(zh, f"to {en}", to),
        f"{name}_adj": Phrase(zh, row["en_adj"], row["de_adj"]),
    }


def official(name: str, row: Row, office: Row, gender: Literal["m", "f"]) -> dict[str, Phrase]:
    """Who holds an office in a country."""
    if gender == "f":
        nouns = [office["de_woman"]] * 4
    elif office["de_weak"] == "yes":  # der Präsident, den Präsidenten
        nouns = [office["de"]] + [office["de"] + "en"] * 3
    else:
        nouns = [office["de"]] * 3 + [office["de"] + "s"]
    zh, en = f"{row['zh']}{office['zh']}", f"the {row['en_adj']} {office['en']}"
    return {
        f"{name}{case}": Phrase(zh, en, f"{the} {row['de_adj']}{ending} {noun}")
        for case, the, ending, noun in zip(CASES, THE[gender], WEAK[gender], nouns, strict=True)
    }


def visitor(row: Row, office: Row, gender: Literal["m", "f"]) -> Phrase:
    """来访的德国外长; German says it in the accusative only."""
    plain = official("who", row, office, gender)["who_acc"]
    article, rest = plain.de.split(" ", 1)
    visiting = "weilenden" if gender == "m" else "weilende"
    return Phrase(
        f"来访的{plain.zh}",
        f"the visiting {plain.en.removeprefix('the ')}",
        f"{article} zu Besuch {visiting} {rest}",
    )


def named(row: Row, office: Row, gender: Literal["m", "f"], surname: Phrase) -> Phrase:
    """德国外长韦伯, German Foreign Minister Weber, der deutsche Außenminister Weber."""
    plain = official("who", row, office, gender)["who"]
    title = office["en"].title().replace(" Of ", " of ")
    return Phrase(f"{plain.zh}{surname.zh}", f"{row['en_adj']} {title} {surname.en}", f"{plain.de} {surname.de}")


def body(name: str, row: Row, of: Row) -> dict[str, Phrase]:
    """A ministry of a country, or what belongs to none: dem Obersten Gerichtshof, dem spanischen Außenministerium."""
    gender, nominative, genitive = row["gender"], row["de"], row["de_gen"]
    oblique = re.sub(r"e (?=[A-Z])", "en ", nominative)
    nouns = (nominative, oblique if gender == "m" else nominative, oblique, genitive)
    national = row["group"] == "national"
    zh = of["zh"] + row["zh"] if national else row["zh"]
    en = f"the {of['en_adj']} {row['en']}" if national else row["en"]
    adjectives = (f"{of['de_adj']}{ending} " if national else "" for ending in WEAK[gender])
    return {
        f"{name}{case}": Phrase(zh, en, f"{the} {adjective}{noun}")
        for case, the, adjective, noun in zip(CASES, THE[gender], adjectives, nouns, strict=True)
    }


def offices_of(row: Row) -> tuple[Row, ...]:
    """The offices that are known by these names there."""
    unknown = UNKNOWN_IN_CHINA if row["zh"] == CHINA else PRESIDENTS if row["president"] == "no" else ()
    return tuple(office for office in OFFICES if office["zh"] not in unknown)
