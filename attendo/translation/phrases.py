"""Texts that a translation must contain, as the tokens that a search can be made to say."""

from collections.abc import Sequence

from attendo.text.scripts import writes_han
from attendo.text.sentences import LETTER_OF_A_WORD
from attendo.text.tokenizer import Tokenizer
from attendo.translation.glossary import on_borders

Phrases = tuple[tuple[int, ...], ...]


def as_phrases(texts: Sequence[str], target_language: str, tokenizer: Tokenizer) -> Phrases:
    """Where words are parted by spaces, a space belongs to the word behind it: so it is said with it.

    At the beginning of a sentence it is taken away again, with all white space at its edges.
    """
    if not texts:
        return ()
    spaced = not writes_han(target_language)
    wanted = [f" {text}" if spaced and LETTER_OF_A_WORD.match(text) else text for text in texts]
    return tuple(dict.fromkeys(tuple(ids) for text in wanted if (ids := tokenizer.encode(text))))


def terms_of(phrases: Phrases, tokenizer: Tokenizer) -> list[str]:
    return [tokenizer.decode(ids).strip() for ids in phrases]


def stands_in(text: str, term: str) -> bool:
    """Not only as the beginning of a longer word."""
    place = text.find(term)
    while place >= 0 and not on_borders(text, place, place + len(term)):
        place = text.find(term, place + 1)
    return place >= 0
