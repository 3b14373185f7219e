"""Large numbers: Chinese counts by 万 (10⁴) and 亿 (10⁸), English and German by thousands, millions and billions.

So the same number has other figures: 120万 is 1.2 million, 1.6亿 is 160 million, and a billion is a Milliarde.
"""

from decimal import Decimal
from random import Random

from recipes.default.made_up_kinds.numerals import grouped
from recipes.default.made_up_kinds.trilingual import Kind, Phrase, fill

ZH_SCALES = ((10**12, "万亿"), (10**8, "亿"), (10**4, "万"))
EN_SCALES = ((10**12, " trillion"), (10**9, " billion"), (10**6, " million"))
DE_SCALES = ((10**12, " Billionen"), (10**9, " Milliarden"), (10**6, " Millionen"))
DE_ONE = {"1 Billionen": "1 Billion", "1 Milliarden": "1 Milliarde", "1 Millionen": "1 Million"}
LENGTHS = (5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 10, 11, 12, 13)  # in digits: the longer, the rarer
COUNTED = (
    Phrase("这个城市有{n}人口。", "This city has {n} inhabitants.", "Diese Stadt hat {n} Einwohner."),
    Phrase("有{n}人看了比赛。", "{n} people watched the game.", "{n} Menschen haben das Spiel gesehen."),
    Phrase(
        "这座博物馆每年有{n}名游客。", "The museum has {n} visitors a year.", "Das Museum hat {n} Besucher im Jahr."
    ),
    Phrase("图书馆里有{n}本书。", "The library has {n} books.", "Die Bibliothek hat {n} Bücher."),
    Phrase("去年卖出了{n}辆车。", "Last year {n} cars were sold.", "Letztes Jahr wurden {n} Autos verkauft."),
    Phrase("他们筹集了{n}美元。", "They raised {n} dollars.", "Sie haben {n} Dollar gesammelt."),
    Phrase("这座桥花了{n}欧元。", "The bridge cost {n} euros.", "Die Brücke hat {n} Euro gekostet."),
    Phrase("公司投资了{n}元。", "The company invested {n} yuan.", "Die Firma hat {n} Yuan investiert."),
)


def large(number: int) -> Phrase:
    """large(1_200_000) -> 120万, 1.2 million, 1,2 Millionen."""
    plain = grouped(number)
    de = scaled(number, DE_SCALES, plain.de).replace(".", ",") if number >= DE_SCALES[-1][0] else plain.de
    return Phrase(scaled(number, ZH_SCALES, plain.zh), scaled(number, EN_SCALES, plain.en), DE_ONE.get(de, de))


def scaled(number: int, scales: tuple[tuple[int, str], ...], plain: str) -> str:
    """By the largest scale that is not larger than the number."""
    for scale, name in scales:
        if number >= scale:
            return f"{Decimal(number) / scale:f}{name}"
    return plain


def any_large(rng: Random) -> Phrase:
    """Up to three digits and zeros, from ten thousand on: first how long, then the digits."""
    length, digits = rng.choice(LENGTHS), rng.choice((1, 2, 2, 3))
    return large(rng.randrange(10 ** (digits - 1), 10**digits) * 10 ** (length - digits))


def counted(rng: Random) -> Phrase:
    return fill(rng.choice(COUNTED), n=any_large(rng))


FORMS: tuple[Kind, ...] = (any_large, counted)


def draw(rng: Random) -> Phrase:
    return rng.choice(FORMS)(rng)
