"""The Transformer of figure 1: an encoder, a decoder, and one embedding for both and for the output."""

from dataclasses import dataclass

import numpy as np

from attendo.errors import InputError
from attendo.glass.attention import log_softmax
from attendo.glass.cache import KeptKeys
from attendo.glass.decoder import decoder
from attendo.glass.embeddings import embed, output_logits
from attendo.glass.encoder import encoder
from attendo.glass.hands import Hands
from attendo.glass.linear import Weights
from attendo.glass.masks import causal
from attendo.glass.positions import RotaryTurn, add_positions, rotation_at
from attendo.glass.trace import NO_TRACE, Array, Trace
from attendo.model.config import TransformerConfig
from attendo.model_folder.bundle import Bundle
from attendo.model_folder.checked_weights import read_weights

AS_IT_IS = Hands()


@dataclass(frozen=True)
class GlassModel:
    """A configuration and its weights, by their names in the model folder."""

    config: TransformerConfig
    weights: Weights


def read_glass_model(bundle: Bundle) -> GlassModel:
    """The weights are held against the configuration before anything is allocated."""
    if not isinstance(bundle.config, TransformerConfig):
        family = bundle.model.get("family")
        raise InputError(
            f"{bundle.folder} holds a model of the family {family}: the glass shows encoder-decoder Transformers alone"
        )
    return GlassModel(bundle.config, Weights({name: laid_out(array) for name, array in read_weights(bundle).items()}))


def laid_out(array: Array) -> Array:
    """A matrix column by column, so that W of x W, its transpose, lies row by row: a look takes 0.65 of the time."""
    return np.asfortranarray(array) if array.ndim == 2 else array


def encode(model: GlassModel, source: Array, trace: Trace = NO_TRACE, hands: Hands = AS_IT_IS) -> Array:
    """Source ids [source] -> memory [source, d_model]."""
    positions = np.arange(len(source))
    if hands.positions == "shuffled":
        positions = np.random.default_rng(hands.seed).permutation(len(source))
    x, rotation = with_positions(model, source, positions, "source", trace, hands)
    x = encoder(x, model.config, model.weights.part("encoder"), trace.part("encoder"), hands, rotation)
    return trace.keep("memory", x)


def decode(
    model: GlassModel, target_in: Array, memory: Array, trace: Trace = NO_TRACE, hands: Hands = AS_IT_IS
) -> Array:
    """Teacher forcing: <s> and pieces [target] -> what follows each of them, log_probs [target, vocab]."""
    x = decoder_output(model, target_in, memory, trace, hands)
    logits = trace.keep("logits", output_logits(x, model.weights))
    return trace.keep("log_probs", log_softmax(logits / hands.temperature))


def next_log_probs(
    model: GlassModel, target_in: Array, memory: Array, hands: Hands = AS_IT_IS, kept: KeptKeys | None = None
) -> Array:
    """Rows of <s> and pieces [rows, target] -> what follows the last piece of each, [rows, vocab].

    With `kept` only that last piece is computed; the keys and values of those before it are there.
    """
    x = decoder_output(model, target_in, memory, NO_TRACE, hands, kept)
    return log_softmax(output_logits(x[:, -1], model.weights) / hands.temperature)


def decoder_output(
    model: GlassModel, target_in: Array, memory: Array, trace: Trace, hands: Hands, kept: KeptKeys | None = None
) -> Array:
    """Ids [..., target] -> [..., target, d_model]; with `kept`, of the last position alone."""
    length = target_in.shape[-1]
    positions = np.arange(length)
    may_attend = causal(length) if hands.causal_mask else None
    if kept is not None:
        positions, target_in, may_attend = positions[-1:], target_in[..., -1:], None
    x, rotation = with_positions(model, target_in, positions, "target", trace, hands)
    config, weights = model.config, model.weights.part("decoder")
    x = decoder(x, memory, may_attend, config, weights, trace.part("decoder"), hands, rotation, kept)
    return trace.keep("decoder.out", x)


def with_positions(
    model: GlassModel, ids: Array, positions: Array, side: str, trace: Trace, hands: Hands
) -> tuple[Array, RotaryTurn | None]:
    """Embedding + position [..., n, d_model]; and the rotation that attention must apply, if any."""
    trace = trace.part(side)
    trace.keep("ids", ids)
    x = embed(ids, model.weights, trace, side)
    rotation = None
    if hands.positions != "off":
        trace.keep("position_ids", positions)
        x = add_positions(x, positions, model.config, model.weights.part(f"{side}_positions"), trace)
        rotation = rotation_at(positions, model.config, trace)
    return trace.keep("x", x), rotation
