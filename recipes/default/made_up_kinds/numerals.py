"""Numbers as each language writes them: in digits, with its own marks, and in words."""

from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import rows

EN = {int(row["number"]): row["en"] for row in rows("numerals")}
DE = {int(row["number"]): row["de"] for row in rows("numerals")}
EN_ORDINALS = {int(row["number"]): row["en"] for row in rows("ordinals")}
DE_ORDINALS = {int(row["number"]): row["de"] for row in rows("ordinals")}
ZH_DIGITS = "零一二三四五六七八九"
ZH_UNITS = ("", "十", "百", "千")


def english(number: int) -> str:
    """english(205) -> two hundred and five. Below a million, as all of these."""
    if number < 20:
        return EN[number]
    if number < 100:
        ones = number % 10
        return EN[number - ones] + (f"-{EN[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{EN[hundreds]} hundred" + (f" and {english(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    joint = " and " if rest < 100 else " "
    return f"{english(thousands)} thousand" + (f"{joint}{english(rest)}" if rest else "")


def german(number: int) -> str:
    """german(205) -> zweihundertfünf; one is eins only at the end."""
    if number < 20:
        return DE[number]
    if number < 100:
        ones = number % 10
        return (f"{german_before(ones)}und" if ones else "") + DE[number - ones]
    unit, word = (100, "hundert") if number < 1000 else (1000, "tausend")
    count, rest = divmod(number, unit)
    return german_before(count) + word + (german(rest) if rest else "")


def german_before(number: int) -> str:
    """As before another word: einhundert, einhunderteintausend."""
    word = german(number)
    return word.removesuffix("s") if number % 100 == 1 else word


def chinese(number: int) -> str:
    """chinese(205) -> 两百零五; chinese(20012) -> 两万零一十二."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        gap = "零" if 0 < low < 1000 else ""
        return f"{chinese_count(high)}万" + (gap + chinese_below_10000(low, leading=False) if low else "")
    return chinese_below_10000(number, leading=True)


def chinese_below_10000(number: int, leading: bool) -> str:
    if number < 10:
        return ZH_DIGITS[number]
    text, gap = "", False
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if digit == 0:
            gap = text != ""
            continue
        before = "零" if gap else ""
        # 两百 and 两千, but 二十; and 十二, not 一十二, where nothing stands before it.
        word = "两" if digit == 2 and power >= 2 else ZH_DIGITS[digit]
        if digit == 1 and power == 1 and not text and leading:
            word = ""
        text, gap = text + before + word + ZH_UNITS[power], False
    return text


def chinese_count(number: int) -> str:
    """As before a measure word: 两本书, but 十二本书."""
    return "两" if number == 2 else chinese(number)


def words(number: int) -> Phrase:
    return Phrase(chinese(number), english(number), german(number))


def grouped(number: int) -> Phrase:
    """grouped(12345) -> 12,345 in Chinese and English, 12.345 in German."""
    text = f"{number:,}"
    return Phrase(text, text, text.replace(",", "."))


def decimal(units: int, places: int) -> Phrase:
    """decimal(12345, 1) -> 1,234.5 and 1.234,5: an integer in units of 10^-places, so that nothing is rounded."""
    whole, part = divmod(abs(units), 10**places)
    text = ("-" if units < 0 else "") + f"{whole:,}.{part:0{places}}"
    return Phrase(text, text, text.translate(str.maketrans(".,", ",.")))


def english_ordinal(number: int) -> str:
    """english_ordinal(22) -> 22nd, but 12th."""
    teen = 10 < number % 100 < 20
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
