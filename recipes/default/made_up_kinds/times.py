"""Times of day and how long something takes: 下午3点45分, 3:45 pm, 15.45 Uhr."""

from random import Random

from recipes.default.made_up_kinds.numerals import DE, EN, chinese_count, decimal
from recipes.default.made_up_kinds.trilingual import Kind, Phrase, fill, same

AROUND = (  # what stands around a time in the three languages
    Phrase("{time}", "{time}", "{time}"),
    Phrase("在{time}", "at {time}", "um {time}"),
    Phrase("现在是{time}。", "It is {time} now.", "Es ist jetzt {time}."),
    Phrase("明天{time}", "tomorrow at {time}", "morgen um {time}"),
)
BEFORE = Phrase("{time}之前", "before {time}", "vor {time}")  # not of spoken times: vor Viertel vor eins
AFTER = Phrase("{time}之后", "after {time}", "nach {time}")
LASTING = (
    Phrase("{n}秒", "{n} seconds", "{n} Sekunden"),
    Phrase("{n}分钟", "{n} minutes", "{n} Minuten"),
    Phrase("{n}小时", "{n} hours", "{n} Stunden"),
)


def part_of_day(hour: int) -> str:
    """What Chinese puts before the hour of a twelve-hour clock."""
    if hour < 6:
        return "凌晨"
    if hour < 12:
        return "上午"
    if hour == 12:
        return "中午"
    return "下午" if hour < 18 else "晚上"


def clock(rng: Random, hour: int, minute: int) -> Phrase:
    """A time to the minute; Chinese and English by twelve hours or by twenty-four, German always by twenty-four."""
    mark = rng.choice((".", ":"))
    de = f"{hour}{mark}{minute:02} Uhr" if minute else f"{hour} Uhr"
    if rng.random() < 0.3:
        return Phrase(f"{hour}:{minute:02}", f"{hour}:{minute:02}", de)
    # Midnight is 12 am in English and 0点 in Chinese.
    zh_hour = hour if hour <= 12 else hour - 12
    en_hour = (hour - 1) % 12 + 1
    half = "am" if hour < 12 else "pm"
    return Phrase(
        f"{part_of_day(hour)}{zh_hour}点" + (f"{minute:02}分" if minute else ""),
        f"{en_hour}:{minute:02} {half}" if minute or rng.random() < 0.5 else f"{en_hour} {half}",
        de,
    )


def any_time(rng: Random, earliest: int = 0, latest: int = 23) -> Phrase:
    minute = rng.choice((0, 0, 15, 30, 45, rng.randrange(60), rng.randrange(60)))
    return clock(rng, rng.randint(earliest, latest), minute)


def spoken(rng: Random) -> Phrase:
    """In words, by twelve hours: half past three is halb vier, on the way to the next hour."""
    hour = rng.randint(1, 12)
    after = hour % 12 + 1
    forms = (
        Phrase(f"{chinese_count(hour)}点", f"{EN[hour]} o'clock", f"{german_hour(hour)} Uhr"),
        Phrase(f"{chinese_count(hour)}点半", f"half past {EN[hour]}", f"halb {DE[after]}"),
        Phrase(f"{chinese_count(hour)}点一刻", f"a quarter past {EN[hour]}", f"Viertel nach {DE[hour]}"),
        Phrase(f"差一刻{chinese_count(after)}点", f"a quarter to {EN[after]}", f"Viertel vor {DE[after]}"),
        Phrase(f"{chinese_count(hour)}点十分", f"ten past {EN[hour]}", f"zehn nach {DE[hour]}"),
        Phrase(f"差五分{chinese_count(after)}点", f"five to {EN[after]}", f"fünf vor {DE[after]}"),
    )
    return fill(rng.choice(AROUND), time=rng.choice(forms))


def german_hour(hour: int) -> str:
    return "ein" if hour == 1 else DE[hour]


def in_phrase(rng: Random) -> Phrase:
    time = any_time(rng)
    if rng.random() < 0.3:  # not in any_time: a.m. at the end of a sentence swallows its stop
        time = time._replace(en=time.en.replace("am", "a.m.").replace("pm", "p.m."))
    return fill(rng.choice((*AROUND, BEFORE, AFTER)), time=time)


def opening(rng: Random) -> Phrase:
    first = rng.randint(0, 20)
    last = rng.randint(first + 1, 23)
    form = rng.choice((
        Phrase("从{a}:00到{b}:00", "from {a}:00 to {b}:00", "von {a} bis {b} Uhr"),
        Phrase("{a}:30到{b}:30之间", "between {a}:30 and {b}:30", "zwischen {a}.30 Uhr und {b}.30 Uhr"),
    ))  # fmt: skip
    return fill(form, a=same(str(first)), b=same(str(last)))


def lasting(rng: Random) -> Phrase:
    number = decimal(rng.randint(11, 99), 1) if rng.random() < 0.2 else same(str(rng.randint(2, 120)))
    return fill(rng.choice(LASTING), n=number)


def hours_and_minutes(rng: Random) -> Phrase:
    form = Phrase("{h}小时{m}分钟", "{h} hours and {m} minutes", "{h} Stunden und {m} Minuten")
    return fill(form, h=same(str(rng.randint(2, 23))), m=same(str(rng.randint(2, 59))))


def stopwatch(rng: Random) -> Phrase:
    return same(f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}")


FORMS: tuple[Kind, ...] = (in_phrase, in_phrase, in_phrase, in_phrase, spoken, spoken, opening, lasting,
                           hours_and_minutes, stopwatch)  # fmt: skip


def draw(rng: Random) -> Phrase:
    return rng.choice(FORMS)(rng)
