"""Reads numbers in digits back, by other means than they were written."""

import re
from decimal import Decimal

SCALES = {
    **{"万亿": 10**12, "万": 10**4, "亿": 10**8},
    **{" million": 10**6, " billion": 10**9, " trillion": 10**12},
    **{" Millionen": 10**6, " Million": 10**6, " Milliarden": 10**9, " Milliarde": 10**9},
    **{" Billionen": 10**12, " Billion": 10**12},
}
NUMBER = re.compile(rf"((?<![\d\w])-?\d[\d.,]*\d|(?<![\d\w])-?\d|\d[\d.,]*\d|\d)({'|'.join(SCALES)})?")


def amounts(text: str, language: str) -> list[Decimal]:
    """amounts("1.234,5 Millionen", "de") -> [1234500000]."""
    marks = str.maketrans({".": "", ",": "."} if language == "de" else {",": ""})
    return sorted(Decimal(digits.translate(marks)) * SCALES.get(scale, 1) for digits, scale in NUMBER.findall(text))
