"""A language model by torch: our own loop and cache, on a CPU or a GPU."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from attendo.decoding.constraints import log_probabilities
from attendo.decoding.greedy import decode_one_by_one, likeliest
from attendo.decoding.options import LONGEST, SamplingOptions
from attendo.decoding.sampling import draw_tokens
from attendo.decoding.seeds import random_numbers
from attendo.device import choose_device
from attendo.model.decoder_only import DecoderOnly
from attendo.model_folder.bundle import Bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import pad_rows

TOKENS_PER_BATCH = {"cpu": 4_000, "cuda": 60_000}


class TorchGenerator:
    """A `GeneratingEngine`. In single precision also on a GPU: perplexities are asked for to be exact."""

    def __init__(self, model: DecoderOnly, device: torch.device) -> None:
        self.model, self.device = model.eval().to(device, torch.float32), device

    @property
    def name(self) -> str:
        where = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "CPU"
        return f"torch {torch.__version__} on {where}"

    @property
    def longest(self) -> int:
        config = self.model.config
        return config.max_length if config.positions == "learned" else LONGEST

    @property
    def tokens_per_batch(self) -> int:
        return TOKENS_PER_BATCH[self.device.type]

    def stream(self, beginning: Sequence[int], most: int, options: SamplingOptions | None) -> Iterator[int]:
        numbers = None if options is None else random_numbers(options.seed)

        def choose(log_probs: Tensor, sentence: Tensor, length: int) -> Tensor:
            if options is None or numbers is None:
                return likeliest(log_probs, sentence, length)
            uniform = torch.tensor([numbers.random()], dtype=torch.float64, device=log_probs.device)
            return draw_tokens(log_probs, uniform, options)

        tokens = torch.tensor([list(beginning)], device=self.device)
        for step in decode_one_by_one(self.model, tokens[:, :0], [most], choose, beginning=tokens):
            for one in step.chosen:
                yield one.token

    @torch.inference_mode()
    def score(self, rows: Sequence[Sequence[int]]) -> list[list[float]]:
        if not rows:
            return []
        tokens = torch.tensor(pad_rows(rows), device=self.device)
        log_probs = log_probabilities(self.model.language_model(tokens[:, :-1]))
        each = log_probs.gather(2, tokens[:, 1:, None]).squeeze(2).tolist()
        return [own[: len(row) - 1] for own, row in zip(each, rows, strict=True)]


def load_torch_generator(bundle: Bundle, device: str = "auto", threads: int | None = None) -> TorchGenerator:
    if threads is not None:
        torch.set_num_threads(threads)
    model = load_model(bundle)
    if not isinstance(model, DecoderOnly):
        raise TypeError(f"{bundle.folder} is no decoder-only model")
    return TorchGenerator(model, choose_device(device, "device"))
