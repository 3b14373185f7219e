"""The translator: strings in, strings out, the same answer every time, and no text lost.

A text is cut into sentences (line.py), the sentences are decoded in batches of like lengths (decode.py), and the
answers are put together in the lines, spaces and edges of the source (compose.py). What was cut, repeated, left or
missed stands in each answer's ledger.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from attendo.decoding.options import SearchOptions
from attendo.engines.engine import Engine
from attendo.errors import ConfigError, InputError
from attendo.model_folder.bundle import Bundle
from attendo.text.normalize import one_line
from attendo.text.sentences import join_one_by_one
from attendo.text.tokenizer import Tokenizer
from attendo.translation import constrained, second_look
from attendo.translation.answer import Translation
from attendo.translation.compose import compose, sentence, written
from attendo.translation.decode import Decoded, Decoder
from attendo.translation.glossary import Glossary
from attendo.translation.line import Line, Preparer
from attendo.translation.wish import SEARCH, Wish, wish_for

STREAMED_TOGETHER = 8  # sentences; the first comes alone, so that something is there soon


def no_other_engine() -> Engine:
    raise ConfigError("this engine cannot be made to say a glossary's terms, nor what was lost: --engine torch can")


@dataclass(frozen=True)
class Translator:
    bundle: Bundle
    tokenizer: Tokenizer
    engine: Engine
    for_phrases: Callable[[], Engine] = no_other_engine  # what must be said, a glossary's terms, not every engine can

    @overload
    def translate(self, text: str, to: str | None = None, from_: str | None = None, *, options: SearchOptions = ...,
                  glossary: Glossary | None = None, keep: bool = False,
                  second_look: bool = True) -> Translation: ...  # fmt: skip
    @overload
    def translate(self, text: list[str] | tuple[str, ...], to: str | None = None, from_: str | None = None, *,
                  options: SearchOptions = ..., glossary: Glossary | None = None,
                  keep: bool = False, second_look: bool = True) -> list[Translation]: ...  # fmt: skip
    def translate(
        self,
        text: str | list[str] | tuple[str, ...],
        to: str | None = None,
        from_: str | None = None,
        *,
        options: SearchOptions = SEARCH,
        glossary: Glossary | None = None,
        keep: bool = False,
        second_look: bool = True,
    ) -> Translation | list[Translation]:
        """One text, or many: the answers come in their order.

        `to` may be left out where the model has one target language, `from_` always: the text tells. With `keep`, a
        sentence that lost a number, address, emoji, placeholder or tag, even after a second look, is decoded once more
        under the constraint that it must not; without `second_look` the first answer is taken as it is.
        """
        started = time.perf_counter()
        wish = wish_for(self.bundle.directions, to, from_, options, glossary, keep, second_look)
        preparer, engine = self.preparer, self.engine.name
        lines = [preparer.prepared(one, wish) for one in ([text] if isinstance(text, str) else text)]
        places = [(number, place) for number, line in enumerate(lines) for place in line.jobs]
        found: list[dict[int, Decoded]] = [{} for _ in lines]
        answers: dict[int, Translation] = {}

        def put_together(number: int) -> None:
            seconds = time.perf_counter() - started
            answers[number] = compose(lines[number], found[number], wish, self.tokenizer, engine, seconds)

        for number, line in enumerate(lines):
            if not line.jobs:
                put_together(number)
        for at, answer in self.decoded(lines, places, wish):
            number, place = places[at]
            found[number][place] = answer
            if len(found[number]) == len(lines[number].jobs):
                put_together(number)
        return answers[0] if isinstance(text, str) else [answers[number] for number in range(len(lines))]

    def stream(
        self,
        text: str,
        to: str | None = None,
        from_: str | None = None,
        *,
        options: SearchOptions = SEARCH,
        glossary: Glossary | None = None,
        keep: bool = False,
        second_look: bool = True,
    ) -> Iterator[str]:
        """The translation of a text part by part, each sentence as soon as it is there; joined they are the whole."""
        wish = wish_for(self.bundle.directions, to, from_, options, glossary, keep, second_look)
        line = self.preparer.prepared(text, wish)

        def said() -> Iterator[str]:
            places = range(len(line.segments))
            rest = (places[at : at + STREAMED_TOGETHER] for at in range(1, len(places), STREAMED_TOGETHER))
            for group in (places[:1], *rest):
                asked = [(0, place) for place in group if place in line.jobs]
                answers = {asked[at][1]: answer for at, answer in self.decoded([line], asked, wish)}
                for place in group:
                    yield sentence(line, place, answers.get(place), wish, self.tokenizer).text

        yield from join_one_by_one(said(), line.segments, wish.to)

    def stream_tokens(self, text: str, to: str | None = None, from_: str | None = None) -> Iterator[str]:
        """The translation of one sentence as it grows, a token at a time, by greedy search."""
        wish = wish_for(self.bundle.directions, to, from_, SearchOptions(beam_size=1), None, keep=False)
        line = self.preparer.prepared(text, wish)
        if len(line.segments) > 1:
            raise InputError(f"{len(line.segments)} sentences: tokens are streamed of one; `stream` takes any text")
        if not line.jobs:
            yield text
            return
        yield line.segments[0].before
        ids: list[int] = []
        shown = grown = ""
        for token in self.engine.tokens(self.decoder.request(line.jobs[0])):
            ids.append(token)
            grown = written(one_line(self.tokenizer.decode(ids)), wish)
            # The first bytes of a character are not yet one; in another script a word to come may change what was said.
            settled = wish.to == wish.target and not grown.endswith("\ufffd")
            if settled and grown != shown and grown.startswith(shown):
                yield grown[len(shown) :]
                shown = grown
        yield grown[len(shown) :] + line.segments[0].after

    @cached_property
    def preparer(self) -> Preparer:
        return Preparer(self.tokenizer, self.bundle.directions, self.engine.limits)

    @cached_property
    def decoder(self) -> Decoder:
        return Decoder(self.engine, self.tokenizer, self.for_phrases)

    def decoded(self, lines: list[Line], places: list[tuple[int, int]], wish: Wish) -> Iterator[tuple[int, Decoded]]:
        """What the model says of these segments, (line, segment): the place in `places`, and the answer."""
        asked = [(lines[number].source_language, lines[number].jobs[place]) for number, place in places]
        how = constrained if wish.keep or any(job.phrases for _, job in asked) else second_look
        return how.decode(asked, self.decoder, wish)
