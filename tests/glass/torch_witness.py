"""The torch model as a witness of the glass: its tensors by the glass' names, and each hand by hooks and other masks.

How close: a difference of 1e-5 of the largest number of a tensor, and 1e-5 where that is below 1. Both compute in
float32, whose rounding alone makes such sums differ: of the same model in float64 torch is as far off as the glass is.
"""

from contextlib import ExitStack, contextmanager

import numpy as np
import torch

from attendo.decoding.constraints import log_probabilities
from attendo.glass.hands import Hands
from attendo.glass.linear import Weights
from attendo.glass.trace import Trace
from attendo.glass.transformer import GlassModel, decode, encode
from attendo.model import masks
from attendo.model.record import AttentionRecord
from attendo.model_folder.weights import weights_of

CLOSE = 1e-5
EVERY_HAND = {
    "heads off": Hands(heads_off={("encoder", 0, 1), ("encoder", 1, 0), ("decoder", 1, 0), ("cross", 0, 1)}),
    "causal mask off": Hands(causal_mask=False),
    "positions off": Hands(positions="off"),
    "positions shuffled": Hands(positions="shuffled", seed=3),
    "no scale": Hands(scale=False),
    "temperature": Hands(temperature=2.5),
    "erase": Hands(erase={0, 2}),
    "feed-forward off": Hands(feed_forward_off={("encoder", 1), ("decoder", 0)}),
    "forced": Hands(force={2: 9, 3: 11}),
    "all at once": Hands(
        heads_off={("cross", 1, 1)}, causal_mask=False, positions="shuffled", scale=False, temperature=0.7,
        force={1: 7}, erase={1}, feed_forward_off={("decoder", 1)},
    ),
}  # fmt: skip


def close(hands):
    """Without 1/√d_k scores reach 180, and exp makes of their rounding much: torch itself is 2e-5 off its float64."""
    return CLOSE if hands.scale else 10 * CLOSE


def difference(ours, theirs):
    """The largest, as a share of the largest number where that is above 1."""
    theirs = theirs.detach().numpy() if isinstance(theirs, torch.Tensor) else theirs
    assert ours.shape == theirs.shape
    return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))


def glass_of(model):
    """The glass with the weights of a torch model."""
    return GlassModel(model.config, Weights({name: weight.numpy() for name, weight in weights_of(model).items()}))


def by_glass(model, source, target_in, hands):
    trace = Trace()
    memory = encode(model, np.array(source), trace, hands)
    decode(model, np.array(target_in), memory, trace, hands)
    return trace


def by_torch(model, source, target_in, hands):
    """log_probs [target, vocab], memory [source, d_model], and the weights of each attention."""
    with torch.inference_mode(), under(model, hands):
        record = AttentionRecord()
        memory = model.encode(torch.tensor([source]), record)
        logits = read_target(model, memory, torch.tensor([target_in]), hands, record)[0]
    return log_probabilities(logits / hands.temperature), memory[0], record


def read_target(model, memory, target_in, hands, record=None):
    """Logits [rows, target, vocab] of target_in [rows, target], all of it read anew; the mask is the hand's."""
    length = target_in.shape[1]
    may_attend = masks.causal(length, length) if hands.causal_mask else torch.ones(1, 1, length, length).bool()
    x, rotation = model.embed(target_in, model.target_positions)
    return model.output(model.decoder(x, memory, may_attend, None, rotation=rotation, record=record))


class Reread:
    """A torch model as search knows it that keeps nothing between steps: all is read anew, so no hand is missed."""

    def __init__(self, model, hands):
        self.model, self.hands = model, hands

    def start_decoding(self, source):
        return Rows(self.model.encode(source), source[:, :0])

    def next_token_logits(self, tokens, state):
        state.tokens = torch.cat((state.tokens, tokens), dim=1)
        memory = state.memory.expand(len(tokens), -1, -1)
        return read_target(self.model, memory, state.tokens, self.hands)[:, -1] / self.hands.temperature


class Rows:
    def __init__(self, memory, tokens):
        self.memory, self.tokens = memory, tokens

    def reorder(self, index):
        self.tokens = self.tokens[index.flatten()]


class ForcedAt:
    """The constraint of the hand `force`."""

    def __init__(self, hands):
        self.pieces = dict(hands.force)

    def __call__(self, logits, rows):
        forced = self.pieces.get(rows.output.shape[1] + 1)
        if forced is None:
            return logits
        others = torch.arange(logits.shape[1]) != forced
        return logits.masked_fill(others, -torch.inf)


@contextmanager
def under(model, hands):
    """Within it the torch model is as the hands want it, but for the mask, the temperature and what is forced."""
    with ExitStack() as hooks:

        def hook(module, change):
            hooks.callback(module.register_forward_hook(lambda _, given, out: change(given, out)).remove)

        attentions = [(f"encoder.{n}", layer.self_attention) for n, layer in enumerate(model.encoder.layers)]
        attentions += [(f"decoder.{n}", layer.self_attention) for n, layer in enumerate(model.decoder.layers)]
        attentions += [(f"cross.{n}", layer.cross_attention) for n, layer in enumerate(model.decoder.layers)]
        for name, attention in attentions:
            if not hands.scale:  # q·k/√d_k with a q that is √d_k as long
                hook(attention.query, lambda _, out: out * model.config.head_dim**0.5)
            if not name.startswith("decoder"):
                hook(attention.value, lambda _, out: without_rows(out, sorted(hands.erase)))
        for where, layer, head in hands.heads_off:
            output = dict(attentions)[f"{where}.{layer}"].output
            columns = slice(head * model.config.head_dim, (head + 1) * model.config.head_dim)
            remove = output.register_forward_pre_hook(lambda _, given, at=columns: (without_columns(given[0], at),))
            hooks.callback(remove.remove)
        for where, layer in hands.feed_forward_off:
            part = getattr(model, where).layers[layer].feed_forward
            hook(part, lambda _, out: torch.zeros_like(out))
        if hands.positions != "on":
            change_positions(model, hands, hook, hooks)
        yield


def change_positions(model, hands, hook, hooks):
    if hands.positions == "off":
        for side in (model.source_positions, model.target_positions):
            hook(side, lambda given, _: given[0])
            side.rotation = lambda position_ids, dtype: None
            hooks.callback(lambda side=side: delattr(side, "rotation"))
        return
    source = model.source_positions
    rotation = source.rotation

    def dealt(position_ids):
        return torch.tensor(np.random.default_rng(hands.seed).permutation(position_ids.shape[1]))[None]

    remove = source.register_forward_pre_hook(lambda _, given: (given[0], dealt(given[1]), given[2]))
    hooks.callback(remove.remove)
    source.rotation = lambda position_ids, dtype: rotation(dealt(position_ids), dtype)
    hooks.callback(lambda: delattr(source, "rotation"))


def without_rows(x, rows):
    x = x.clone()
    x[:, rows] = 0
    return x


def without_columns(x, columns):
    x = x.clone()
    x[..., columns] = 0
    return x
