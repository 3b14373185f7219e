"""What is to be judged: translations out of a file, or made here by a model, which is timed."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attendo.documents.line_reader import BYTES_PER_TOKEN, Chunk
from attendo.errors import DataError, InputError
from attendo.evaluation.suspicions import exchanged_columns, where_lines_were_lost
from attendo.evaluation.test_set import EvaluationSet, TextsOrPath, read_texts
from attendo.files.arguments import as_texts
from attendo.translation.answer import Translation
from attendo.translation.options import DEFAULT, TranslationOptions
from attendo.translation.translator import Translator

ChunkListener = Callable[[Chunk], None]

BATCHES = 4  # in a chunk, so that many sentences of like lengths are found


@dataclass(frozen=True, kw_only=True)
class TranslationRun:
    """How a model made them."""

    model: str
    engine: str
    threads: int | None  # of the CPU
    options: TranslationOptions
    source_language: str
    target_language: str
    seconds: float  # of translating alone: the model was loaded before
    source_tokens: int  # pieces of the model's tokenizer, without tag and </s>
    repeated: int  # lines whose first translation went round in circles, so that they were decoded again
    recovered: int  # lines in whose first translation something was missing that an attempt with a wider beam found
    untranslated: int  # lines with a sentence that was left as it is, because no way of decoding helped

    @property
    def source_tokens_per_second(self) -> float:
        return self.source_tokens / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Hypotheses:
    """Translations of a test set, a text for each of its sentences."""

    name: str
    texts: tuple[str, ...]
    run: TranslationRun | None = None  # None: out of a file
    remarks: tuple[str, ...] = ()


def read_hypotheses(given: TextsOrPath, test_set: EvaluationSet, name: str = "hypotheses") -> Hypotheses:
    """Translations out of a file, or those given as a list, which has a `name` of its own.

    One for each sentence of the test set; a lost line is an error that says where it may have been.
    """
    remarks: tuple[str, ...] = ()
    given = as_texts(name, given)
    if isinstance(given, (str, Path)):
        name, (given, remarks) = str(given), read_texts(Path(given))
    texts = tuple(text.rstrip() for text in given)
    if len(texts) != len(test_set):
        raise DataError(
            f"{name} has {len(texts):,} lines and {test_set.name} has {len(test_set):,}: expected one translation "
            f"for each sentence{where_lines_were_lost(texts, test_set.references[0], name, test_set.name)}"
        )
    references = zip(*test_set.references, strict=True)
    for line, (text, wanted) in enumerate(zip(texts, references, strict=True), start=1):
        if text.strip() and not any(wanted):
            raise DataError(f"{test_set.name}, line {line:,}: the reference is missing, {name} has a translation")
    return Hypotheses(name, texts, None, remarks)


def translate_test_sets(
    test_sets: Sequence[EvaluationSet],
    translator: Translator,
    model: str,
    to: str | None = None,
    from_: str | None = None,
    options: TranslationOptions = DEFAULT,
    on_chunk: ChunkListener = lambda chunk: None,
) -> Iterator[tuple[EvaluationSet, Hypotheses]]:
    """Each test set with its translation; columns in the wrong order are an error before anything is translated.

    `on_chunk` is called with each chunk of sentences that is translated, and its time is not counted.
    """
    language = translator.preparer.languages("", to, from_).to
    for test_set in test_sets:
        if trouble := exchanged_columns(test_set.sources or (), test_set.references[0], language):
            raise DataError(f"{test_set.name}: {trouble} (with --swap the second column is the source)")
    for test_set in test_sets:
        if test_set.sources is None:
            raise InputError(f"{test_set.name} has no source to translate")
        answers: list[Translation] = []
        seconds = 0.0
        for chunk in cut_into_chunks(test_set.sources, BATCHES * translator.engine.tokens_per_batch):
            started = time.perf_counter()
            found = translator.translate(chunk.texts, to, from_, options)
            seconds += time.perf_counter() - started
            answers += found
            on_chunk(chunk)
        run = TranslationRun(
            model=model,
            engine=translator.engine.name,
            threads=translator.engine.threads,
            options=translator.suited(options),
            source_language=Counter(answer.source_language for answer in answers).most_common(1)[0][0],
            target_language=answers[0].target_language,
            seconds=seconds,
            source_tokens=sum(map(len, translator.tokenizer.encode_all(test_set.sources))),
            repeated=sum(answer.ledger.repeated > 0 for answer in answers),
            recovered=sum(answer.recovered for answer in answers),
            untranslated=sum(answer.ledger.untranslated > 0 for answer in answers),
        )
        yield test_set, Hypotheses(model, tuple(answer.to_line().rstrip() for answer in answers), run)


def cut_into_chunks(sources: Sequence[str], tokens: int) -> Iterator[Chunk]:
    """About so many tokens together, in the order of the sources."""
    texts: list[str] = []
    size = 0
    for line, source in enumerate(sources, start=1):
        texts.append(source)
        size += len(source.encode()) + 1
        if size > tokens * BYTES_PER_TOKEN or line == len(sources):
            yield Chunk(line - len(texts) + 1, texts, True, size)
            texts, size = [], 0
