"""How well a language model foretells a text: perplexity per token, character and word, and bits per character.

    perplexity = exp(-log p(text) / n)       bits per character = -log2 p(text) / n

with n the number of tokens, characters or words. A line of the text is one text to the model; its end must be foretold,
too, and counts as one token and, being a line feed, as one character. Tokens differ from model to model, characters do
not: models are compared by characters.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attendo.errors import DataError
from attendo.generation.language_model import LanguageModel
from attendo.text.scripts import is_mostly_han

CHUNK = 1_000  # lines scored between two calls of `progress`


@dataclass(frozen=True)
class Perplexity:
    """Of one text; counts with the end of each line, which is a token and a character."""

    lines: int
    tokens: int
    characters: int
    words: int | None  # parted by white space, each line's end one more; None: a text without spaces between words
    byte_tokens: int  # tokens that are a single byte: a character without a token of its own is spelled by them
    log_prob: float  # natural, of the whole text

    @property
    def per_token(self) -> float:
        return math.exp(-self.log_prob / self.tokens)

    @property
    def per_character(self) -> float:
        return math.exp(-self.log_prob / self.characters)

    @property
    def per_word(self) -> float | None:
        """None where there are no words, or where the number is larger than a computer can hold."""
        try:
            return None if self.words is None else math.exp(-self.log_prob / self.words)
        except OverflowError:
            return None

    @property
    def bits_per_character(self) -> float:
        return -self.log_prob / math.log(2) / self.characters

    @property
    def tokens_per_character(self) -> float:
        return self.tokens / self.characters

    @property
    def byte_share(self) -> float:
        return self.byte_tokens / self.tokens

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "lines": self.lines,
            "tokens": self.tokens,
            "characters": self.characters,
            "words": self.words,
            "log_prob": self.log_prob,
            "loss": -self.log_prob / self.tokens,
            "perplexity_per_token": self.per_token,
            "perplexity_per_character": self.per_character,
            "perplexity_per_word": self.per_word,
            "bits_per_character": self.bits_per_character,
            "tokens_per_character": self.tokens_per_character,
            "byte_token_share": self.byte_share,
        }


def measure_texts(
    model: LanguageModel, texts: Sequence[str], progress: Callable[[int], None] = lambda lines: None
) -> Perplexity:
    """Lines that are empty are no text, and left out; `progress` is called with the number of lines done."""
    texts = [text for text in texts if text.strip()]
    if not texts:
        raise DataError("there is no text to measure: every line is empty")
    log_prob, num_tokens = 0.0, 0
    for first in range(0, len(texts), CHUNK):
        for each in model.score(texts[first : first + CHUNK]):
            log_prob += math.fsum(each)
            num_tokens += len(each)
        progress(min(first + CHUNK, len(texts)))
    layout = model.tokenizer.layout
    spelled = range(layout.first_byte, layout.first_piece)
    unspaced = is_mostly_han("".join(texts[:CHUNK]))
    return Perplexity(
        lines=len(texts),
        tokens=num_tokens,
        characters=sum(len(text) + 1 for text in texts),
        words=None if unspaced else sum(len(text.split()) + 1 for text in texts),
        byte_tokens=sum(token in spelled for text in texts for token in model.tokenizer.encode(text)),
        log_prob=log_prob,
    )
