"""Dates: days, months, years, weekdays, decades and centuries, in the order and with the marks of each language."""

from datetime import date, timedelta
from random import Random

from recipes.default.made_up_kinds.numerals import chinese_count, english, english_ordinal, german
from recipes.default.made_up_kinds.trilingual import Kind, Phrase, fill, same
from recipes.default.made_up_kinds.words import MONTHS, WEEKDAYS

AROUND_WEEKDAYS = (
    Phrase("{day}", "{day}", "{day}"),
    Phrase("下{day}", "next {day}", "nächsten {day}"),
    Phrase("上{day}", "last {day}", "letzten {day}"),
    Phrase("每个{day}", "every {day}", "jeden {day}"),
    Phrase("{day}上午", "{day} morning", "{day}vormittag"),
    Phrase("{day}晚上", "{day} evening", "{day}abend"),
    Phrase("今天是{day}。", "Today is {day}.", "Heute ist {day}."),
    Phrase("明天是{day}。", "Tomorrow is {day}.", "Morgen ist {day}."),
)
AROUND_DAYS = (  # of a year, and with one: German puts both into the dative, where the number looks alike
    Phrase("{date}", "{date}", "{date}"),
    Phrase("在{date}", "on {date}", "am {date}"),
    Phrase("{date}之前", "before {date}", "vor dem {date}"),
    Phrase("自{date}起", "from {date}", "ab dem {date}"),
    Phrase("今天是{date}。", "Today is {date}.", "Heute ist der {date}."),
    Phrase("她出生于{date}。", "She was born on {date}.", "Sie wurde am {date} geboren."),
)
AROUND_YEARS = (
    Phrase("{year}年", "the year {year}", "das Jahr {year}"),
    Phrase("在{year}年", "in {year}", "im Jahr {year}"),
    Phrase("自{year}年以来", "since {year}", "seit {year}"),
    Phrase("直到{year}年", "until {year}", "bis {year}"),
    Phrase("{year}年夏天", "the summer of {year}", "der Sommer {year}"),
    Phrase("{year}年冬天", "the winter of {year}", "der Winter {year}"),
    Phrase("公元前{year}年", "{year} BC", "{year} v. Chr."),
)
SPANS = (  # how Chinese, English and German (dative plural) count them
    Phrase("{n}天", "{n} days", "{n} Tagen"),
    Phrase("{n}周", "{n} weeks", "{n} Wochen"),
    Phrase("{n}个月", "{n} months", "{n} Monaten"),
    Phrase("{n}年", "{n} years", "{n} Jahren"),
)
AROUND_SPANS = (Phrase("{span}前", "{span} ago", "vor {span}"), Phrase("{span}后", "in {span}", "in {span}"))


def any_day(rng: Random) -> date:
    return date(1900, 1, 1) + timedelta(days=rng.randrange(50_000))


def full(rng: Random, day: date) -> Phrase:
    en_month = MONTHS[day.month - 1].en
    return Phrase(
        f"{day.year}年{day.month}月{day.day}日",
        rng.choice((f"{en_month} {day.day}, {day.year}", f"{day.day} {en_month} {day.year}")),
        rng.choice((f"{day.day}. {MONTHS[day.month - 1].de} {day.year}", f"{day.day:02}.{day.month:02}.{day.year}")),
    )


def short(rng: Random, day: date) -> Phrase:
    month = MONTHS[day.month - 1].en
    return Phrase(
        f"{day.month}月{day.day}日",
        rng.choice((f"{month} {day.day}", f"{month} {english_ordinal(day.day)}")),
        f"{day.day}. {MONTHS[day.month - 1].de}",
    )


def with_weekday(rng: Random) -> Phrase:
    day = any_day(rng)
    name = WEEKDAYS[day.weekday()]
    text = rng.choice((full, short))(rng, day)
    return Phrase(f"{text.zh}{name.zh}", f"{name.en}, {text.en}", f"{name.de}, {text.de}")


def in_sentence(rng: Random) -> Phrase:
    return fill(rng.choice(AROUND_DAYS), date=rng.choice((full, short))(rng, any_day(rng)))


def iso(rng: Random) -> Phrase:
    return same(any_day(rng).isoformat())


def month_of_year(rng: Random) -> Phrase:
    day = any_day(rng)
    form = Phrase(f"{day.year}年{{m}}", f"{{m}} {day.year}", f"{{m}} {day.year}")
    return fill(form, m=MONTHS[day.month - 1])


def month(rng: Random) -> Phrase:
    form = rng.choice((same("{m}"), Phrase("在{m}", "in {m}", "im {m}"), Phrase("{m}初", "early {m}", "Anfang {m}")))
    return fill(form, m=rng.choice(MONTHS))


def year(rng: Random) -> Phrase:
    form = rng.choice(AROUND_YEARS)
    return fill(form, year=same(str(rng.randint(100, 999) if "BC" in form.en else rng.randint(1000, 2050))))


def years(rng: Random) -> Phrase:
    first = rng.randint(1700, 2020)
    last = same(str(first + rng.randint(1, 30)))
    return fill(Phrase("{a}年至{b}年", "from {a} to {b}", "von {a} bis {b}"), a=same(str(first)), b=last)


def decade(rng: Random) -> Phrase:
    century, tens = rng.choice((19, 20)), rng.randint(2, 9) * 10
    first = (century - 1) * 100 + tens
    form = rng.choice((same("{d}"), Phrase("在{d}", "in {d}", "in {d}")))
    de = f"den {first}er Jahren" if form.en.startswith("in") else f"die {first}er Jahre"
    return fill(form, d=Phrase(f"{century}世纪{tens}年代", f"the {first}s", de))


def century(rng: Random) -> Phrase:
    number = rng.randint(5, 21)
    form = rng.choice((
        Phrase("{n}世纪", "the {n} century", "das {n} Jahrhundert"),
        Phrase("在{n}世纪", "in the {n} century", "im {n} Jahrhundert"),
    ))  # fmt: skip
    return fill(form, n=Phrase(str(number), english_ordinal(number), f"{number}."))


def weekday(rng: Random) -> Phrase:
    return fill(rng.choice(AROUND_WEEKDAYS), day=rng.choice(WEEKDAYS))


def ago(rng: Random) -> Phrase:
    number = rng.randint(2, 30)
    small = number <= 12 and rng.random() < 0.6
    count = Phrase(chinese_count(number), english(number), german(number)) if small else same(str(number))
    return fill(rng.choice(AROUND_SPANS), span=fill(rng.choice(SPANS), n=count))


FORMS: tuple[Kind, ...] = (
    lambda rng: full(rng, any_day(rng)), lambda rng: short(rng, any_day(rng)), with_weekday, in_sentence, in_sentence,
    iso, month_of_year, month, year, year, years, decade, century, weekday, weekday, ago,
)  # fmt: skip


def draw(rng: Random) -> Phrase:
    return rng.choice(FORMS)(rng)
