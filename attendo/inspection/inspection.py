"""One sentence under the magnifying glass: every step of its search, and what each head looked at."""

from dataclasses import dataclass
from typing import Any

import torch

from attendo.decoding.beam import beam_search
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel
from attendo.decoding.options import SearchOptions
from attendo.decoding.trace import Step
from attendo.errors import InputError
from attendo.model.build import Model
from attendo.model.config import DecoderOnlyConfig, LayerConfig, LSTMConfig, ModelConfig
from attendo.model.encoder_only import EncoderOnly
from attendo.model.record import AttentionRecord
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import normalize
from attendo.text.tokenizer import Tokenizer

LONGEST = 512  # tokens on either side: weights grow with the square, and nobody reads a map of more


@dataclass(frozen=True)
class Inspection:
    """The best translation, how it was found, and the weights of one pass that reads it all (teacher forcing)."""

    text: str
    source: tuple[int, ...]  # tag, pieces, </s>
    best: Hypothesis
    steps: tuple[Step, ...]
    options: SearchOptions
    record: AttentionRecord

    @property
    def target_in(self) -> tuple[int, ...]:
        return (SPECIAL.bos, *self.best.ids[:-1])


@torch.inference_mode()
def inspect_text(
    model: Model, tokenizer: Tokenizer, text: str, language: str, options: SearchOptions | None = None
) -> Inspection:
    """Translate a text into a language; watch the search; then read source and translation with a record."""
    options = options or SearchOptions()
    if isinstance(model, EncoderOnly):
        raise InputError("an encoder alone cannot translate: expected a transformer, decoder-only or lstm model")
    if isinstance(model.config, LSTMConfig) and model.config.context == "fixed":
        raise InputError("an lstm model with context = 'fixed' sees the source as one vector: it has no attention")
    if not text.strip():
        raise InputError("there is no text to look at")
    row = [tokenizer.tag(language), *tokenizer.encode(text), SPECIAL.eos]
    source = torch.tensor([row], device=next(model.parameters()).device)
    steps: list[Step] = []
    longest = longest_target(model.config, len(row))
    searched: AutoregressiveModel[Any] = model
    best = beam_search(searched, source, longest, options, watch=steps.append)[0][0]
    record = AttentionRecord()
    model(source, source.new_tensor([[SPECIAL.bos, *best.ids[:-1]]]), record)
    return Inspection(normalize(text), tuple(row), best, tuple(steps), options, record)


def longest_target(config: ModelConfig, source: int) -> int:
    """Twice the source and a little more, where the model has positions for it; or why the source is too long."""
    if source > LONGEST:
        raise InputError(
            f"the text has {source:,} tokens: maps of attention are made of at most {LONGEST}, "
            f"so give it sentence by sentence"
        )
    longest = min(LONGEST, 2 * source + 10)
    if isinstance(config, LayerConfig) and config.positions == "learned":
        # A decoder alone reads source and target as one text; elsewhere each has a table of its own.
        room = config.max_length - (source if isinstance(config, DecoderOnlyConfig) else 0)
        if source > config.max_length or room < 1:
            raise InputError(
                f"the text has {source:,} tokens, too many for the {config.max_length:,} learned positions of the model"
            )
        longest = min(longest, room)
    return longest
