"""Prices and measures: a number with a currency or a unit, short or in full."""

from random import Random

from recipes.default.made_up_kinds.numerals import decimal, grouped
from recipes.default.made_up_kinds.trilingual import Kind, Phrase, fill, same

# The numbers in them are above one, so that English has its plural everywhere.
UNITS = (
    Phrase("{n}公斤", "{n} kg", "{n} kg"),
    Phrase("{n}千克", "{n} kilograms", "{n} Kilogramm"),
    Phrase("{n}克", "{n} grams", "{n} Gramm"),
    Phrase("{n} g", "{n} g", "{n} g"),
    Phrase("{n}吨", "{n} tons", "{n} Tonnen"),
    Phrase("{n}公里", "{n} kilometers", "{n} Kilometer"),
    Phrase("{n} km", "{n} km", "{n} km"),
    Phrase("{n}米", "{n} meters", "{n} Meter"),
    Phrase("{n}厘米", "{n} cm", "{n} cm"),
    Phrase("{n}毫米", "{n} millimeters", "{n} Millimeter"),
    Phrase("{n}英里", "{n} miles", "{n} Meilen"),
    Phrase("{n}升", "{n} liters", "{n} Liter"),
    Phrase("{n}毫升", "{n} ml", "{n} ml"),
    Phrase("{n}平方米", "{n} square meters", "{n} Quadratmeter"),
    Phrase("{n}平方公里", "{n} square kilometers", "{n} Quadratkilometer"),
    Phrase("{n}立方米", "{n} cubic meters", "{n} Kubikmeter"),
    Phrase("每小时{n}公里", "{n} kilometers per hour", "{n} Kilometer pro Stunde"),
    Phrase("{n} km/h", "{n} km/h", "{n} km/h"),
    Phrase("{n}瓦", "{n} watts", "{n} Watt"),
    Phrase("{n}伏", "{n} volts", "{n} Volt"),
    Phrase("{n} GB", "{n} GB", "{n} GB"),
    Phrase("{n} MB", "{n} MB", "{n} MB"),
    Phrase("{n} kWh", "{n} kWh", "{n} kWh"),
    Phrase("{n} MHz", "{n} MHz", "{n} MHz"),
)
TEMPERATURES = (
    Phrase("{n}°C", "{n}°C", "{n} °C"),
    Phrase("{n}摄氏度", "{n} degrees Celsius", "{n} Grad Celsius"),
    Phrase("{n}度", "{n} degrees", "{n} Grad"),
)
BELOW_ZERO = Phrase("零下{n}摄氏度", "minus {n} degrees Celsius", "minus {n} Grad Celsius")
PRICES = (
    Phrase("{n}元", "{n} yuan", "{n} Yuan"),
    Phrase("¥{n}", "¥{n}", "{n} ¥"),
    Phrase("{n}欧元", "{n} euros", "{n} Euro"),
    Phrase("€{n}", "€{n}", "{n} €"),
    Phrase("{n}美元", "{n} dollars", "{n} Dollar"),
    Phrase("${n}", "${n}", "{n} $"),
    Phrase("£{n}", "£{n}", "{n} £"),
    Phrase("{n}英镑", "{n} pounds", "{n} Pfund"),
    Phrase("{n}日元", "{n} yen", "{n} Yen"),
    Phrase("{n}瑞士法郎", "{n} Swiss francs", "{n} Schweizer Franken"),
)
AROUND_PRICES = (
    Phrase("{price}", "{price}", "{price}"),
    Phrase("{price}", "{price}", "{price}"),
    Phrase("大约{price}", "about {price}", "etwa {price}"),
    Phrase("只要{price}", "only {price}", "nur {price}"),
    Phrase("它的价格是{price}。", "It costs {price}.", "Es kostet {price}."),
    Phrase("总共{price}。", "That is {price} altogether.", "Das macht zusammen {price}."),
    Phrase("我付了{price}。", "I paid {price}.", "Ich habe {price} bezahlt."),
)
SIZES = (
    Phrase("{a}米乘{b}米", "{a} by {b} meters", "{a} mal {b} Meter"),
    Phrase("{a} x {b} cm", "{a} x {b} cm", "{a} x {b} cm"),
)


def amount(rng: Random) -> Phrase:
    """2 to 99,999, often small, sometimes with decimals."""
    if rng.random() < 0.35:
        return decimal(rng.randint(11, 9999) * 10 + rng.randint(1, 9), 2 if rng.random() < 0.5 else 1)
    number = rng.randint(2, 10 ** rng.randint(1, 5))
    return grouped(number) if number >= 1000 else same(str(number))


def price(rng: Random) -> Phrase:
    whole = rng.random() < 0.5
    cents = rng.randint(201, 10 ** rng.randint(4, 7))
    number = grouped(rng.randint(2, 10 ** rng.randint(1, 5))) if whole else decimal(cents, 2)
    form = rng.choice(PRICES)
    if "日元" in form.zh:  # a yen has no hundredths
        number = grouped(rng.randint(20, 90_000))
    return fill(form, n=number)


def price_in_phrase(rng: Random) -> Phrase:
    return fill(rng.choice(AROUND_PRICES), price=price(rng))


def measure(rng: Random) -> Phrase:
    return fill(rng.choice(UNITS), n=amount(rng))


def temperature(rng: Random) -> Phrase:
    if rng.random() < 0.2:
        return fill(BELOW_ZERO, n=same(str(rng.randint(2, 40))))
    number = decimal(rng.randint(11, 420), 1) if rng.random() < 0.3 else same(str(rng.randint(2, 100)))
    return fill(rng.choice(TEMPERATURES), n=number)


def size(rng: Random) -> Phrase:
    return fill(rng.choice(SIZES), a=same(str(rng.randint(2, 90))), b=same(str(rng.randint(2, 90))))


FORMS: tuple[Kind, ...] = (price_in_phrase, price_in_phrase, measure, measure, temperature, size)


def draw(rng: Random) -> Phrase:
    return rng.choice(FORMS)(rng)
