"""What a tokenizer makes of text that it has not seen: what it leaves out, how long it is, how easily foretold.

The text is in Chinese and in English and says the same: the first pairs of a fixed, open corpus. Tests, which have
none, cut the lab's other pages.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import torch

from attendo.data.lines import ignore, read_lines
from attendo.lab.knobs import Size
from attendo.lab.tools.data_files import data_file
from attendo.lab.tools.texts import LAB, Language, one_line_each
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import normalize
from attendo.text.subword_models import Kind
from attendo.text.tokenizer import Layout, Tokenizer, is_han, pretokenize, pretokenize_words
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

OFTEN = 5  # times a word must occur in what is learned from: of one never seen nobody can find the root
RUNS = 120  # runs of Chinese characters in which cuts are compared with words


class TrialTexts:
    """Some sentences to learn from, some held out, and what all kinds need to know of them."""

    def __init__(self, language: Language, every: list[str], seed: int, often: int = OFTEN) -> None:
        self.language = language
        self.learned, self.held_out = split(every, seed)
        self.words = Counter(word for text in self.learned for word in pretokenize_words(text))
        self.spelling = NGram((tuple(map(ord, word)) for word in self.words), 0x10FFFF)
        self.edges = self.english_edges(often) if language == "en" else chinese_edges(self.held_out)

    def english_edges(self, often: int) -> list[str]:
        """The words cut by hand that occur so often in what is learned from."""
        return [marked for marked in WORDS if self.words[" " + marked.replace("|", "")] >= often]

    def learn(self, kind: Kind, num_pieces: int) -> Tokenizer:
        config = TokenizerConfig(Layout((self.language,), num_pieces).size, kind)
        return train_tokenizer(lambda: self.learned, [self.language], config)


def figures(texts: TrialTexts, tokenizer: Tokenizer) -> dict[str, float]:
    characters = sum(map(len, texts.held_out))
    cuts = tokenizer.encode_all(texts.held_out)
    model = NGram(tokenizer.encode_all(texts.learned), tokenizer.vocab_size)
    # All have to say the same text: so what is unknown is spelled, character by character.
    unknown = [part for text in texts.held_out for part in unknown_parts(tokenizer, text)]
    bits = sum(map(model.bits, cuts)) + sum(texts.spelling.bits(tuple(map(ord, part))) for part in unknown)
    cut_up = [marked for marked in texts.edges if len(pieces_of(tokenizer, marked.replace("|", ""))) > 1]
    on_edge, by_chance, p = agreement(partial(pieces_of, tokenizer), cut_up)
    return {
        "pieces": len(tokenizer.subwords.pieces), "unknown": sum(map(len, unknown)) / characters,
        "length": sum(map(len, cuts)) / characters, "bits": bits / characters,
        "cut_up": len(cut_up), "on_edge": on_edge, "by_chance": by_chance, "p": p,
    }  # fmt: skip


def pieces_of(tokenizer: Tokenizer, word: str) -> list[str]:
    """As inside a sentence: the space before an English word belongs to it, but is none of its letters."""
    first, *rest = [tokenizer.decode([token]) for token in tokenizer.encode(word if is_han(word) else f" {word}")]
    return [first.lstrip(), *rest]


def unknown_parts(tokenizer: Tokenizer, text: str) -> list[str]:
    """Words and WordPiece leave out a whole word; the other kinds fall back to bytes."""
    if tokenizer.subwords.kind == "word":
        known = set(tokenizer.subwords.pieces)
        return [part for part in pretokenize_words(text) if part not in known]
    return [part for part in pretokenize(text) if SPECIAL.unk in tokenizer.encode(part)]


def chinese_edges(texts: Sequence[str]) -> list[str]:
    """Runs of Chinese characters with the words that the segmenter finds in them: 机器|学习|很|有趣."""
    runs = ["|".join(pretokenize_words(part)) for text in texts for part in pretokenize(text) if is_han(part)]
    return [run for run in runs if len(run) > 3][:RUNS]


# --- text in two languages

CORPUS = "zh-en/tatoeba.train.tsv.xz"
MARKUP = re.compile(r"\$[^$]*\$|«[^»]*»|`[^`]*`|[#*|]+")
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？：；])|\n+")


def sentences(language: Language, size: Size, count: int) -> list[str]:
    """The first `count` of them."""
    return (lab_pages(language) if size == "small" else corpus(language))[:count]


def corpus(language: Language) -> list[str]:
    column = {"zh": 0, "en": 1}[language]
    return [normalize(line.split("\t")[column]) for line in read_lines(data_file(CORPUS), ignore)]


def lab_pages(language: Language) -> list[str]:
    paths = sorted(LAB.rglob(f"*.{language}.md"), key=lambda path: path.name)
    pages = (path.read_text(encoding="utf-8") for path in paths)
    found = (part.strip() for page in pages for part in SENTENCE_END.split(MARKUP.sub(" ", join_lines(page))))
    return [re.sub(r"\s+", " ", normalize(sentence)) for sentence in found if len(sentence) > 1]


def join_lines(page: str) -> str:
    """Lines that are one paragraph as one line."""
    return re.sub(r"(?<!\n)\n(?=[^\n#])", " ", one_line_each(page))


def split(texts: list[str], seed: int, held_out: float = 0.2) -> tuple[list[str], list[str]]:
    """Some to learn from, some held out, by chance."""
    order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(seed)).tolist()
    last = round(held_out * len(texts))
    return [texts[position] for position in order[last:]], [texts[position] for position in order[:last]]


# --- how well tokens can be foretold from the few before: bits, by counting alone

ORDER = 4  # a token is foretold from the 3 before it, or from as many of them as were ever seen together
START, END = -1, -2  # of a sentence


class NGram:
    """Witten and Bell's: each order is mixed with the next lower one, which counts as much as kinds of tokens followed.

        p(w | h) = (c(h w) + t(h) p(w | shorter h)) / (c(h) + t(h)),   p(w) at the bottom: 1 / |V|

    c counts, t(h) is how many different tokens have followed h.
    """

    def __init__(self, sentences: Iterable[Sequence[int]], vocab_size: int) -> None:
        self.vocab_size = vocab_size + 1  # and the end of a sentence
        self.follow: defaultdict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
        for sentence in sentences:
            tokens = add_borders(sentence)
            for position in range(ORDER - 1, len(tokens)):
                for n in range(ORDER):
                    counts = self.follow[tokens[position - n : position]]
                    counts[tokens[position]] = counts.get(tokens[position], 0) + 1
        self.totals = {history: sum(counts.values()) for history, counts in self.follow.items()}

    def bits(self, sentence: Sequence[int]) -> float:
        """-log₂ of the probability of the whole sentence, its end included."""
        tokens = add_borders(sentence)
        return -sum(math.log2(self.probability(tokens, position)) for position in range(ORDER - 1, len(tokens)))

    def probability(self, tokens: tuple[int, ...], position: int) -> float:
        p = 1 / self.vocab_size
        for n in range(ORDER):
            history = tokens[position - n : position]
            counts = self.follow.get(history)
            if counts is None:
                break  # a longer history was not seen either
            p = (counts.get(tokens[position], 0) + len(counts) * p) / (self.totals[history] + len(counts))
        return p


def add_borders(sentence: Sequence[int]) -> tuple[int, ...]:
    return (*[START] * (ORDER - 1), *sentence, END)


# --- words cut by hand into their morphemes

# Words that are common in everyday sentences, and whose morphemes stand side by side unchanged (hope|ful, not hop|ing).
MARKED = """
look|ing read|ing want|ed happen|ed meet|ing wait|ing call|ed finish|ed work|ing eat|ing wear|ing talk|ing play|ing
turn|ed watch|ing interest|ing interest|ed rain|ing learn|ing say|ing start|ed try|ing build|ing listen|ing kill|ed
speak|ing return|ed pass|ed feel|ing stay|ed fail|ed visit|ed help|ed fill|ed walk|ing drink|ing follow|ed think|ing
climb|ed sing|ing order|ed stand|ing open|ed reach|ed travel|ing laugh|ed cook|ing expect|ed explain|ed answer|ed
real|ly usual|ly complete|ly quick|ly slow|ly recent|ly sudden|ly clear|ly serious|ly certain|ly rare|ly close|ly
high|ly friend|ly care|ful care|ful|ly use|ful wonder|ful success|ful ill|ness kind|ness agree|ment govern|ment
friend|ship child|hood suit|able teach|er teach|er|s play|er sing|er speak|er wait|er work|er|s foreign|er|s
long|er young|er hard|er tall|er fast|er strong|er cheap|er warm|er tall|est great|est near|est
un|happy un|able im|possible im|patient dis|cover|ed mis|take|s non|sense sub|way
foot|ball class|room home|work some|thing any|thing every|thing any|more some|times out|side in|side girl|friend
boy|friend news|paper some|where any|where every|where air|plane what|ever who|ever book|store bed|room
"""
WORDS = MARKED.split()


def ends(pieces: Iterable[str]) -> set[int]:
    """Where pieces meet: un|help|ful -> {2, 6}."""
    positions, at = [], 0
    for piece in pieces:
        at += len(piece)
        positions.append(at)
    return set(positions[:-1])


def agreement(cut: Callable[[str], list[str]], words: Iterable[str]) -> tuple[float, float, float]:
    """Of all cuts inside the words: the share on a morpheme's edge, the same for random cuts, and how likely those are
    to do as well as that. Random: in each word as many cuts as there were, all positions inside it equally likely."""
    hits, cuts, by_chance = 0, 0, [1.0]  # by_chance[n]: the probability of n hits in all words so far
    for marked in words:
        word, edges, pieces = marked.replace("|", ""), ends(marked.split("|")), cut(marked.replace("|", ""))
        if "".join(pieces) != word:
            continue  # a character it does not know, and so has no position for
        found = ends(pieces) - {0}
        hits, cuts = hits + len(found & edges), cuts + len(found)
        by_chance = convolve(by_chance, hypergeometric(len(word) - 1, len(edges), len(found)))
    expected = sum(n * p for n, p in enumerate(by_chance))
    return hits / max(1, cuts), expected / max(1, cuts), min(1.0, sum(by_chance[hits:]))


def hypergeometric(positions: int, edges: int, cuts: int) -> list[float]:
    """The probability of 0, 1, 2, … hits when `cuts` different positions are drawn."""
    ways = math.comb(positions, cuts)
    return [math.comb(edges, n) * math.comb(positions - edges, cuts - n) / ways for n in range(min(edges, cuts) + 1)]


def convolve(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The law of the sum of two independent counts."""
    total = [0.0] * (len(first) + len(second) - 1)
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            total[i + j] += p * q
    return total
