"""CTranslate2: the fast engine for a CPU, in 8-bit whole numbers; no torch is needed. It also runs on a GPU, in half
precision, where its CUDA libraries are there.

It reads a model in a form of its own, which conversion.py makes; and where the model folder has a shortlist, in one
more for each language, whose decoder has no other tokens than those that are said in it. All are made when the model is
loaded, and opened when they are needed.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.ct2.conversion import BYTES, POSITIONS, Converted, Quantization, transformer_config
from attendo.engines.engine import Limits, Request
from attendo.engines.process import OfThisProcess
from attendo.errors import ConfigError, InputError
from attendo.model.config import TransformerConfig
from attendo.model.shapes import num_parameters
from attendo.model_folder.bundle import BYTES_A_NUMBER, Bundle
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.special_tokens import SPECIAL

TOKENS_PER_BATCH = 4_000
FEWEST_TOGETHER = 4  # sentences; fewer a batch cost a third more work
MOST_TOGETHER = 32  # sentences; of more the logits leave the caches: 96 cost a sixth more work for each
TOKENS_PER_BATCH_ON_GPU, MOST_TOGETHER_ON_GPU = 60_000, 1_024
COLLECTED_TOGETHER = 64  # answers
NEVER_IN_OUTPUT = [[str(SPECIAL.pad)], [str(SPECIAL.bos)]]
# Bytes of address space, besides the weights: of Python and the libraries, of each open form, and of each thread
# of one, which has memory and a stack of its own. With less, translations ended in segmentation faults.
ADDRESSES, ADDRESSES_OF_A_FORM, ADDRESSES_OF_A_THREAD = 320 * 2**20, 16 * 2**20, 76 * 2**20


class Ct2Engine:
    is_concurrent = True  # several threads may search at once

    def __init__(
        self,
        loaded: OfThisProcess[Any],
        limits: Limits,
        quantization: Quantization,
        threads: int | None,
        vocab_size: int,
        alignment: AlignmentHeads | None = None,
        *,
        shorter: Mapping[int, OfThisProcess[Any]] | None = None,
        same_batches: bool = False,
    ) -> None:
        """Without `threads` it is a GPU's. `shorter`, by the tag of a language: the same model that can say less."""
        self.shorter = shorter or {}
        self.loaded, self.limits, self.quantization, self.threads = loaded, limits, quantization, threads
        self.vocab_size, self.alignment, self.same_batches = vocab_size, alignment, same_batches

    def with_same_batches(self) -> "Ct2Engine":
        """The same model in batches that do not hang on how many threads there are, or are free: then neither does the
        last digit of a score, nor the one answer in thousands that hangs on it."""
        return Ct2Engine(
            self.loaded, self.limits, self.quantization, self.threads, self.vocab_size, self.alignment,
            shorter=self.shorter, same_batches=True,
        )  # fmt: skip

    @property
    def tokens_per_batch(self) -> int:
        return TOKENS_PER_BATCH_ON_GPU if self.threads is None else TOKENS_PER_BATCH

    @property
    def translator(self) -> Any:
        """The one that can say everything."""
        return self.loaded.get()

    def translator_of(self, request: Request) -> OfThisProcess[Any]:
        """Which hangs on the request alone, not on what else is in its batch. A prefix may be anything."""
        return self.loaded if request.prefix else self.shorter.get(request.ids[0] if request.ids else -1, self.loaded)

    def share_out(self, requests: Sequence[Request]) -> Iterator[tuple[Any, list[int]]]:
        """Each translator that is needed, and the indices of what it decodes."""
        if not self.shorter:
            yield self.translator, list(range(len(requests)))
            return
        shares: dict[OfThisProcess[Any], list[int]] = {}
        for index, request in enumerate(requests):
            shares.setdefault(self.translator_of(request), []).append(index)
        for loaded, indices in shares.items():
            yield loaded.get(), indices

    @property
    def active_batches(self) -> int:
        opened = (one.value for one in (self.loaded, *self.shorter.values()))
        return sum(one.num_active_batches for one in opened if one is not None)

    @cached_property
    def name(self) -> str:
        import ctranslate2

        where = "a GPU" if self.threads is None else "CPU"
        return f"CTranslate2 {ctranslate2.__version__} on {where}, {self.quantization}"

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        self.check_positions(len(request.ids) for request in requests)
        coming: dict[int, Any] = {}  # no group waits for the one before: a thread that is free takes the next batch
        # Where others search at the same time, no thread waits for a share of this, and larger batches cost less.
        free = self.threads and (1 if self.same_batches else max(self.threads - self.active_batches, 1))
        together = batch_size(len(requests), free)
        for translator, (longest, begun), indices in self.groups(requests):
            answers = translator.translate_batch(
                [token_names(requests[index].ids) for index in indices],
                target_prefix=[token_names(requests[index].prefix) for index in indices] if begun else None,
                max_batch_size=together,
                asynchronous=True,
                beam_size=options.beam_size,
                num_hypotheses=options.n_best,
                length_penalty=options.length_penalty,
                no_repeat_ngram_size=options.no_repeat_ngram,
                repetition_penalty=options.repetition_penalty,
                # Here </s> is not counted; and where the minimum is more than the maximum, the maximum wins.
                min_decoding_length=min(max(options.min_length - 1, 0), longest, self.limits.target),
                max_decoding_length=min(longest, self.limits.target),
                max_input_length=0,  # it would cut longer ones and not say so
                suppress_sequences=NEVER_IN_OUTPUT,
                return_scores=True,
                return_end_token=True,
                return_attention=attention,
            )
            coming |= zip(indices, answers, strict=True)
        wrong_at_first = options.beam_size > 1 and len(requests) > 1 and not (self.alignment and self.alignment.shift)
        first = self.first_steps(requests) if attention and wrong_at_first else None
        return self.collect(coming, options.length_penalty, first)

    def groups(self, requests: Sequence[Request]) -> list[tuple[Any, tuple[int, bool], list[int]]]:
        """What goes into one call: who decodes it, what is alike in it, and the indices."""
        return [
            (translator, alike, [share[place] for place in places])
            for translator, share in self.share_out(requests)
            for alike, places in group_alike([requests[index] for index in share]).items()
        ]

    def first_steps(self, requests: Sequence[Request]) -> list[Any]:
        """What each looks at in the first step, which hangs on the source alone.

        CTranslate2 4.8 gives there what another sentence of the batch looked at, wherever a beam has more than one
        hypothesis: it begins with one for each sentence and numbers them as if there were all. Greedy search is right.
        """
        found: list[Any] = [None] * len(requests)
        for translator, indices in self.share_out(requests):
            results = translator.translate_batch(
                [token_names(requests[index].ids) for index in indices],
                max_batch_size=batch_size(len(indices), self.threads),
                beam_size=1,
                max_decoding_length=1,
                max_input_length=0,
                return_end_token=True,
                return_attention=True,
            )
            for index, result in zip(indices, results, strict=True):
                found[index] = result.attention[0][0]
        return found

    def collect(
        self, coming: dict[int, Any], alpha: float, first_steps: Sequence[Any] | None = None
    ) -> Iterator[list[Hypothesis]]:
        """In the order of the requests, many at a time: Python is quicker in one go than between the steps of a decoder
        that fills the caches of the processor with its weights."""
        for first in range(0, len(coming), COLLECTED_TOGETHER):
            indices = range(first, min(first + COLLECTED_TOGETHER, len(coming)))
            try:
                results = [coming[index].result() for index in indices]
            except (RuntimeError, ValueError) as error:
                raise InputError(f"CTranslate2 cannot run this model: {error}") from error
            for index, result in zip(indices, results, strict=True):
                looked = [
                    self.by_token(steps, first_steps[index] if first_steps else None) for steps in result.attention
                ]
                found = zip_longest(result.hypotheses, result.scores, looked)  # which is empty if nobody asked
                yield [to_hypothesis(tokens, score, alpha, rows) for tokens, score, rows in found]

    def by_token(self, steps: list[list[float]], first: list[float] | None) -> Sequence[Sequence[float]]:
        if first and steps:
            steps[0] = first
        return self.alignment.by_token(steps) if self.alignment else steps

    def sample(
        self, requests: Sequence[Request], options: SamplingOptions, seeds: Sequence[int] | None = None
    ) -> list[Hypothesis]:
        from attendo.engines.ct2.sampling import sample_by_drafts  # numpy takes a while to import

        self.check_positions(len(request.ids) for request in requests)
        group_alike(requests)  # phrases are refused there
        seeds = [options.seed] * len(requests) if seeds is None else seeds
        if len(seeds) != len(requests):
            raise InputError(f"{len(seeds)} seeds for {len(requests)} sentences: expected one for each")
        return sample_by_drafts(self.draft, requests, options, seeds, self.vocab_size, self.limits.target)

    def draft(
        self, requests: Sequence[Request], beginnings: Sequence[Sequence[int]], longest: int
    ) -> Iterator[tuple[list[int], list[Any]]]:
        """The answers of greedy search that begin so, and the model's logits at each of their tokens."""
        results = self.translator.translate_batch(
            [token_names(request.ids) for request in requests],
            target_prefix=list(map(token_names, beginnings)) if any(beginnings) else None,
            max_batch_size=batch_size(len(requests), self.threads),
            beam_size=1,
            min_decoding_length=0,  # it would take </s> out of the logits
            max_decoding_length=longest,
            max_input_length=0,
            return_logits_vocab=True,
            return_end_token=True,
        )
        for result in results:
            yield list(map(int, result.hypotheses[0])), result.logits[0]

    def tokens(self, request: Request) -> Iterator[int]:
        self.check_positions([len(request.ids)])
        steps = (
            self.translator_of(request)
            .get()
            .generate_tokens(
                token_names(request.ids),
                target_prefix=token_names(request.prefix) or None,
                max_decoding_length=min(request.max_length, self.limits.target),
                max_input_length=0,
                suppress_sequences=NEVER_IN_OUTPUT,
            )
        )
        for step in steps:
            yield int(step.token)

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        self.check_positions(length for request, ids in pairs for length in (len(request.ids), len(ids)))
        results = self.translator.score_batch(
            [token_names(request.ids) for request, _ in pairs],
            [token_names(ids[:-1] if ids[-1:] == (SPECIAL.eos,) else ids) for _, ids in pairs],
            max_batch_size=batch_size(len(pairs), self.threads),
            max_input_length=0,
        )
        return [
            Hypothesis.of(ids, result.log_probs[: len(ids)], alpha=1.0)
            for (_, ids), result in zip(pairs, results, strict=True)
        ]

    def check_positions(self, lengths: Iterable[int]) -> None:
        """What CTranslate2 itself would say in a sentence about its table, and not as an error of ours."""
        longest = max(lengths, default=0)
        if longest > self.limits.target:
            raise InputError(
                f"a sequence of {longest} tokens is longer than the {self.limits.target} positions of this model"
            )


def token_names(ids: Sequence[int]) -> list[str]:
    """As spec.py calls them."""
    return list(map(str, ids))


def to_hypothesis(
    tokens: Sequence[str], score: float, alpha: float, attention: Sequence[Sequence[float]] | None = None
) -> Hypothesis:
    """It gives the score alone: the log-probability divided by length^α."""
    ids = tuple(map(int, tokens))
    return Hypothesis(ids, score * max(len(ids), 1) ** alpha, score, (), attention)


def group_alike(requests: Sequence[Request]) -> dict[tuple[int, bool], list[int]]:
    """By their maximum length, of which it takes one a call (what one sentence may say must not depend on the others),
    and by whether the answer is begun already."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for index, request in enumerate(requests):
        if request.phrases:
            raise ConfigError("CTranslate2 cannot be made to say phrases: the torch engine can")
        groups.setdefault((request.max_length, bool(request.prefix)), []).append(index)
    return groups


def batch_size(requests: int, threads: int | None) -> int:
    """Of the batches in which CTranslate2, having sorted the requests by length, shares them out over its threads.

    Two for each thread: with one, the thread that has the long sentences works twice as long as the one with the short.
    A GPU, which has none, takes many at once.
    """
    if threads is None:
        return MOST_TOGETHER_ON_GPU
    if threads > 1 and requests <= 2 * threads * MOST_TOGETHER:
        return max(-(-requests // (2 * threads)), FEWEST_TOGETHER)
    return -(-requests // max(-(-requests // MOST_TOGETHER), 1))


def check_addresses(bundle: Bundle, quantization: Quantization, threads: int, forms: int = 1) -> None:
    """With too few CTranslate2 does not fail but crash: its threads do not look whether they got their memory."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    numbers = num_parameters(bundle.config)
    of_a_form = ADDRESSES_OF_A_FORM + threads * ADDRESSES_OF_A_THREAD + BYTES[quantization] * numbers
    needed = ADDRESSES + BYTES_A_NUMBER * numbers + forms * of_a_form  # what is read is float32, however it is stored
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= limit < needed:
        raise InputError(
            f"{needed / 2**20:,.0f} MB of address space are needed to run {bundle.folder}, the limit is "
            f"{limit / 2**20:,.0f} MB: raise it (ulimit -v)"
        )


def load_ct2_engine(
    bundle: Bundle,
    threads: int | None = None,
    quantization: Quantization = "int8",
    device: str = "cpu",
    *,
    full_vocabulary: bool = False,
) -> Ct2Engine:
    """`device` is cpu, cuda or cuda:1; a GPU computes in half precision, and always with the full vocabulary: it has no
    need of a shorter one."""
    config = transformer_config(bundle)
    tags = bundle.listed_tags() if device == "cpu" and not full_vocabulary else {}
    check_addresses(bundle, quantization, threads or free_cores(), 1 + len(tags))
    import ctranslate2

    gpu = None if device == "cpu" else gpu_index(device)
    if gpu is None:
        threads = threads or free_cores()
        where: dict[str, Any] = {"device": "cpu", "intra_threads": 1, "inter_threads": threads}
    else:
        threads, quantization, where = None, "float16", {"device": "cuda", "device_index": gpu}

    converted = Converted(bundle, quantization, languages=list(tags.values()))

    def open_translator(into: str = "") -> Any:
        with converted.folder(into) as folder:
            try:
                # Each thread decodes batches of its own, by the same weights: the matrices of one step are too small to
                # be worth sharing, and two threads at one sentence took five times as long as one.
                return ctranslate2.Translator(os.fsencode(folder), compute_type=quantization, **where)
            except (RuntimeError, ValueError) as error:
                raise InputError(f"CTranslate2 cannot load {folder}: {error}") from error

    # Those that say less are opened when they are needed, and then perhaps the full one never is; but what is not kept
    # could not be made any more if the folder were gone by then.
    shorter = {
        tag: OfThisProcess(partial(open_translator, into), at_once=into not in converted.kept)
        for tag, into in tags.items()
    }
    loaded = OfThisProcess(open_translator, at_once=not tags or "" not in converted.kept)
    limits, vocab_size = ct2_limits(config), config.vocab_size
    return Ct2Engine(loaded, limits, quantization, threads, vocab_size, bundle.alignment, shorter=shorter)


def gpu_index(device: str) -> int:
    """Of cuda or cuda:1; an error where there is none."""
    import ctranslate2

    kind, _, number = device.partition(":")
    if kind != "cuda" or not (number.isdecimal() or not number):
        raise ConfigError(f"device is {device[:60]!r}: expected auto, cpu or cuda")
    index, count = int(number or 0), ctranslate2.get_cuda_device_count()
    if index >= count:
        raise ConfigError(f"device is {device[:60]!r}, but CTranslate2 finds {count} GPUs here: expected auto or cpu")
    return index


def free_cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, 4)  # for more, a batch has too few sentences


def ct2_limits(config: TransformerConfig) -> Limits:
    """Half of the positions for the source: an answer may be longer."""
    positions = config.max_length if config.positions == "learned" else POSITIONS
    return Limits(min(positions, POSITIONS // 2), positions)
