"""Which of the languages that models here read a text is in, and how sure that is.

    detect("Guten Morgen, wie geht es dir?", ["zh", "en", "de"])     de 0.99, en 0.01, zh 0.0
    detect("機器學習", ["zh", "en", "de"])                            zh-Hant 0.99, en 0.0, de 0.0
    detect("Bonjour", ["zh", "en", "de"])                            en 0.34, de 0.16, zh 0.0

By letters; where they are Latin by small words, and where these say nothing by py3langid if it is installed. Beginnings
of German and English lines, of one to eight words, are in the language that has one small word more in 96 to 99.8 % of
cases (8,700 lines of test sets); tests/server/test_languages.py checks it.
"""

import math
from collections.abc import Sequence

from attendo.text.scripts import ENOUGH_LETTERS, SURE, base_language, identifier, is_mostly_han, is_traditional
from attendo.text.written_language import WORD, script_of, script_of_language, small_words, written_in

SAMPLE = 600  # characters: a language is clear by then
CLEAR = 0.99
ONE_WORD = math.log(0.97 / 0.03)  # the odds that one small word more gives
HAN_ALONE = 0.9  # Han characters without a kana, where Japanese is read, too: then it is Chinese, most often
MIXED = 0.5  # of letters of several scripts, or too few
NO_WORD = 0.5  # where no small word is known, it may as well be in another language
ELSEWHERE = 0.1  # it is plainly in another language

Found = list[tuple[str, float]]


def detect(text: str, languages: Sequence[str]) -> Found:
    """Each language with a confidence from 0 to 1, the likeliest first; zh is called zh-Hant where the text is in
    traditional characters. Together they are at most 1, and less for a text in a language that is not among them."""
    sample = text[:SAMPLE]
    if not any(map(str.isalpha, sample)):
        return [(language, 0.0) for language in languages]
    script = "Han" if is_mostly_han(sample) and script_of(sample) != "Kana" else script_of(sample)
    fitting = [language for language in languages if fits(language, script)]
    shares = shares_of(sample, script, fitting)
    found = [(named(language, sample), round(shares.get(language, 0.0), 3)) for language in languages]
    return sorted(found, key=lambda one: -one[1])


def fits(language: str, script: str) -> bool:
    """Whether it is written so; one of which nothing is known may be."""
    own = script_of_language(language)
    return own in (script, "") or not script or (script == "Han" and own == "Kana")


def shares_of(sample: str, script: str, languages: Sequence[str]) -> dict[str, float]:
    if not languages:
        return {}
    if script in ("Latin", ""):
        shares = by_words(sample, languages)
        return shares if script else {language: MIXED * share for language, share in shares.items()}
    first = next((language for language in languages if script_of_language(language) == script), languages[0])
    sure = HAN_ALONE if script == "Han" and len(languages) > 1 else CLEAR
    if len(languages) == 1 or script == "Han":
        return {language: sure if language == first else (1 - sure) / (len(languages) - 1) for language in languages}
    return by_words(sample, languages)  # Russian and Ukrainian, for one


def by_words(sample: str, languages: Sequence[str]) -> dict[str, float]:
    expected = {language: base_language(language) for language in languages}
    told = written_in(sample, list(expected.values())).language
    if told in expected.values():
        rest = (1 - CLEAR) / max(1, len(languages) - 1)
        return {language: CLEAR if base == told else rest for language, base in expected.items()}
    words = WORD.findall(sample.lower())
    hits = {language: sum(map(small_words(base).__contains__, words)) for language, base in expected.items()}
    most = max(hits.values())
    weights = {language: math.exp(ONE_WORD * (number - most)) for language, number in hits.items()}
    known = 1.0
    if not most or list(hits.values()).count(most) > 1:
        probabilities = by_langid(sample)
        for language, base in expected.items():
            weights[language] *= probabilities.get(base, 1e-6)
        known = known_share(sample, probabilities, list(expected.values())) if not most else 1.0
    known = ELSEWHERE if told else known
    total = sum(weights.values())
    return {language: known * weight / total for language, weight in weights.items()}


def by_langid(sample: str) -> dict[str, float]:
    """Of 97 languages; of none where the library is not installed."""
    try:
        return {str(language): float(probability) for language, probability in identifier().rank(sample)}
    except ModuleNotFoundError:
        return {}


def known_share(sample: str, probabilities: dict[str, float], languages: Sequence[str]) -> float:
    """How likely it is that a text is in one of the languages at all; short ones deceive every identifier."""
    best = max(probabilities, key=lambda language: probabilities[language], default="")
    elsewhere = best not in languages and probabilities.get(best, 0.0) >= SURE
    if elsewhere and sum(map(str.isalpha, sample)) >= ENOUGH_LETTERS:
        return ELSEWHERE
    return NO_WORD + (1 - NO_WORD) * sum(probabilities.get(language, 0.0) for language in languages)


def named(language: str, sample: str) -> str:
    return "zh-Hant" if language == "zh" and is_traditional(sample) else language
