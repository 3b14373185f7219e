"""CTranslate2's encoder: vectors and guesses on a CPU without torch, in float32, so that they are torch's numbers."""

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from attendo.engines.ct2.conversion import POSITIONS, Converted, encoder_config
from attendo.engines.ct2.engine import TOKENS_PER_BATCH, check_addresses, free_cores
from attendo.engines.masked_token_head import Floats, HeadInNumpy
from attendo.engines.process import OfThisProcess
from attendo.errors import InputError
from attendo.model.config import EncoderOnlyConfig
from attendo.model_folder.bundle import Bundle
from attendo.special_tokens import pad_rows


class Ct2Encoder:
    """An `EncodingEngine`."""

    tokens_per_batch = TOKENS_PER_BATCH

    def __init__(self, loaded: OfThisProcess[Any], longest: int, head: HeadInNumpy | None) -> None:
        self.loaded, self.longest, self.head = loaded, longest, head

    @cached_property
    def name(self) -> str:
        import ctranslate2

        return f"CTranslate2 {ctranslate2.__version__} on CPU, float32"

    def encode(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        import ctranslate2

        if not rows:
            return []
        lengths = np.array([len(row) for row in rows], dtype=np.int32)
        ids = np.array(pad_rows(rows), dtype=np.int32)
        view = ctranslate2.StorageView.from_array
        try:
            output = self.loaded.get().forward_batch(view(ids), view(lengths))
        except (RuntimeError, ValueError) as error:
            raise InputError(f"CTranslate2 cannot run this model: {error}") from error
        hidden = np.array(output.last_hidden_state)
        return [hidden[index, :length] for index, length in enumerate(lengths)]

    def guess(self, rows: Sequence[Sequence[int]], positions: Sequence[Sequence[int]]) -> list[Floats]:
        if self.head is None:
            raise InputError("only an encoder-only model guesses hidden tokens")
        if not rows:
            return []
        wanted = [x[list(where)] for x, where in zip(self.encode(rows), positions, strict=True)]
        found = self.head.log_probabilities(np.concatenate(wanted))  # of all rows at once
        return np.split(found, np.cumsum([len(x) for x in wanted])[:-1])


def load_ct2_encoder(bundle: Bundle, threads: int | None = None) -> Ct2Encoder:
    threads = threads or free_cores()
    check_addresses(bundle, "float32", threads)
    import ctranslate2

    from attendo.model_folder.checked_weights import read_weights

    config = encoder_config(bundle)
    converted = Converted(bundle, "float32", "encoder")

    def open_encoder() -> Any:
        with converted.folder() as folder:
            try:
                return ctranslate2.Encoder(
                    os.fsencode(folder), device="cpu", compute_type="float32", intra_threads=threads
                )
            except (RuntimeError, ValueError) as error:
                raise InputError(f"CTranslate2 cannot load {folder}: {error}") from error

    loaded = OfThisProcess(open_encoder)
    head = HeadInNumpy.of(config, read_weights(bundle)) if isinstance(config, EncoderOnlyConfig) else None
    return Ct2Encoder(loaded, config.max_length if config.positions == "learned" else POSITIONS, head)
