"""CTranslate2's generator: texts go on, on a CPU without torch, in float32, so that the numbers are torch's.

The draws are ours, not CTranslate2's, whose random generator belongs to a thread and takes a seed but once. It has no
call for one step, only greedy search from a beginning, with the logits of each step: a draft of a few tokens, whose
logits hold for as long as what is drawn is what the draft says. Each token is drawn by the logits that follow from all
before it, so the distribution is the model's; the draft decides only how many draws a call is good for.
"""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.decoding.draw_token import draw_token
from attendo.decoding.options import LONGEST, SamplingOptions
from attendo.decoding.seeds import random_numbers
from attendo.engines.ct2.conversion import POSITIONS, Converted, generator_config
from attendo.engines.ct2.engine import TOKENS_PER_BATCH, check_addresses, free_cores
from attendo.engines.process import OfThisProcess
from attendo.errors import InputError
from attendo.model_folder.bundle import Bundle
from attendo.special_tokens import SPECIAL

DRAFT = 4  # tokens; of a text that is drawn, most drafts are left at the first or second
GREEDY_DRAFT = 32  # of one that is not, they are all used
NEVER_DRAWN = [SPECIAL.pad, SPECIAL.bos]


class Ct2Generator:
    """A `GeneratingEngine`."""

    tokens_per_batch = TOKENS_PER_BATCH

    def __init__(self, loaded: OfThisProcess[Any], longest: int) -> None:
        self.loaded, self.longest = loaded, longest

    @cached_property
    def name(self) -> str:
        import ctranslate2

        return f"CTranslate2 {ctranslate2.__version__} on CPU, float32"

    def stream(self, beginning: Sequence[int], most: int, options: SamplingOptions | None) -> Iterator[int]:
        text, left = list(beginning), most
        numbers = None if options is None else random_numbers(options.seed)
        while left:
            tokens, logits = self.draft(text, min(left, GREEDY_DRAFT if options is None else DRAFT))
            for drafted, each in zip(tokens, logits, strict=True):
                token = drafted
                if options is not None and numbers is not None:
                    token = draw_token(allowed_log_probabilities(np.asarray(each)), numbers.random(), options)
                text.append(token)
                left -= 1
                yield token
                if token == SPECIAL.eos:
                    return
                if token != drafted:
                    break

    def draft(self, text: Sequence[int], most: int) -> tuple[list[int], list[Any]]:
        """Greedy search after a text: tokens, </s> included, and the logits of each."""
        try:
            (result,) = self.loaded.get().generate_batch(
                [list(map(str, text))],
                max_length=most,
                include_prompt_in_result=False,
                return_end_token=True,
                return_logits_vocab=True,
                suppress_sequences=[[str(token)] for token in NEVER_DRAWN],
            )
        except (RuntimeError, ValueError) as error:
            raise InputError(f"CTranslate2 cannot run this model: {error}") from error
        return list(result.sequences_ids[0]), list(result.logits[0])

    def score(self, rows: Sequence[Sequence[int]]) -> list[list[float]]:
        try:
            results = self.loaded.get().score_batch([list(map(str, row)) for row in rows], max_input_length=0)
        except (RuntimeError, ValueError) as error:
            raise InputError(f"CTranslate2 cannot run this model: {error}") from error
        return [list(result.log_probs) for result in results]


def allowed_log_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """log p = x - log Σ exp x; -inf where a token is never drawn."""
    wide = logits.astype(np.float64).reshape(-1)
    wide -= wide.max()
    if np.isnan(wide).any():
        raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
    wide -= np.log(np.exp(wide).sum())
    wide[NEVER_DRAWN] = -np.inf
    return wide


def load_ct2_generator(bundle: Bundle, threads: int | None = None) -> Ct2Generator:
    threads = threads or free_cores()
    check_addresses(bundle, "float32", threads)
    import ctranslate2

    config = generator_config(bundle)
    converted = Converted(bundle, "float32", "generator")

    def open_generator() -> Any:
        with converted.folder() as folder:
            try:
                return ctranslate2.Generator(
                    os.fsencode(folder), device="cpu", compute_type="float32", intra_threads=threads
                )
            except (RuntimeError, ValueError) as error:
                raise InputError(f"CTranslate2 cannot load {folder}: {error}") from error

    longest = {"learned": config.max_length, "rotary": LONGEST}.get(config.positions, POSITIONS)
    return Ct2Generator(OfThisProcess(open_generator), longest)
