"""A language model: it goes on with a text, drawn token by token, and tells how likely a text is."""

import codecs
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from attendo.decoding.options import LONGEST, SamplingOptions, check_whole
from attendo.engines.generating import GeneratingEngine
from attendo.errors import InputError
from attendo.files.arguments import check_argument
from attendo.model_folder.bundle import Bundle
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

MAX_LENGTH = 200  # tokens that are drawn, if a text does not end before
MOST_SAMPLES = 100_000


@dataclass(frozen=True)
class GeneratedText:
    """What a model made of a prompt."""

    prompt: str
    continuation: str
    ended: bool  # by the model itself; otherwise it was cut at the maximum length
    tokens: int  # that were drawn, </s> included
    seed: int | None  # of this text alone; None: nothing was drawn, the likeliest token was taken each time

    @property
    def text(self) -> str:
        return self.prompt + self.continuation


class LanguageModel:
    """What `load_language_model` gives. The same seed draws the same text."""

    def __init__(self, bundle: Bundle, tokenizer: Tokenizer, engine: GeneratingEngine) -> None:
        self.bundle, self.tokenizer, self.engine = bundle, tokenizer, engine

    def generate(
        self,
        prompt: str = "",
        *,
        samples: int = 1,
        max_length: int = MAX_LENGTH,
        sampling: SamplingOptions | None = None,
    ) -> Iterator[GeneratedText]:
        """So many texts that begin with the prompt, one after the other; without `sampling` the likeliest token is
        taken each time. Each has a seed of its own, counted up from that of the options, so that the second of three
        is the second of ten."""
        for stream in self.streams(prompt, samples=samples, max_length=max_length, sampling=sampling):
            yield stream.finish()

    def streams(
        self,
        prompt: str = "",
        *,
        samples: int = 1,
        max_length: int = MAX_LENGTH,
        sampling: SamplingOptions | None = None,
    ) -> "Iterator[TextStream]":
        """The same texts, each piece by piece."""
        check_whole("samples", samples, 1, MOST_SAMPLES)
        for index in range(samples):
            own = None if sampling is None else replace(sampling, seed=sampling.seed + index)
            yield self.stream(prompt, max_length, own)

    def stream(self, prompt: str, max_length: int, sampling: SamplingOptions | None) -> "TextStream":
        beginning = [SPECIAL.bos, *self.encode(prompt)]
        check_whole("max_length", max_length, 1, LONGEST)
        room = self.engine.longest - len(beginning)
        if room < 1:
            raise InputError(
                f"the prompt has {len(beginning) - 1:,} tokens: this model reads at most {self.engine.longest - 2:,}"
            )
        tokens = self.engine.stream(beginning, min(max_length, room), sampling)
        return TextStream(self.tokenizer, prompt, tokens, None if sampling is None else sampling.seed)

    def encode(self, text: str) -> list[int]:
        check_argument("a text", text, str, "a text")
        return self.tokenizer.encode(text)

    def score(self, texts: Sequence[str]) -> Iterator[list[float]]:
        """Of each text the log-probability of every token, the end of the text included."""
        rows = [[SPECIAL.bos, *self.encode(text), SPECIAL.eos] for text in texts]
        for index, row in enumerate(rows):
            if len(row) > self.engine.longest:
                most = self.engine.longest - 2
                raise InputError(f"text {index + 1} has {len(row) - 2:,} tokens: this model reads at most {most:,}")
        for together in batches_of(rows, self.engine.tokens_per_batch):
            yield from self.engine.score(together)


class TextStream:
    """The pieces of a text as they are drawn: complete characters, though a character may be several tokens."""

    def __init__(self, tokenizer: Tokenizer, prompt: str, tokens: Iterable[int], seed: int | None) -> None:
        self.tokenizer, self.prompt, self.tokens, self.seed = tokenizer, prompt, iter(tokens), seed
        self.ids: list[int] = []

    def __iter__(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        for token in self.tokens:
            self.ids.append(token)
            if piece := decoder.decode(self.tokenizer.surface(token)):
                yield piece
        if rest := decoder.decode(b"", final=True):
            yield rest

    def finish(self) -> GeneratedText:
        """Draw what is left; the whole text."""
        for _ in self:
            pass
        ended = self.ids[-1:] == [SPECIAL.eos]
        return GeneratedText(self.prompt, self.tokenizer.decode(self.ids), ended, len(self.ids), self.seed)


def batches_of(rows: Sequence[Sequence[int]], tokens: int) -> Iterator[list[Sequence[int]]]:
    """In order, as many together as fit, padding counted; at least one."""
    batch: list[Sequence[int]] = []
    widest = 0
    for row in rows:
        if batch and max(widest, len(row)) * (len(batch) + 1) > tokens:
            yield batch
            batch, widest = [], 0
        batch.append(row)
        widest = max(widest, len(row))
    if batch:
        yield batch
