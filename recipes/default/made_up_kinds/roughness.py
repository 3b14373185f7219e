"""What people do to text when they type: it is put on the source alone, and the target stays as it should be.

A missing final stop is among it: who leaves it out still means a sentence, and gets one. What is none, a word or a
fragment, has no stop on either side.

So rough pairs may be learnt in one direction only (`one_way` of a corpus), or a model would learn to write like this.
"""

from collections.abc import Callable
from random import Random

from recipes.default.made_up_kinds.trilingual import STOPS

NARROW = str.maketrans("，。！？、", ",.!?,")


def doubled_space(rng: Random, text: str) -> str:
    spaces = [index for index, sign in enumerate(text) if sign == " "]
    if not spaces:
        return text
    index = rng.choice(spaces)
    return text[:index] + " " * rng.randint(1, 2) + text[index:]


def no_space_after_comma(_rng: Random, text: str) -> str:
    return text.replace(", ", ",")


def space_before_stop(_rng: Random, text: str) -> str:
    return f"{text[:-1]} {text[-1]}" if text.endswith(tuple(STOPS)) else text


def no_stop(_rng: Random, text: str) -> str:
    return text.rstrip(STOPS)


def lower_beginning(_rng: Random, text: str) -> str:
    return text[:1].lower() + text[1:]


def upper_beginning(_rng: Random, text: str) -> str:
    return text[:1].upper() + text[1:]


def all_lower(_rng: Random, text: str) -> str:
    return text.lower()


def all_upper(_rng: Random, text: str) -> str:
    return text.upper()


def narrow_marks(_rng: Random, text: str) -> str:
    return text.translate(NARROW)


def swapped_letters(rng: Random, text: str) -> str:
    """A typo inside a long word: the first and the last letter stay, as when people type fast."""
    words = text.split(" ")
    long = [index for index, word in enumerate(words) if len(word) >= 6 and word.isascii() and word.isalpha()]
    if not long:
        return text
    index = rng.choice(long)
    word, at = words[index], rng.randint(1, len(words[index]) - 3)
    words[index] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


WAYS: tuple[Callable[[Random, str], str], ...] = (
    no_stop, no_stop, no_stop, no_stop, doubled_space, doubled_space, no_space_after_comma, space_before_stop,
    lower_beginning, lower_beginning, upper_beginning, all_lower, all_upper, narrow_marks, swapped_letters,
)  # fmt: skip


def rough(rng: Random, text: str) -> str:
    """One or two ways at once; a text that none of them changes comes back as it was."""
    for way in rng.sample(WAYS, rng.randint(1, 2)):
        text = way(rng, text)
    return text.strip()
