"""Letters and mails: salutations, thanks, requests, appointments, apologies, absences, applications, closings.

Formulas are not translated word by word: where German closes with Grüßen, Chinese wishes 此致敬礼. They come alone,
with a sentence after a salutation, with a closing after a sentence, or two sentences together. The patterns are in
letters.tsv; those to a friend say du, all others Sie, and these two are never put together.
"""

from datetime import timedelta
from random import Random

from recipes.default.made_up_kinds.dates import any_day, short
from recipes.default.made_up_kinds.documents import DOCUMENTS, forms
from recipes.default.made_up_kinds.grammar import a_or_an
from recipes.default.made_up_kinds.numbers import phone
from recipes.default.made_up_kinds.numerals import english_ordinal, grouped
from recipes.default.made_up_kinds.patterns import Pattern, say, say_some, table
from recipes.default.made_up_kinds.people import chinese, foreign
from recipes.default.made_up_kinds.shop import number, order_number, price
from recipes.default.made_up_kinds.times import any_time
from recipes.default.made_up_kinds.trilingual import Phrase, fill, same
from recipes.default.made_up_kinds.words import CHINESE_SURNAMES, CITIES, GIVEN_NAMES, SURNAMES, WEEKDAYS, texts

PATTERNS = table("letters")
JOBS = texts("jobs")
COMPANIES = ("Velora", "Tamino", "Belvia", "Quento", "Solvanta", "Mirelo", "Kortena", "Fendalo")
SUMS = (
    Phrase("{n}欧元", "{n} euros", "{n} Euro"),
    Phrase("{n}元", "{n} yuan", "{n} Yuan"),
    Phrase("{n}美元", "{n} dollars", "{n} Dollar"),
)
# Words that begin a sentence and are written small after a salutation; a sentence with another first word stays alone.
SMALL = (
    "Thank Please We Unfortunately Could Do If As My This It The Your Our Would Have Attached Enclosed In At To From "
    "For After Once There Due You A Should Further Regarding According Because While So With Without First Below "
    "Vielen Ich Wir Herzlichen Wie Leider Hiermit Anbei Im Bitte Bei Könnten Haben Würde Passt Es Sobald Für Mein Dies "
    "Der Die Das Da Meine Unser Unsere Falls Wenn Wegen Sollte Sollten Nach Ab Über Während Um Zu Zum Auf Hätten "
    "Hatten Wären Wäre Gerne Als Seit Mit Zunächst Soweit Hier Diese Was Am An Aufgrund Gegen Ohne Beim Solange"
)
KEPT = ("I", "Ihr", "Ihre", "Ihren", "Sie")  # written large after a salutation too


def in_group(group: str) -> list[Pattern]:
    return [pattern for pattern in PATTERNS if group in pattern.groups]


def small(text: str) -> str | None:
    """As after "Dear Ms. Weber,": small but for I and Ihr; nothing if it is not known whether it may be."""
    first = text.split(" ")[0].removesuffix(",")
    if first in KEPT:
        return text
    return text[0].lower() + text[1:] if first in SMALL.split() else None


def after_salutation(start: Phrase, sentence: Phrase) -> Phrase:
    """尊敬的韦伯女士：感谢您的来信。 The sentence alone if it cannot follow."""
    en, de = small(sentence.en), small(sentence.de)
    if not start.en.endswith(",") or en is None or de is None:
        return sentence
    return Phrase(f"{start.zh}{sentence.zh}", f"{start.en} {en}", f"{start.de} {de}")


def before_closing(sentence: Phrase, end: Phrase) -> Phrase:
    return Phrase(f"{sentence.zh}{end.zh}", f"{sentence.en} {end.en}", f"{sentence.de} {end.de}")


def slots(rng: Random) -> dict[str, Phrase]:
    """Something for every slot of letters.tsv."""
    job, age = rng.choice(JOBS), rng.randint(18, 90)
    first = any_day(rng)
    last = first + timedelta(days=rng.randint(1, 21))  # holidays, a stay in a hotel
    return forms(rng.choice(DOCUMENTS)) | {
        "surname": rng.choice(SURNAMES if rng.random() < 0.6 else CHINESE_SURNAMES),
        "name": rng.choice(GIVEN_NAMES),
        "full": rng.choice((foreign, foreign, chinese))(rng),
        "company": same(rng.choice(COMPANIES)),
        "job": job,
        "a_job": job._replace(en=f"{a_or_an(job.en)} {job.en}"),
        "salary": fill(rng.choice(SUMS), n=grouped(rng.randint(20, 200) * 1000)),
        "number": order_number(rng),
        "price": price(rng),
        "amount": fill(rng.choice(SUMS), n=grouped(rng.randint(8, 80) * 50)),
        "n": number(rng, 2, 30),
        "two": number(rng, 2, 9),
        "years": number(rng, 2, 30),
        "year": number(rng, 1990, 2024),
        "age": same(str(age)),
        "age_ordinal": Phrase(str(age), english_ordinal(age), f"{age}."),
        "weekday": rng.choice(WEEKDAYS),
        "date": short(rng, first),
        "date2": short(rng, last),
        "time": any_time(rng, earliest=7, latest=20),
        "phone": phone(rng),
        "city": rng.choice(CITIES),
    }


def draw(rng: Random) -> Phrase:
    pattern, filled = rng.choice(PATTERNS), slots(rng)
    others = [other for other in PATTERNS if other.fits("friend") == pattern.fits("friend")]
    way = rng.random()
    if way < 0.3 and pattern.is_sentence and not pattern.fits("friend"):
        sentence = say(pattern, filled)
        if way < 0.15:
            return after_salutation(say(rng.choice(in_group("salutation")), slots(rng)), sentence)
        return before_closing(sentence, say(rng.choice(in_group("closing")), filled))
    return say_some(rng, pattern, others, filled)
