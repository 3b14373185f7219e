"""Shops and services: orders, deliveries, payments, returns, accounts, bookings, descriptions, reviews, signs.

The sentences are in shop.tsv, with the groups of products that each can be about; what is sold in products.tsv.
"""

from random import Random

from recipes.default.made_up_kinds.dates import any_day, short
from recipes.default.made_up_kinds.grammar import several
from recipes.default.made_up_kinds.measures import PRICES
from recipes.default.made_up_kinds.numbers import phone
from recipes.default.made_up_kinds.numerals import decimal, grouped
from recipes.default.made_up_kinds.patterns import say_some, table
from recipes.default.made_up_kinds.products import PRODUCTS, forms, materials
from recipes.default.made_up_kinds.times import any_time
from recipes.default.made_up_kinds.trilingual import Phrase, fill, same
from recipes.default.made_up_kinds.words import CITIES, COLOURS, COUNTRIES, WEEKDAYS, Noun

PATTERNS = table("shop")
SIZES = ("XS", "S", "M", "L", "XL", "XXL", "36", "38", "40", "42", "44")
CODES = ("SALE", "SPRING", "SUMMER", "WINTER", "HELLO", "NEW", "SAVE")


def price(rng: Random) -> Phrase:
    """Of things in shops: 4.99 to some thousands, often ending in nines; yen have no hundredths."""
    form = rng.choice(PRICES)
    whole = rng.randint(2, 10 ** rng.randint(1, 3))
    if "日元" in form.zh:
        return fill(form, n=grouped(whole * 100))
    if rng.random() < 0.4:
        return fill(form, n=same(str(whole)))
    cents = rng.choice((99, 95, 90, 50, rng.randint(1, 99)))
    return fill(form, n=decimal(whole * 100 + cents, 2))


def number(rng: Random, least: int, most: int) -> Phrase:
    return same(str(rng.randint(least, most)))


def order_number(rng: Random) -> Phrase:
    letters = "".join(rng.choices("ABCDEFGHKLMNPRSTUVWX", k=2)) if rng.random() < 0.3 else ""
    return same(f"{letters}{rng.randint(10**4, 10**8)}")


def slots(rng: Random, product: Noun) -> dict[str, Phrase]:
    """Something for every slot of shop.tsv."""
    tint, other_tint = rng.sample(COLOURS, 2)
    few, opening = rng.randint(2, 6), rng.randint(6, 11)
    first, last = sorted((any_day(rng), any_day(rng)), key=lambda day: (day.month, day.day))
    return forms(product) | {
        "n_ones": several(rng.randint(2, 12), product),
        "material": rng.choice(materials(product) or (same("?"),)),
        "tint": tint._replace(de=tint.de.capitalize()),  # in Rot: a noun
        "other_tint": other_tint._replace(de=other_tint.de.capitalize()),
        "order": order_number(rng),
        "price": price(rng),
        "percent": fill(Phrase("{n}%", "{n}%", "{n} %"), n=same(str(rng.randint(1, 14) * 5))),
        "code": same(f"{rng.choice(CODES)}{rng.randint(5, 50)}"),
        "n": number(rng, 2, 60),
        "two": same(str(few)),
        "more": same(str(few + rng.randint(1, 4))),
        "days": number(rng, 2, 60),
        "years": number(rng, 2, 12),
        "chars": number(rng, 6, 16),
        "wash": same(str(rng.choice((30, 40, 60)))),
        "size": same(rng.choice(SIZES)),
        "tall": number(rng, 165, 195),
        "cm": number(rng, 30, 240),
        "cm2": number(rng, 30, 240),
        "kg": number(rng, 2, 150),
        "liters": number(rng, 2, 60),
        "watts": same(str(rng.randint(2, 22) * 100)),
        "open": same(str(opening)),
        "close": same(str(opening + rng.randint(5, 12))),
        "weekday": rng.choice(WEEKDAYS),
        "date": short(rng, first),
        "date2": short(rng, last),
        "time": any_time(rng, earliest=6, latest=22),
        "phone": phone(rng),
        "city": rng.choice(CITIES),
        "country": rng.choice(COUNTRIES),
    }


def draw(rng: Random) -> Phrase:
    pattern = rng.choice(PATTERNS)
    product = rng.choice([product for product in PRODUCTS if pattern.fits(product.group)])
    others = [other for other in PATTERNS if other.fits(product.group)]
    return say_some(rng, pattern, others, slots(rng, product))
