"""The lines of our own code that compute what a page shows, for each of its stations: read from the package itself."""

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import attendo
from attendo.glass.add_and_norm import add_and_norm
from attendo.glass.attention import additive_scores, attention, softmax
from attendo.glass.cache import KeptKeys
from attendo.glass.decoder import decoder_layer
from attendo.glass.embeddings import embed, output_logits
from attendo.glass.encoder import encoder_layer
from attendo.glass.feed_forward import feed_forward
from attendo.glass.linear import linear
from attendo.glass.masks import causal
from attendo.glass.multi_head import keys_and_values, multi_head, queries
from attendo.glass.norms import layer_norm, rms_norm
from attendo.glass.positions import RotaryTurn, learned_encoding, sinusoidal_encoding
from attendo.glass.search import beam_search
from attendo.glass.training_pass import pass_over_pair
from attendo.glass.transformer import decode, with_positions
from attendo.text.tokenizer import Tokenizer

STATIONS: dict[str, Callable[..., Any]] = {
    "pieces": Tokenizer.source_ids,
    "embedding": embed,
    "positions": sinusoidal_encoding,
    "learned_positions": learned_encoding,
    "rotary_positions": RotaryTurn,
    "with_positions": with_positions,
    "linear": linear,
    "queries": queries,
    "keys_and_values": keys_and_values,
    "attention": attention,
    "additive_scores": additive_scores,
    "multi_head": multi_head,
    "add_and_norm": add_and_norm,
    "norms": layer_norm,
    "rms_norm": rms_norm,
    "feed_forward": feed_forward,
    "encoder": encoder_layer,
    "masks": causal,
    "cache": KeptKeys,
    "decoder": decoder_layer,
    "logits": output_logits,
    "softmax": softmax,
    "search": beam_search,
    "training_pass": pass_over_pair,
    "decode": decode,
}


class CodeBeside(NamedTuple):
    file: str  # from the root of a clone
    line: int  # of the file, from 1
    source: str


@cache
def code_beside() -> dict[str, CodeBeside]:
    return {station: code_of(computes) for station, computes in STATIONS.items()}


def code_of(computes: Callable[..., Any]) -> CodeBeside:
    lines, first = inspect.getsourcelines(computes)
    file = Path(inspect.getfile(computes)).relative_to(Path(attendo.__file__).parents[1])
    return CodeBeside(file.as_posix(), first, dedent("".join(lines)).strip())
