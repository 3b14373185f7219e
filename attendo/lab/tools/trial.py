"""What a tokenizer makes of text that it has not seen: what it leaves out, how long it is, how easily foretold."""

from collections.abc import Mapping, Sequence
from functools import partial

from attendo.lab.claim import Size, by_size
from attendo.lab.tools.morphemes import WORDS, agreement
from attendo.lab.tools.n_gram import NGram
from attendo.lab.tools.texts import Language
from attendo.lab.tools.two_languages import sentences, split
from attendo.special_tokens import SPECIAL
from attendo.text.pretokenize import is_han, pretokenize, pretokenize_words
from attendo.text.subword_models import Kind
from attendo.text.tokenizer import Layout, Tokenizer
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

SENTENCES: Mapping[Size, int | None] = by_size(100, 800, None)  # the first of them; all
RUNS = 120  # runs of Chinese characters in which cuts are compared with words


class Texts:
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


def figures(texts: Texts, tokenizer: Tokenizer) -> dict[str, float]:
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
