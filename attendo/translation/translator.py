"""The translator: strings in, strings out, the same answer every time, and no text lost.

A text is cut into sentences (prepare.py), the sentences are decoded in batches of like lengths, if need be again
(retries.py), and the answers are put together in the lines, spaces and edges of the source (compose.py). What was cut,
repeated, left or missed stands in each answer's ledger.
"""

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, overload

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.length import group_by_length
from attendo.engines.engine import Engine, Request
from attendo.errors import DataError, InputError, UsageError
from attendo.files.arguments import as_list, check_argument, check_count, check_languages, check_several, wrong_argument
from attendo.files.tables import LARGEST_INTEGER
from attendo.model_folder.bundle import Bundle
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, one_line
from attendo.text.sentences import join_one_by_one
from attendo.text.tokenizer import Tokenizer
from attendo.translation.answer import Sentence, Translation
from attendo.translation.compose import compose, finish
from attendo.translation.doubt import with_doubt
from attendo.translation.options import DEFAULT, TranslationOptions, suited
from attendo.translation.prepare import PreparedText, Preparer
from attendo.translation.retries import Searcher

if TYPE_CHECKING:
    from attendo.translation.alignment import WordLogProb

STREAMED_TOGETHER = 8  # sentences; the first comes alone, so that something is there soon
SCORED_LIKE_A_BEAM_OF = 4  # the logits of all tokens of a batch are in memory at once
MOST_LINES = 4_000  # translated together
CHARACTERS_PER_TOKEN = 4  # about, of English; of Chinese there are more tokens, in smaller chunks

Pair = tuple[str, str]


def check_request(to: object, from_: object, options: object) -> None:
    check_languages(to, from_)
    check_argument("options", options, TranslationOptions, "TranslationOptions (search=… takes SearchOptions)")


@dataclass(frozen=True)
class Translator:
    """A model that translates texts; `attendo.load` makes one.

    >>> translator = attendo.load()
    >>> translator.translate("你好吗？我很好。", to="en").text
    "How are you? I'm fine."
    >>> answers = translator.translate(["Guten Tag!", "我很好。"], to="en", options=attendo.TranslationOptions(beam=8))
    >>> [answer.text for answer in answers]
    ['Hello!', "I'm fine."]

    In all methods `to` may be left out where the model has one target language, `from_` always: the text tells.
    """

    bundle: Bundle
    tokenizer: Tokenizer
    engine: Engine

    @overload
    def translate(
        self, text: str, to: str | None = None, from_: str | None = None, options: TranslationOptions = ...
    ) -> Translation: ...
    @overload
    def translate(
        self,
        text: list[str] | tuple[str, ...],
        to: str | None = None,
        from_: str | None = None,
        options: TranslationOptions = ...,
    ) -> list[Translation]: ...
    def translate(
        self,
        text: str | list[str] | tuple[str, ...],
        to: str | None = None,
        from_: str | None = None,
        options: TranslationOptions = DEFAULT,
    ) -> Translation | list[Translation]:
        """One text, or many: the answers come in their order, each with its score, its ledger and remarks."""
        started = time.perf_counter()
        check_request(to, from_, options)
        options = self.suited(options)
        if not isinstance(text, (str, list, tuple)):
            raise InputError(f"a text is {type(text).__name__}: expected str, or a list of str")
        self.preparer.languages("", to, from_)  # a wrong one is an error even where there is no text
        texts = [text] if isinstance(text, str) else text
        prepared = [self.preparer.prepare(one, to, from_, options) for one in texts]
        found: list[dict[int, Sentence]] = [{} for _ in prepared]
        answers: dict[int, Translation] = {}
        engine = self.engine.name

        def put_together(text_index: int) -> None:
            seconds = time.perf_counter() - started
            answer = compose(prepared[text_index], found[text_index], engine, seconds, options.sampling)
            answers[text_index] = self.aligned(answer, prepared[text_index]) if options.alignment else answer

        for text_index, one in enumerate(prepared):
            if not one.asked:
                put_together(text_index)
        where = [(text_index, index) for text_index, one in enumerate(prepared) for index in one.asked]
        asked = [prepared[text_index].asked[index] for text_index, index in where]
        for at, answer in self.searcher.decode(asked, options):
            text_index, index = where[at]
            direction = prepared[text_index].languages[:2]
            found[text_index][index] = with_doubt(answer, self.bundle.doubt, direction, options)
            if len(found[text_index]) == len(prepared[text_index].asked):
                put_together(text_index)
        return answers[0] if isinstance(text, str) else [answers[text_index] for text_index in range(len(prepared))]

    def translate_lines(
        self,
        lines: Iterable[str],
        to: str | None = None,
        from_: str | None = None,
        options: TranslationOptions = DEFAULT,
    ) -> Iterator[Translation]:
        """One answer for each line, such as those of an open file, in memory that does not grow with their number.

        A line break at the end of a line is not part of it.
        """
        check_several("lines", lines, "lines of text, such as an open file or a list of str")
        together: list[str] = []
        characters = 0
        for line in lines:
            if not isinstance(line, str):
                raise InputError(f"a line is {type(line).__name__}: expected str (open a file as text, in UTF-8)")
            together.append(line.removesuffix("\n"))
            characters += len(line)
            if characters > self.engine.tokens_per_batch * CHARACTERS_PER_TOKEN or len(together) == MOST_LINES:
                yield from self.translate(together, to, from_, options)
                together, characters = [], 0
        yield from self.translate(together, to, from_, options)

    def stream(
        self, text: str, to: str | None = None, from_: str | None = None, options: TranslationOptions = DEFAULT
    ) -> Generator[str, None, Translation]:
        """The translation of a text part by part, each sentence as soon as it is there; joined they are the whole.

        What the generator returns is the whole `Translation`, with score and ledger (`whole = yield from …`).
        """
        started = time.perf_counter()
        check_request(to, from_, options)
        options = self.suited(options)
        prepared = self.preparer.prepare(text, to, from_, options)
        found: dict[int, Sentence] = {}
        texts = self.finished_texts(prepared, options, found)
        yield from join_one_by_one(texts, prepared.segments, prepared.languages.to)
        answer = compose(prepared, found, self.engine.name, time.perf_counter() - started, options.sampling)
        return self.aligned(answer, prepared) if options.alignment else answer

    def finished_texts(
        self, prepared: PreparedText, options: TranslationOptions, found: dict[int, Sentence]
    ) -> Iterator[str]:
        """The translation of each segment in turn, a few of them decoded together; `found` takes the answers."""
        segments = range(len(prepared.segments))
        direction = prepared.languages[:2]
        rest = (segments[at : at + STREAMED_TOGETHER] for at in range(1, len(segments), STREAMED_TOGETHER))
        for group in (segments[:1], *rest):
            asked = [index for index in group if index in prepared.asked]
            for at, answer in self.searcher.decode([prepared.asked[index] for index in asked], options):
                found[asked[at]] = with_doubt(answer, self.bundle.doubt, direction, options)
            for index in group:
                yield finish(prepared, index, found.get(index)).text

    def stream_tokens(self, text: str, to: str | None = None, from_: str | None = None) -> Iterator[str]:
        """The translation of one sentence as it grows, a token at a time, by greedy search."""
        check_languages(to, from_)
        prepared = self.preparer.prepare(text, to, from_, DEFAULT)
        segments, languages = prepared.segments, prepared.languages
        if len(segments) > 1:
            raise InputError(f"{len(segments)} sentences: tokens are streamed of one; `stream` takes any text")
        if not prepared.asked:
            yield text
            return
        yield segments[0].before
        ids: list[int] = []
        shown = grown = ""
        asked, _ = self.preparer.ask_openly(segments[0].text, languages)  # a stand-in cannot grow
        # In another script, and under a dress, the next word may change an earlier one: it all comes at the end.
        settles = languages.to == languages.target and not (asked.dress.capitals or asked.dress.marks)
        for token in self.engine.tokens(asked.request):
            ids.append(token)
            grown = asked.for_reader(one_line(self.tokenizer.decode(ids)))
            settled = settles and not grown.endswith("\ufffd")  # the first bytes of a character are not yet one
            if settled and grown != shown and grown.startswith(shown):
                yield grown[len(shown) :]
                shown = grown
        yield grown[len(shown) :] + segments[0].after

    def score(
        self,
        pairs: Iterable[Pair],
        to: str | None = None,
        from_: str | None = None,
        *,
        name: str = "pair",
        first: int = 1,
    ) -> list[Hypothesis]:
        """What the model says of given translations: the log-probability of each target, token by token.

            log p(target | source) = Σ_n log p(token_n | source, tokens before it), </s> included

        `pairs` are (source, target); each is one sentence to the model, as it was in training, and both sides are read
        as a text is, without controls and with single spaces. A pair that cannot be scored is an error that names it:
        `name` and its number, counted from `first`.
        """
        check_languages(to, from_)
        check_argument("name", name, str, "a text")
        check_count("first", first, 0, LARGEST_INTEGER)
        pairs = as_list("pairs", pairs, "a list of (source, target)")
        for pair in pairs:
            if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(isinstance(side, str) for side in pair)):
                raise wrong_argument("a pair", pair, "(source, target), both str")
        self.preparer.languages("", to, from_)
        return self.score_ids(
            [self.scored_request(pair, to, from_, f"{name} {n}") for n, pair in enumerate(pairs, start=first)]
        )

    def score_ids(self, asked: Sequence[tuple[Request, tuple[int, ...]]]) -> list[Hypothesis]:
        """Given answers, in batches of like lengths."""
        answers: dict[int, Hypothesis] = {}
        lengths = [max(len(request.ids), len(target)) for request, target in asked]
        for indices in group_by_length(lengths, self.engine.tokens_per_batch // SCORED_LIKE_A_BEAM_OF):
            found = self.engine.score([asked[index] for index in indices])
            answers |= dict(zip(indices, found, strict=True))
        return [answers[index] for index in range(len(asked))]

    def word_log_probs(self, translations: Sequence[Translation]) -> list[tuple["WordLogProb", ...]]:
        """For each of these answers of this translator its words, text[start:end], and how likely the model found them.

            log p(word) = Σ log p(token | source, tokens before it), over the tokens of the word

        Where the engine gave no log-probabilities of tokens, as CTranslate2 does not, all answers are scored together,
        in one more pass and by the full vocabulary, whatever a shortlist leaves out. Words that the model did not say,
        such as what it did not have to translate, are left out.
        """
        from attendo.translation.alignment import answers_to_score, words_with_log_probs

        for translation in translations:
            check_argument("a translation", translation, Translation, "a Translation")
        asked = answers_to_score(translations)
        scored = {pair: found.token_log_probs for pair, found in zip(asked, self.score_ids(asked), strict=True)}
        return [words_with_log_probs(translation, scored, self.tokenizer) for translation in translations]

    def scored_request(
        self, pair: Pair, to: str | None, from_: str | None, where: str
    ) -> tuple[Request, tuple[int, ...]]:
        """The pair as ids; an error where a side is empty, or longer than the model can take."""
        source, target = map(for_model, pair)
        for side, text in (("source", source), ("target", target)):
            if not text:
                raise DataError(f"{where}: the {side} is empty")
        request, _ = self.preparer.request(source, self.preparer.languages(source, to, from_))
        ids = (*self.tokenizer.encode_target(target), SPECIAL.eos)
        limits = self.engine.limits
        if len(request.ids) > limits.source or len(ids) > limits.target:
            raise InputError(
                f"{where}: {len(request.ids):,} tokens of source and {len(ids):,} of target are too many: "
                f"this model reads {limits.source:,} and says {limits.target:,}"
            )
        return request._replace(max_length=len(ids)), ids

    def aligned(self, answer: Translation, prepared: PreparedText) -> Translation:
        from attendo.translation.alignment import with_alignment  # a plain translation does without

        return with_alignment(answer, prepared, self.tokenizer)

    def suited(self, options: TranslationOptions) -> TranslationOptions:
        """These options for this model; an error where it cannot follow one."""
        return suited(options, self.bundle.model.get("family", "transformer"))

    def __copy__(self) -> "Translator":
        return Translator(self.bundle, self.tokenizer, self.engine)

    def __reduce__(self) -> NoReturn:
        """What pickle and deepcopy ask for: an engine holds memory and threads of this process."""
        raise UsageError(
            "a Translator cannot be pickled or copied deeply: its engine belongs to this process; "
            "load it anew in the other one, by attendo.load"
        )

    @cached_property
    def preparer(self) -> Preparer:
        return Preparer(self.tokenizer, self.bundle.directions, self.engine.limits, self.bundle.stand_ins)

    @cached_property
    def searcher(self) -> Searcher:
        return Searcher(self.engine, self.tokenizer)
