"""Placeholders of a message: a program puts values in their place, and crashes where one is missing.

%s and %d (c-format, in their order), %(name)s (python-format), {name} (python-brace-format)
"""

import re
from collections import Counter

NAMED = re.compile(r"%\(\w*\)[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|%%")
NUMBERED = re.compile(r"%\d{1,2}\$[-+ #0']*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|L|q|j|z|t)?[a-zA-Z@]")
IN_ORDER = re.compile(r"%(?!%)[-+#0']*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcspn@](?![A-Za-z])")
BRACES = re.compile(r"\{\{|\}\}|\$?\{[^{}\s]{0,60}\}")


def placeholder_problem(source: str, answer: str) -> str:
    """What is wrong with the placeholders of a translation, in words; empty if nothing is."""
    for pattern in (NAMED, NUMBERED, BRACES):
        if differ := difference(pattern.findall(source), pattern.findall(answer)):
            return differ
    before, after = IN_ORDER.findall(source), IN_ORDER.findall(answer)
    if differ := difference(before, after):
        return differ
    if before != after:
        return f"placeholders in another order: {' '.join(after)}"
    return ""


def difference(before: list[str], after: list[str]) -> str:
    one, other = Counter(before), Counter(after)
    if lost := sorted((one - other).elements()):
        return f"placeholder lost: {' '.join(lost)}"
    if added := sorted((other - one).elements()):
        return f"placeholder that the source does not have: {' '.join(added)}"
    return ""
