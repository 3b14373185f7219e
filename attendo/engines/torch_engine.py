"""The model itself and our own search, on a CPU or a GPU."""

import os
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Event
from typing import Any, cast

import torch
from torch import Tensor

from attendo.decoding.beam import beam_search
from attendo.decoding.constraints import Constraint, ForcedPrefix
from attendo.decoding.greedy import greedy_tokens
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel, TeacherForcedModel
from attendo.decoding.length import longest_output
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.decoding.phrases import Phrases
from attendo.decoding.sampling import sample
from attendo.decoding.scoring import score_targets
from attendo.device import choose_device
from attendo.engines.cross_attention import with_attention
from attendo.engines.cuda.graphs import workspace_on
from attendo.engines.cuda.search import device_beam_search
from attendo.engines.engine import Limits, Request
from attendo.engines.torch_cpu import PartwiseEncoding, lay_out_for_decoding
from attendo.errors import InputError
from attendo.model.build import Model
from attendo.model.config import DecoderOnlyConfig, ModelConfig
from attendo.model.encoder_only import EncoderOnly
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.transformer import Transformer
from attendo.model_folder.bundle import Bundle
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.model_folder.weights import load_model
from attendo.special_tokens import SPECIAL, pad_rows

# Longer sentences are cut: no model has seen such. How long its answer may be, each request says.
NO_LIMIT = Limits(1_024, longest_output(1_024, "char"))
TOKENS_PER_BATCH = {"cpu": 4_000, "cuda": 60_000}
FORKED = Event()  # set in a child whose parent had an engine: it keeps to one thread


class TorchEngine:
    def __init__(self, model: Model, device: torch.device, alignment: AlignmentHeads | None = None) -> None:
        if isinstance(model, EncoderOnly):
            raise InputError("this is an encoder alone, trained to guess hidden tokens: it cannot translate")
        # Half precision is twice as fast on a GPU; a CPU computes in single.
        model = model.eval().to(device, torch.float16 if device.type == "cuda" else torch.float32)
        lay_out_for_decoding(model)
        self.config, self.device, self.process = model.config, device, os.getpid()
        one_thread_in_children()
        self.model: AutoregressiveModel[Any] = cast(AutoregressiveModel[Any], model)
        if device.type == "cpu" and isinstance(model, Transformer):
            self.model = PartwiseEncoding(model)
        self.teacher_forced: TeacherForcedModel = cast(TeacherForcedModel, model)
        self.alignment = alignment
        self.workspace = workspace_on(device)

    @property
    def name(self) -> str:
        where = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "CPU"
        return f"torch {torch.__version__} on {where}"

    @property
    def threads(self) -> int | None:
        return torch.get_num_threads() if self.device.type == "cpu" else None

    @property
    def limits(self) -> Limits:
        return limits_of(self.config)

    @property
    def tokens_per_batch(self) -> int:
        return TOKENS_PER_BATCH[self.device.type]

    @property
    def fills_powers_of_two(self) -> bool:
        """Whether a search computes as many rows as the next power of two (cuda/search.py), with sentences or without:
        375 sentences take the rows and the memory of 512."""
        return self.device.type == "cuda" and isinstance(self.model, Transformer | NonAutoregressive)

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        lengths = [request.max_length for request in requests]
        source, wanted = self.source(requests), constraints(requests)
        if self.device.type == "cuda" and not wanted:
            found = device_beam_search(self.model, source, lengths, options, self.workspace)
        else:
            found = beam_search(self.model, source, lengths, options, wanted)
        return self.looked_at(source, found) if attention else iter(found)

    def looked_at(self, source: Tensor, found: Sequence[list[Hypothesis]]) -> Iterator[list[Hypothesis]]:
        return with_attention(self.teacher_forced, source, found, self.alignment)

    def sample(
        self, requests: Sequence[Request], options: SamplingOptions, seeds: Sequence[int] | None = None
    ) -> list[Hypothesis]:
        lengths = [request.max_length for request in requests]
        return sample(self.model, self.source(requests), lengths, options, constraints(requests), seeds)

    def tokens(self, request: Request) -> Iterator[int]:
        return greedy_tokens(self.model, self.source([request]), request.max_length, constraints([request]))

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        targets = self.padded([ids for _, ids in pairs])
        return score_targets(self.teacher_forced, self.source([request for request, _ in pairs]), targets)

    def source(self, requests: Sequence[Request]) -> Tensor:
        return self.padded([request.ids for request in requests])

    def padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        if self.device.type == "cuda" and self.process != os.getpid():
            raise InputError(
                "this process was forked from one that had loaded the model on a GPU, which cannot be shared so: "
                "load it in each process, and start processes by spawn"
            )
        return padded_tensor(rows).to(self.device)


def padded_tensor(rows: Sequence[Sequence[int]]) -> Tensor:
    """`pad_rows` as a tensor [rows, longest], in a quarter of the time that torch takes to read lists of lists."""
    longest = max(map(len, rows), default=0)
    if not longest:
        return torch.tensor(pad_rows(rows))
    numbers = array("q", [SPECIAL.pad]) * (len(rows) * longest)
    for start, row in zip(range(0, len(numbers), longest), rows, strict=True):
        numbers[start : start + len(row)] = array("q", row)
    return torch.frombuffer(numbers, dtype=torch.int64).view(len(rows), longest)


def limits_of(config: ModelConfig) -> Limits:
    """Learned positions come to an end; other models read and say as much as we let them."""
    if getattr(config, "positions", "") != "learned":
        return NO_LIMIT
    longest: int = config.max_length  # type: ignore[union-attr]
    if isinstance(config, DecoderOnlyConfig):  # its prompt and its answer stand in one row
        return Limits(longest // 4, longest - longest // 4)
    return Limits(min(longest, NO_LIMIT.source), min(longest, NO_LIMIT.target))


def constraints(requests: Sequence[Request]) -> list[Constraint]:
    wanted: list[Constraint] = []
    if any(request.prefix for request in requests):
        wanted.append(ForcedPrefix([request.prefix for request in requests]))
    if any(request.phrases for request in requests):
        wanted.append(Phrases([request.phrases for request in requests]))
    return wanted


@cache
def one_thread_in_children() -> None:
    """OpenMP, by which torch uses several cores, waits for ever in a forked child for the threads that only its parent
    has; with one thread it needs no others."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=keep_to_one_thread)


def keep_to_one_thread() -> None:
    FORKED.set()
    torch.set_num_threads(1)


def load_torch_engine(bundle: Bundle, device: str = "auto", threads: int | None = None) -> TorchEngine:
    if threads is not None and not FORKED.is_set():
        torch.set_num_threads(threads)
    model, where = load_model(bundle), choose_device(device, "device")
    if isinstance(model, NonAutoregressive):
        from attendo.engines.torch_at_once import AtOnceEngine  # which is one of these

        return AtOnceEngine(model, where, bundle.alignment)
    return TorchEngine(model, where, bundle.alignment)
