"""Checks of a pair by itself (encoding, copies, numbers, Chinese scripts, leaked tests), and of the lengths of all.

A test sentence inside a training corpus is a leak: a score on that test then measures memory.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from attendo.data.corpus import Corpus, Pair
from attendo.data.hash_set import fingerprint
from attendo.data.lines import ignore
from attendo.doctor.pairing import Floats, Ints
from attendo.text.number_words import CHINESE
from attendo.text.numbers import missing_numbers
from attendo.text.scripts import HAN, simplified_only, traditional_only

# UTF-8 bytes read as Latin-1 or Windows-1252: a lead byte and then the letters that continuation bytes turn into.
CONTINUATION = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = re.compile(
    f"[ÃÂÄÅ][{CONTINUATION}]|â[€\u0080][{CONTINUATION}]|[äåæçèé][{CONTINUATION}]{{2}}|ð[Ÿ\u009f][{CONTINUATION}]|ï¿½"
)
# In good text these follow such letters as well: "Â «", "DÅ’", a word in quotes ending in a capital Ã.
INNOCENT = re.compile("[ÃÂÄÅäåæçèé][«»’‘“”„‚…–—›‹ ]")
CONTROL = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\u200b\ufff9-\ufffb\U000e0001-\U000e007f]"
)
LOST = re.compile("[\ufffd\ud800-\udfff]")

# Half-width signs count only after a Chinese character: 3.5, "U.S." and web addresses are good Chinese.
HALF_WIDTH = re.compile(f"[{HAN}][,;:?!.](?![A-Za-z0-9/.])")
FULL_WIDTH = re.compile("[，。；：？！]")

NUMBER_SIGN = re.compile(rf"\d|[{CHINESE}]{{2}}")  # digits, or Chinese numerals in a row

SHORT = 10.0  # characters added to both sides, because "Yes." and its translations differ by chance
OUTLIER = 5.0  # standard deviations, estimated by the median so that outliers do not widen them
NARROWEST = 0.15  # of the logarithm of the ratio; tidy corpora must not make every free translation an outlier

FEWEST_PAIRS = 3_000  # from fewer too little is learned to judge a single pair (a shifted block is still seen)
FEWEST_WORDS = 6  # known words of both sides together; fewer are too weak a witness
STRANGE = 0.4  # a pair is implausible when this share of strangers fit better

LONG_ENOUGH = 12  # letters, of which a Chinese character counts three: "thank you" alone is no leak
NOT_A_LETTER = re.compile(r"[\W_]+")

Check = Callable[[Pair], bool]


def is_empty(pair: Pair) -> bool:
    return not pair.source.strip() or not pair.target.strip()


def is_broken(pair: Pair) -> bool:
    """Either side has lost characters (U+FFFD) or shows them as others (Ã¤ for ä, â€™ for ’)."""
    return text_is_broken(pair.source) or text_is_broken(pair.target)


def text_is_broken(text: str) -> bool:
    if text.isascii():
        return False
    return LOST.search(text) is not None or any(not INNOCENT.fullmatch(m.group()) for m in MOJIBAKE.finditer(text))


def has_control_characters(pair: Pair) -> bool:
    """Control characters, invisible spaces and foreign line ends; a tab inside a side counts as a space."""
    return CONTROL.search(pair.source) is not None or CONTROL.search(pair.target) is not None


def without_control_characters(text: str) -> str:
    return " ".join(CONTROL.sub(" ", text).split())


@cache
def one_way_characters() -> tuple[frozenset[str], frozenset[str]]:
    """Characters that are only simplified, and only traditional: OpenCC knows another form of each, too."""
    from opencc import OpenCC

    to_simplified, to_traditional = OpenCC("t2s"), OpenCC("s2t")
    return (
        frozenset(c for c in simplified_only() if to_traditional.convert(c) != c),
        frozenset(c for c in traditional_only() if to_simplified.convert(c) != c),
    )


def mixes_scripts(text: str) -> bool:
    """One line has characters that are only simplified and others that are only traditional."""
    if text.isascii():
        return False
    simplified, traditional = one_way_characters()
    return not simplified.isdisjoint(text) and not traditional.isdisjoint(text)


def mixes_punctuation(text: str) -> bool:
    """One line has half- and full-width punctuation, both after Chinese characters."""
    return FULL_WIDTH.search(text) is not None and HALF_WIDTH.search(text) is not None


def is_copy(pair: Pair) -> bool:
    """The target is the source, but for case and outer white space, and has a letter: 12:30 is not translated."""
    source = pair.source.strip()
    return source.casefold() == pair.target.strip().casefold() and any(letter.isalpha() for letter in source)


def find_duplicates(fingerprints: "array[int]") -> NDArray[np.int64]:
    """The rows whose fingerprint stood in an earlier row already; eight bytes a pair are all that is kept."""
    if len(fingerprints) == 0:
        return np.zeros(0, dtype=np.int64)
    values = np.frombuffer(fingerprints, dtype=np.uint64)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    return np.sort(order[1:][ordered[1:] == ordered[:-1]])


def numbers_differ(pair: Pair, languages: tuple[str, str]) -> bool:
    """A number of one side is lost on the other, by the rules of a translator's ledger: 1.000 is 1,000 and 12 twelve.

    Most pairs have no number, and need no more than a look.
    """
    if not NUMBER_SIGN.search(pair.source) and not NUMBER_SIGN.search(pair.target):
        return False
    source, target, (ours, theirs) = pair.source, pair.target, languages
    return bool(missing_numbers(source, target, ours, theirs) or missing_numbers(target, source, theirs, ours))


def log_ratios(source: NDArray[np.uint16], target: NDArray[np.uint16]) -> NDArray[np.float32]:
    """log(target length / source length) of each pair, softened for short ones."""
    return np.log(target + np.float32(SHORT)) - np.log(source + np.float32(SHORT))


def find_length_outliers(source: NDArray[np.uint16], target: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """One flag a pair, from the lengths of both sides in characters; an empty side has its own name."""
    if len(source) == 0:
        return np.zeros(0, dtype=bool)
    ratio = log_ratios(source, target)
    middle = np.median(ratio)
    deviation = max(NARROWEST, 1.4826 * float(np.median(np.abs(ratio - middle))))
    return (np.abs(ratio - middle) > OUTLIER * deviation) & (source > 0) & (target > 0)


def find_implausible(own: Floats, strangers: Floats, num_words: Ints) -> NDArray[np.bool_]:
    """One flag a pair. Scores are compared a word, so that long sentences are not at an advantage."""
    if len(own) < FEWEST_PAIRS:
        return np.zeros(len(own), dtype=np.bool_)
    words = np.maximum(num_words, 1)
    limit = np.quantile(strangers / words, 1 - STRANGE)
    return (num_words >= FEWEST_WORDS) & (own / words < limit)


@dataclass(frozen=True)
class TestSentences:
    """Fingerprints of what must not occur: sentences of either side, and short pairs as a whole."""

    __test__ = False  # pytest: this is no test class

    sentences: frozenset[int]
    pairs: frozenset[int]

    def leak_into(self, pair: Pair) -> bool:
        """Whether a side of the pair is a test sentence, or both sides together are a test pair."""
        source, target = bare(pair.source), bare(pair.target)
        if any(is_long(side) and fingerprint(side) in self.sentences for side in (source, target)):
            return True
        return bool(source and target) and pair_fingerprint(source, target) in self.pairs


def bare(text: str) -> str:
    """Lower case, letters and digits only: nobody is fooled by another full stop or a double space."""
    return NOT_A_LETTER.sub("", unicodedata.normalize("NFKC", text).lower())


def is_long(sentence: str) -> bool:
    return sum(3 if letter > "⺀" else 1 for letter in sentence[:LONG_ENOUGH]) >= LONG_ENOUGH


def pair_fingerprint(source: str, target: str) -> int:
    """The same for both directions."""
    return fingerprint("\t".join(sorted((source, target))))


def read_tests(corpora: Sequence[Corpus]) -> TestSentences:
    """All sentences of the test files; what is wrong with those is not the matter here."""
    sentences: set[int] = set()
    pairs: set[int] = set()
    for corpus in corpora:
        for pair in corpus.pairs(ignore):
            source, target = bare(pair.source), bare(pair.target)
            sentences.update(fingerprint(side) for side in (source, target) if is_long(side))
            if source and target:
                pairs.add(pair_fingerprint(source, target))
    return TestSentences(frozenset(sentences), frozenset(pairs))


def line_checks(languages: tuple[str, str], tests: TestSentences) -> list[tuple[str, Check]]:
    """The checks that need nothing but the pair itself."""
    checks: list[tuple[str, Check]] = [
        ("empty", is_empty),
        ("copy", is_copy),
        ("broken_encoding", is_broken),
        ("control_characters", has_control_characters),
        ("number_mismatch", lambda pair: numbers_differ(pair, languages)),
    ]
    if tests.pairs or tests.sentences:
        checks.append(("leak", tests.leak_into))
    if languages[0] == "zh":
        checks.append(("mixed_script", lambda pair: mixes_scripts(pair.source)))
        checks.append(("mixed_punctuation", lambda pair: mixes_punctuation(pair.source)))
    if languages[1] == "zh":
        checks.append(("mixed_script", lambda pair: mixes_scripts(pair.target)))
        checks.append(("mixed_punctuation", lambda pair: mixes_punctuation(pair.target)))
    return checks
