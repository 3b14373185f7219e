"""The model itself as an encoding engine, on a CPU or a GPU."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attendo.device import choose_device
from attendo.engines.masked_token_head import Floats
from attendo.engines.torch_engine import FORKED, NO_LIMIT, TOKENS_PER_BATCH
from attendo.errors import InputError
from attendo.model.encoder_only import EncoderOnly
from attendo.model.transformer import Transformer
from attendo.model_folder.bundle import Bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import pad_rows


class TorchEncoder:
    """An `EncodingEngine`."""

    def __init__(self, model: EncoderOnly | Transformer, device: torch.device) -> None:
        self.model, self.device = model.eval().to(device), device

    @property
    def name(self) -> str:
        where = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "CPU"
        return f"torch {torch.__version__} on {where}"

    @property
    def longest(self) -> int:
        config = self.model.config
        return config.max_length if config.positions == "learned" else NO_LIMIT.source

    @property
    def tokens_per_batch(self) -> int:
        return TOKENS_PER_BATCH[self.device.type]

    def encode(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        if not rows:
            return []
        memory = self.memory(rows).cpu().numpy()
        return [memory[index, : len(row)] for index, row in enumerate(rows)]

    def guess(self, rows: Sequence[Sequence[int]], positions: Sequence[Sequence[int]]) -> list[Floats]:
        if not isinstance(self.model, EncoderOnly):
            raise InputError("only an encoder-only model guesses hidden tokens")
        if not rows:
            return []
        memory = self.memory(rows)
        counts = [len(where) for where in positions]
        row = torch.arange(len(rows)).repeat_interleave(torch.tensor(counts))
        column = torch.tensor([position for where in positions for position in where])
        with torch.inference_mode():
            found = self.model.head(memory[row.to(self.device), column.to(self.device)]).log_softmax(-1)
        return [each.numpy() for each in found.cpu().split(counts)]

    @torch.inference_mode()
    def memory(self, rows: Sequence[Sequence[int]]) -> Tensor:
        return self.model.encode(torch.tensor(pad_rows(rows), device=self.device))


def load_torch_encoder(bundle: Bundle, device: str = "auto", threads: int | None = None) -> TorchEncoder:
    if threads is not None and not FORKED.is_set():
        torch.set_num_threads(threads)
    model = load_model(bundle)
    if not isinstance(model, EncoderOnly | Transformer):
        raise InputError(f"{bundle.folder} has no encoder of attention layers")
    return TorchEncoder(model, choose_device(device, "device"))
