"""CTranslate2: the fast engine for a CPU, in 8-bit whole numbers; no torch is needed."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.ct2.files import Quantization, files, limits, transformer_config
from attendo.engines.engine import Limits, Request
from attendo.errors import ConfigError, InputError
from attendo.model_folder.bundle import Bundle
from attendo.special_tokens import SPECIAL

TOKENS_PER_BATCH = 4_000
FEWEST_TOGETHER = 4  # sentences; fewer a batch cost a third more work
TAKEN_TOGETHER = 64  # answers
NEVER_SAID = [[str(SPECIAL.pad)], [str(SPECIAL.bos)]]


class Ct2Engine:
    says_phrases = False
    tokens_per_batch = TOKENS_PER_BATCH

    def __init__(self, translator: Any, limits: Limits, quantization: Quantization, threads: int) -> None:
        self.translator, self.limits, self.quantization, self.threads = translator, limits, quantization, threads

    @cached_property
    def name(self) -> str:
        import ctranslate2

        return f"CTranslate2 {ctranslate2.__version__} on CPU, {self.quantization}"

    def search(self, requests: Sequence[Request], options: SearchOptions) -> Iterator[list[Hypothesis]]:
        coming: dict[int, Any] = {}  # no group waits for the one before: a thread that is free takes the next batch
        together = batch_size(len(requests), self.threads)
        for (longest, begun), places in alike(requests).items():
            answers = self.translator.translate_batch(
                [named(requests[place].ids) for place in places],
                target_prefix=[named(requests[place].prefix) for place in places] if begun else None,
                max_batch_size=together,
                asynchronous=True,
                beam_size=options.beam_size,
                num_hypotheses=options.n_best,
                length_penalty=options.length_penalty,
                no_repeat_ngram_size=options.no_repeat_ngram,
                repetition_penalty=options.repetition_penalty,
                min_decoding_length=max(options.min_length - 1, 0),  # here </s> is not counted
                max_decoding_length=longest,
                max_input_length=0,  # it would cut longer ones and not say so
                suppress_sequences=NEVER_SAID,
                return_scores=True,
                return_end_token=True,
            )
            coming |= zip(places, answers, strict=True)
        return self.taken(coming, options.length_penalty)

    def taken(self, coming: dict[int, Any], alpha: float) -> Iterator[list[Hypothesis]]:
        """In the order of their places, many at a time: Python is quicker in one go than between the steps of a decoder
        that fills the caches of the processor with its weights."""
        for first in range(0, len(coming), TAKEN_TOGETHER):
            results = [coming[place].result() for place in range(first, min(first + TAKEN_TOGETHER, len(coming)))]
            for result in results:
                yield [
                    hypothesis(tokens, normed, alpha)
                    for tokens, normed in zip(result.hypotheses, result.scores, strict=True)
                ]

    def sample(self, requests: Sequence[Request], options: SamplingOptions) -> list[Hypothesis]:
        raise ConfigError("CTranslate2 draws from one stream of chance for all sentences: sample by the torch engine")

    def tokens(self, request: Request) -> Iterator[int]:
        steps = self.translator.generate_tokens(
            named(request.ids),
            target_prefix=named(request.prefix) or None,
            max_decoding_length=request.max_length,
            max_input_length=0,
            suppress_sequences=NEVER_SAID,
        )
        for step in steps:
            yield int(step.token)

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        results = self.translator.score_batch(
            [named(request.ids) for request, _ in pairs],
            [named(ids[:-1] if ids[-1:] == (SPECIAL.eos,) else ids) for _, ids in pairs],
            max_batch_size=batch_size(len(pairs), self.threads),
            max_input_length=0,
        )
        return [
            Hypothesis.of(ids, result.log_probs[: len(ids)], alpha=1.0)
            for (_, ids), result in zip(pairs, results, strict=True)
        ]


def named(ids: Sequence[int]) -> list[str]:
    """As ct2_spec.py called them."""
    return list(map(str, ids))


def hypothesis(tokens: Sequence[str], normed: float, alpha: float) -> Hypothesis:
    """It gives the score alone: the log-probability divided by length^α."""
    ids = tuple(map(int, tokens))
    return Hypothesis(ids, normed * max(len(ids), 1) ** alpha, normed, ())


def alike(requests: Sequence[Request]) -> dict[tuple[int, bool], list[int]]:
    """By their maximum length, of which it takes one a call (what one sentence may say must not depend on the others),
    and by whether the answer is begun already."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for place, request in enumerate(requests):
        if request.phrases:
            raise ConfigError("CTranslate2 cannot be made to say phrases: the torch engine can")
        groups.setdefault((request.max_length, bool(request.prefix)), []).append(place)
    return groups


def batch_size(requests: int, threads: int) -> int:
    """Of the batches in which CTranslate2, having sorted the requests by length, shares them out over its threads.

    Two for each thread: with one, the thread that has the long sentences works twice as long as the one with the short.
    """
    return max(-(-requests // (2 * threads)), FEWEST_TOGETHER) if threads > 1 else requests


def load_ct2_engine(
    bundle: Bundle,
    threads: int | None = None,
    quantization: Quantization = "int8",
) -> Ct2Engine:
    import ctranslate2

    config = transformer_config(bundle)
    threads = threads or free_cores()
    with files(bundle, quantization) as folder:
        try:
            # Each thread decodes batches of its own, by the same weights: the matrices of one step are too small to be
            # worth sharing, and two threads at one sentence took five times as long as one.
            translator = ctranslate2.Translator(
                str(folder), device="cpu", compute_type=quantization, intra_threads=1, inter_threads=threads
            )
        except (RuntimeError, ValueError) as error:
            raise InputError(f"CTranslate2 cannot load {folder}: {error}") from error
    return Ct2Engine(translator, limits(config), quantization, threads)


def free_cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, 4)  # for more, a batch has too few sentences
