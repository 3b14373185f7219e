"""Dates: days, months, years, weekdays, decades and centuries, in the order and with the marks of each language."""

from datetime import date, timedelta
from random import Random

from recipes.default.made_up_kinds.numerals import chinese_count, english, english_ordinal, german
from recipes.default.made_up_kinds.said import Kind, Said, fill, same
from recipes.default.made_up_kinds.words import MONTHS, WEEKDAYS

AROUND_WEEKDAYS = (
    Said("{day}", "{day}", "{day}"),
    Said("下{day}", "next {day}", "nächsten {day}"),
    Said("上{day}", "last {day}", "letzten {day}"),
    Said("每个{day}", "every {day}", "jeden {day}"),
    Said("{day}上午", "{day} morning", "{day}vormittag"),
    Said("{day}晚上", "{day} evening", "{day}abend"),
    Said("今天是{day}。", "Today is {day}.", "Heute ist {day}."),
    Said("明天是{day}。", "Tomorrow is {day}.", "Morgen ist {day}."),
)
AROUND_DAYS = (  # of a year, and with one: German puts both into the dative, where the number looks alike
    Said("{date}", "{date}", "{date}"),
    Said("在{date}", "on {date}", "am {date}"),
    Said("{date}之前", "before {date}", "vor dem {date}"),
    Said("自{date}起", "from {date}", "ab dem {date}"),
    Said("今天是{date}。", "Today is {date}.", "Heute ist der {date}."),
    Said("她出生于{date}。", "She was born on {date}.", "Sie wurde am {date} geboren."),
)
AROUND_YEARS = (
    Said("{year}年", "the year {year}", "das Jahr {year}"),
    Said("在{year}年", "in {year}", "im Jahr {year}"),
    Said("自{year}年以来", "since {year}", "seit {year}"),
    Said("直到{year}年", "until {year}", "bis {year}"),
    Said("{year}年夏天", "the summer of {year}", "der Sommer {year}"),
    Said("{year}年冬天", "the winter of {year}", "der Winter {year}"),
    Said("公元前{year}年", "{year} BC", "{year} v. Chr."),
)
SPANS = (  # how Chinese, English and German (dative plural) count them
    Said("{n}天", "{n} days", "{n} Tagen"),
    Said("{n}周", "{n} weeks", "{n} Wochen"),
    Said("{n}个月", "{n} months", "{n} Monaten"),
    Said("{n}年", "{n} years", "{n} Jahren"),
)
AROUND_SPANS = (Said("{span}前", "{span} ago", "vor {span}"), Said("{span}后", "in {span}", "in {span}"))


def any_day(rng: Random) -> date:
    return date(1900, 1, 1) + timedelta(days=rng.randrange(50_000))


def full(rng: Random, day: date) -> Said:
    en_month = MONTHS[day.month - 1].en
    return Said(
        f"{day.year}年{day.month}月{day.day}日",
        rng.choice((f"{en_month} {day.day}, {day.year}", f"{day.day} {en_month} {day.year}")),
        rng.choice((f"{day.day}. {MONTHS[day.month - 1].de} {day.year}", f"{day.day:02}.{day.month:02}.{day.year}")),
    )


def short(rng: Random, day: date) -> Said:
    month = MONTHS[day.month - 1].en
    return Said(
        f"{day.month}月{day.day}日",
        rng.choice((f"{month} {day.day}", f"{month} {english_ordinal(day.day)}")),
        f"{day.day}. {MONTHS[day.month - 1].de}",
    )


def with_weekday(rng: Random) -> Said:
    day = any_day(rng)
    name = WEEKDAYS[day.weekday()]
    text = rng.choice((full, short))(rng, day)
    return Said(f"{text.zh}{name.zh}", f"{name.en}, {text.en}", f"{name.de}, {text.de}")


def in_sentence(rng: Random) -> Said:
    return fill(rng.choice(AROUND_DAYS), date=rng.choice((full, short))(rng, any_day(rng)))


def iso(rng: Random) -> Said:
    return same(any_day(rng).isoformat())


def month_of_year(rng: Random) -> Said:
    day = any_day(rng)
    form = Said(f"{day.year}年{{m}}", f"{{m}} {day.year}", f"{{m}} {day.year}")
    return fill(form, m=MONTHS[day.month - 1])


def month(rng: Random) -> Said:
    form = rng.choice((same("{m}"), Said("在{m}", "in {m}", "im {m}"), Said("{m}初", "early {m}", "Anfang {m}")))
    return fill(form, m=rng.choice(MONTHS))


def year(rng: Random) -> Said:
    form = rng.choice(AROUND_YEARS)
    return fill(form, year=same(str(rng.randint(100, 999) if "BC" in form.en else rng.randint(1000, 2050))))


def years(rng: Random) -> Said:
    first = rng.randint(1700, 2020)
    last = same(str(first + rng.randint(1, 30)))
    return fill(Said("{a}年至{b}年", "from {a} to {b}", "von {a} bis {b}"), a=same(str(first)), b=last)


def decade(rng: Random) -> Said:
    century, tens = rng.choice((19, 20)), rng.randint(2, 9) * 10
    first = (century - 1) * 100 + tens
    form = rng.choice((same("{d}"), Said("在{d}", "in {d}", "in {d}")))
    de = f"den {first}er Jahren" if form.en.startswith("in") else f"die {first}er Jahre"
    return fill(form, d=Said(f"{century}世纪{tens}年代", f"the {first}s", de))


def century(rng: Random) -> Said:
    number = rng.randint(5, 21)
    form = rng.choice((
        Said("{n}世纪", "the {n} century", "das {n} Jahrhundert"),
        Said("在{n}世纪", "in the {n} century", "im {n} Jahrhundert"),
    ))  # fmt: skip
    return fill(form, n=Said(str(number), english_ordinal(number), f"{number}."))


def weekday(rng: Random) -> Said:
    return fill(rng.choice(AROUND_WEEKDAYS), day=rng.choice(WEEKDAYS))


def ago(rng: Random) -> Said:
    number = rng.randint(2, 30)
    small = number <= 12 and rng.random() < 0.6
    count = Said(chinese_count(number), english(number), german(number)) if small else same(str(number))
    return fill(rng.choice(AROUND_SPANS), span=fill(rng.choice(SPANS), n=count))


FORMS: tuple[Kind, ...] = (
    lambda rng: full(rng, any_day(rng)), lambda rng: short(rng, any_day(rng)), with_weekday, in_sentence, in_sentence,
    iso, month_of_year, month, year, year, years, decade, century, weekday, weekday, ago,
)  # fmt: skip


def draw(rng: Random) -> Said:
    return rng.choice(FORMS)(rng)
