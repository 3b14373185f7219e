"""What is to be judged: translations out of a file, or made here by a model, which is timed."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attendo.decoding.options import SearchOptions
from attendo.documents.line_reader import BYTES_PER_TOKEN, Chunk
from attendo.documents.pipeline import plain_line
from attendo.errors import DataError, InputError
from attendo.evaluation.lost_lines import where_lines_were_lost
from attendo.evaluation.test_set import EvaluationSet, read_texts
from attendo.translation.answer import Translation
from attendo.translation.translator import Translator

BATCHES = 4  # in a chunk, so that many sentences of like lengths are found


@dataclass(frozen=True, kw_only=True)
class Run:
    """How a model made them."""

    model: str
    engine: str
    threads: int | None  # of the CPU
    options: SearchOptions
    second_look: bool  # at answers that lost a number, an address, an emoji, a placeholder or a tag
    source_language: str
    target_language: str
    seconds: float  # of translating alone: the model was loaded before
    source_tokens: int  # pieces of the model's tokenizer, without tag and </s>
    repeated: int  # lines whose first translation went round in circles, so that they were decoded again
    mended: int  # lines in whose first translation something was missing that the second look found
    untranslated: int  # lines with a sentence that was left as it is, because no way of decoding helped

    @property
    def source_tokens_per_second(self) -> float:
        return self.source_tokens / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Hypotheses:
    name: str
    texts: tuple[str, ...]
    run: Run | None = None  # None: out of a file
    remarks: tuple[str, ...] = ()


def read_hypotheses(path: Path, judged_by: EvaluationSet) -> Hypotheses:
    """A line for each sentence of the test set; a lost line is an error that says where it may have been."""
    texts, remarks = read_texts(path)
    found = Hypotheses(str(path), tuple(text.rstrip() for text in texts), None, remarks)
    if len(texts) != len(judged_by):
        raise DataError(
            f"{path} has {len(texts):,} lines and {judged_by.name} has {len(judged_by):,}: expected one translation "
            f"for each sentence{where_lines_were_lost(found.texts, judged_by.references[0], str(path), judged_by.name)}"
        )
    references = zip(*judged_by.references, strict=True)
    for number, (text, wanted) in enumerate(zip(found.texts, references, strict=True), start=1):
        if text.strip() and not any(wanted):
            raise DataError(f"{judged_by.name}, line {number:,}: the reference is missing, {path} has a translation")
    return found


def translate(
    judged_by: EvaluationSet,
    translator: Translator,
    model: str,
    to: str | None,
    from_: str | None,
    options: SearchOptions,
    second_look: bool,
    done: Callable[[Chunk, Sequence[Translation]], None],
) -> Hypotheses:
    """All sources through a translator; `done` hears of each chunk, and its time is not counted."""
    if judged_by.sources is None:
        raise InputError(f"{judged_by.name} has no source to translate")
    answers: list[Translation] = []
    seconds = 0.0
    for chunk in chunks(judged_by.sources, BATCHES * translator.engine.tokens_per_batch):
        started = time.perf_counter()
        found = translator.translate(chunk.texts, to, from_, options=options, second_look=second_look)
        seconds += time.perf_counter() - started
        answers += found
        done(chunk, found)
    run = Run(
        model=model,
        engine=translator.engine.name,
        threads=translator.engine.threads,
        options=options,
        second_look=second_look,
        source_language=Counter(answer.source_language for answer in answers).most_common(1)[0][0],
        target_language=answers[0].target_language,
        seconds=seconds,
        source_tokens=sum(map(len, translator.tokenizer.encode_all(judged_by.sources))),
        repeated=sum(answer.ledger.repeated > 0 for answer in answers),
        mended=sum(answer.mended for answer in answers),
        untranslated=sum(answer.ledger.untranslated > 0 for answer in answers),
    )
    return Hypotheses(model, tuple(plain_line(answer).rstrip() for answer in answers), run)


def chunks(sources: Sequence[str], tokens: int) -> Iterator[Chunk]:
    """About so many tokens together, in the order of the sources."""
    texts: list[str] = []
    size = 0
    for number, source in enumerate(sources, start=1):
        texts.append(source)
        size += len(source.encode()) + 1
        if size > tokens * BYTES_PER_TOKEN or number == len(sources):
            yield Chunk(number - len(texts) + 1, texts, True, size)
            texts, size = [], 0
