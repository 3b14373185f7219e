"""Prices and measures: a number with a currency or a unit, short or in full."""

from random import Random

from recipes.default.made_up_kinds.numerals import decimal, grouped
from recipes.default.made_up_kinds.said import Kind, Said, fill, same

# The numbers in them are above one, so that English has its plural everywhere.
UNITS = (
    Said("{n}公斤", "{n} kg", "{n} kg"),
    Said("{n}千克", "{n} kilograms", "{n} Kilogramm"),
    Said("{n}克", "{n} grams", "{n} Gramm"),
    Said("{n} g", "{n} g", "{n} g"),
    Said("{n}吨", "{n} tons", "{n} Tonnen"),
    Said("{n}公里", "{n} kilometers", "{n} Kilometer"),
    Said("{n} km", "{n} km", "{n} km"),
    Said("{n}米", "{n} meters", "{n} Meter"),
    Said("{n}厘米", "{n} cm", "{n} cm"),
    Said("{n}毫米", "{n} millimeters", "{n} Millimeter"),
    Said("{n}英里", "{n} miles", "{n} Meilen"),
    Said("{n}升", "{n} liters", "{n} Liter"),
    Said("{n}毫升", "{n} ml", "{n} ml"),
    Said("{n}平方米", "{n} square meters", "{n} Quadratmeter"),
    Said("{n}平方公里", "{n} square kilometers", "{n} Quadratkilometer"),
    Said("{n}立方米", "{n} cubic meters", "{n} Kubikmeter"),
    Said("每小时{n}公里", "{n} kilometers per hour", "{n} Kilometer pro Stunde"),
    Said("{n} km/h", "{n} km/h", "{n} km/h"),
    Said("{n}瓦", "{n} watts", "{n} Watt"),
    Said("{n}伏", "{n} volts", "{n} Volt"),
    Said("{n} GB", "{n} GB", "{n} GB"),
    Said("{n} MB", "{n} MB", "{n} MB"),
    Said("{n} kWh", "{n} kWh", "{n} kWh"),
    Said("{n} MHz", "{n} MHz", "{n} MHz"),
)
TEMPERATURES = (
    Said("{n}°C", "{n}°C", "{n} °C"),
    Said("{n}摄氏度", "{n} degrees Celsius", "{n} Grad Celsius"),
    Said("{n}度", "{n} degrees", "{n} Grad"),
)
BELOW_ZERO = Said("零下{n}摄氏度", "minus {n} degrees Celsius", "minus {n} Grad Celsius")
PRICES = (
    Said("{n}元", "{n} yuan", "{n} Yuan"),
    Said("¥{n}", "¥{n}", "{n} ¥"),
    Said("{n}欧元", "{n} euros", "{n} Euro"),
    Said("€{n}", "€{n}", "{n} €"),
    Said("{n}美元", "{n} dollars", "{n} Dollar"),
    Said("${n}", "${n}", "{n} $"),
    Said("£{n}", "£{n}", "{n} £"),
    Said("{n}英镑", "{n} pounds", "{n} Pfund"),
    Said("{n}日元", "{n} yen", "{n} Yen"),
    Said("{n}瑞士法郎", "{n} Swiss francs", "{n} Schweizer Franken"),
)
AROUND_PRICES = (
    Said("{price}", "{price}", "{price}"),
    Said("{price}", "{price}", "{price}"),
    Said("大约{price}", "about {price}", "etwa {price}"),
    Said("只要{price}", "only {price}", "nur {price}"),
    Said("它的价格是{price}。", "It costs {price}.", "Es kostet {price}."),
    Said("总共{price}。", "That is {price} altogether.", "Das macht zusammen {price}."),
    Said("我付了{price}。", "I paid {price}.", "Ich habe {price} bezahlt."),
)
SIZES = (
    Said("{a}米乘{b}米", "{a} by {b} meters", "{a} mal {b} Meter"),
    Said("{a} x {b} cm", "{a} x {b} cm", "{a} x {b} cm"),
)


def amount(rng: Random) -> Said:
    """2 to 99,999, often small, sometimes with decimals."""
    if rng.random() < 0.35:
        return decimal(rng.randint(11, 9999) * 10 + rng.randint(1, 9), 2 if rng.random() < 0.5 else 1)
    number = rng.randint(2, 10 ** rng.randint(1, 5))
    return grouped(number) if number >= 1000 else same(str(number))


def price(rng: Random) -> Said:
    whole = rng.random() < 0.5
    cents = rng.randint(201, 10 ** rng.randint(4, 7))
    number = grouped(rng.randint(2, 10 ** rng.randint(1, 5))) if whole else decimal(cents, 2)
    form = rng.choice(PRICES)
    if "日元" in form.zh:  # a yen has no hundredths
        number = grouped(rng.randint(20, 90_000))
    return fill(form, n=number)


def price_in_phrase(rng: Random) -> Said:
    return fill(rng.choice(AROUND_PRICES), price=price(rng))


def measure(rng: Random) -> Said:
    return fill(rng.choice(UNITS), n=amount(rng))


def temperature(rng: Random) -> Said:
    if rng.random() < 0.2:
        return fill(BELOW_ZERO, n=same(str(rng.randint(2, 40))))
    number = decimal(rng.randint(11, 420), 1) if rng.random() < 0.3 else same(str(rng.randint(2, 100)))
    return fill(rng.choice(TEMPERATURES), n=number)


def size(rng: Random) -> Said:
    return fill(rng.choice(SIZES), a=same(str(rng.randint(2, 90))), b=same(str(rng.randint(2, 90))))


FORMS: tuple[Kind, ...] = (price_in_phrase, price_in_phrase, measure, measure, temperature, size)


def draw(rng: Random) -> Said:
    return rng.choice(FORMS)(rng)
