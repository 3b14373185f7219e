"""Small words, which one language has where another has none: articles, prepositions, particles, forms of to be.

    在<i>机场</i>附近  ->  near the airport        <i>airport</i>, for 机场 begins with no such word

A model makes them from whatever word they go with, so by the alignment alone they would often be inside an element.
"""

from attendo.text.scripts import HAN_CHARACTER, base_language

SMALL = {
    language: frozenset(text.split())
    for language, text in {
        "en": "the a an of to in on at by for from with into and or that is are was were be been it",
        "de": "der die das den dem des ein eine einen einem einer eines zu in im ins an am auf aus bei beim mit nach"
        " von vom zum zur um für und oder dass ist sind war waren",
        "zh": "的 了 在 是 和 将 把 被 于 将在",
    }.items()
}


def small_words(language: str) -> frozenset[str]:
    """Of a language that we have none of: none."""
    return SMALL.get(base_language(language), frozenset())


def begins_small(text: str, words: frozenset[str]) -> bool:
    return edge_word(text, 0).casefold() in words


def ends_small(text: str, words: frozenset[str]) -> bool:
    return edge_word(text, -1).casefold() in words


def edge_word(text: str, which: int) -> str:
    """The first or last word of a text; in Chinese the first or last character, for its words are not set apart."""
    text = text.strip()
    if text.startswith("一") and not which:
        return "的"  # one, but as often the article that other languages have
    if text and HAN_CHARACTER.match(text[which]):
        return text[which]
    return text.split()[which] if text else ""
