"""What a tokenizer makes of text that it has not seen: what it leaves out, how long it is, how easily foretold.

The text is in Chinese and in English and says the same: the lab's other pages, or, where there is one, a corpus.
"""

import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import torch

from attendo.data.lines import ignore, read_lines
from attendo.lab.knobs import Size, by_size
from attendo.lab.tools.texts import LAB, Language, one_line_each
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import normalize
from attendo.text.subword_models import Kind
from attendo.text.tokenizer import Layout, Tokenizer, is_han, pretokenize, pretokenize_words
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

SENTENCES: Mapping[Size, int | None] = by_size(100, 800, None)  # the first of them; all
RUNS = 120  # runs of Chinese characters in which cuts are compared with words


class TrialTexts:
    """Some sentences to learn from, some held out, and what all kinds need to know of them."""

    def __init__(self, language: Language, seed: int, size: Size) -> None:
        every = sentences(language, size)
        self.language = language
        self.learned, self.held_out = split(every[: SENTENCES[size]], seed)
        self.words = {word for text in self.learned for word in pretokenize_words(text)}
        self.spelling = NGram((tuple(map(ord, word)) for word in self.words), 0x10FFFF)
        self.edges = WORDS if language == "en" else chinese_edges(self.held_out)

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
    on_edge, by_chance, p = agreement(partial(pieces_of, tokenizer), texts.edges)
    return {
        "pieces": len(tokenizer.subwords.pieces), "unknown": sum(map(len, unknown)) / characters,
        "length": sum(map(len, cuts)) / characters, "bits": bits / characters,
        "on_edge": on_edge, "by_chance": by_chance, "p": p,
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
PAIRS = 20_000  # of the corpus: enough for a dictionary of 16000, and counted in minutes
MARKUP = re.compile(r"\$[^$]*\$|«[^»]*»|`[^`]*`|[#*|]+")
ABOUT_TEXT = "text"  # the folder of the claims that read the pages: a page of theirs would be read by itself
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？：；])|\n+")


def sentences(language: Language, size: Size) -> list[str]:
    data = Path(os.environ.get("ATTENDO_DATA") or "data") / CORPUS
    if size == "full" and data.is_file():
        column = {"zh": 0, "en": 1}[language]
        return [normalize(line.split("\t")[column]) for line in read_lines(data, ignore)][:PAIRS]
    others = (path for path in LAB.rglob(f"*.{language}.md") if path.parent.name != ABOUT_TEXT)
    paths = sorted(others, key=lambda path: (path.parent.name, path.name.partition("_")[2]))  # by name, without the id
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

# Only words whose morphemes stand side by side unchanged (hope|ful, but not hop|ing).
MARKED = """
un|help|ful un|friend|ly un|break|able un|clear un|even|ly re|build re|open|ed re|start|ing re|think re|play|ed
mis|lead|ing mis|understand mis|count|ed dis|agree dis|trust|ful dis|order|ly over|look|ed over|work|ed
out|number|ed under|ground fore|see|ing pre|view|s pre|heat|ed non|sense inter|act|ion sub|way in|direct|ly
im|perfect im|patient|ly care|less|ness hope|ful|ly thank|ful use|less|ly end|less|ly kind|ness dark|ness sad|ness
weak|ness|es friend|ship lead|er|ship child|hood neighbour|hood king|dom free|dom teach|er|s farm|er|s paint|er|s
play|er|s sing|ing jump|ed walk|ing cook|ed help|er wash|able read|able enjoy|able enjoy|ment move|ment govern|ment
treat|ment|s slow|ly quick|ly loud|er tall|est fast|est black|bird snow|ball foot|ball sun|light rain|coat book|shop
water|fall class|room home|work
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
