"""The torch engine for a model that gives all words at once: mask-predict in the place of beam search.

CTranslate2 has no counterpart. What needs a first word before a second cannot be asked for: sampling, a stream of
tokens, an answer that must begin with, or contain, given words.
"""

from collections.abc import Iterator, Sequence

import torch

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.mask_predict import mask_predict_n_best, score_at_once
from attendo.decoding.options import MOST_LENGTHS, USUAL_PASSES, SamplingOptions, SearchOptions
from attendo.engines.cuda.mask_predict import device_mask_predict
from attendo.engines.engine import Request
from attendo.engines.torch_engine import TorchEngine
from attendo.errors import InputError
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model_folder.alignment_heads import AlignmentHeads

# Fewer than of a beam search, which has the logits of one token of each hypothesis in memory: here it is those of all
# tokens of all lengths, 3 GB on a GPU with a vocabulary of 32,000.
TOKENS_PER_BATCH = {"cpu": 2_000, "cuda": 16_000}

AT_ONCE = "a non-autoregressive model gives all words of a sentence at once"


class AtOnceEngine(TorchEngine):
    def __init__(self, model: NonAutoregressive, device: torch.device, alignment: AlignmentHeads | None = None) -> None:
        super().__init__(model, device, alignment)
        self.at_once = model

    @property
    def tokens_per_batch(self) -> int:
        return TOKENS_PER_BATCH[self.device.type]

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        if any(request.prefix or request.phrases for request in requests):
            raise InputError(f"{AT_ONCE}: no beginning and no phrase can be forced on it")
        source = self.source(requests)
        passes = options.passes or USUAL_PASSES
        lengths = min(max(options.lengths, options.n_best), MOST_LENGTHS)
        n_best, alpha = min(options.n_best, lengths), options.length_penalty
        if self.device.type == "cuda":
            found = device_mask_predict(self.at_once, source, passes, lengths, n_best, alpha, self.workspace)
        else:
            found = mask_predict_n_best(self.at_once, source, passes, lengths, n_best, alpha)
        return self.looked_at(source, found) if attention else iter(found)

    def sample(
        self, requests: Sequence[Request], options: SamplingOptions, seeds: Sequence[int] | None = None
    ) -> list[Hypothesis]:
        raise InputError(f"{AT_ONCE}: it cannot be sampled from, word after word")

    def tokens(self, request: Request) -> Iterator[int]:
        raise InputError(f"{AT_ONCE}: there are no tokens to stream; `stream` gives sentence after sentence")

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        """What one pass says of given answers: only of that is there a probability."""
        targets = self.padded([ids for _, ids in pairs])
        return score_at_once(self.at_once, self.source([request for request, _ in pairs]), targets)
