"""The glass computes what the torch model computes: texts of all four directions of the model of the package, every
tensor, every hand. tests/slow has all 200 texts, under each hand.
"""

import copy
from functools import cache

import numpy as np
import pytest
import torch

from attendo.glass import positions
from attendo.glass.hands import Hands
from tests.glass.sentences import glass, pairs, some_pairs, torch_model
from tests.glass.torch_witness import CLOSE, EVERY_HAND, by_glass, by_torch, close, difference, glass_of

AS_IT_IS = Hands()


def test_200_texts_of_all_four_directions():
    largest, count = 0.0, 0
    for source, target_in in pairs():
        trace = by_glass(glass().model, source, target_in, AS_IT_IS)
        log_probs, memory, _ = by_torch(torch_model(), source, target_in, AS_IT_IS)
        largest = max(largest, difference(trace["memory"], memory), difference(trace["log_probs"], log_probs))
        count += 1
    assert count == 200
    assert largest <= CLOSE


@pytest.mark.parametrize("name", EVERY_HAND)
def test_every_hand(name):
    hands = EVERY_HAND[name]
    moved = []
    for (source, target_in), plain in zip(some_pairs(), untouched(), strict=True):
        trace = by_glass(glass().model, source, target_in, hands)
        log_probs, memory, _ = by_torch(torch_model(), source, target_in, hands)
        assert difference(trace["memory"], memory) <= close(hands)
        assert difference(trace["log_probs"], log_probs) <= close(hands)
        moved.append(difference(trace["log_probs"], plain))
    assert (max(moved) > 100 * CLOSE) == (name != "forced")  # a hand that changes nothing would prove nothing


@pytest.mark.parametrize("name", EVERY_HAND)
def test_every_hand_in_float64(name, monkeypatch):
    """With nothing to round away, the same numbers: what float32 leaves open is no mistake in disguise."""
    monkeypatch.setattr(positions, "position_angles", angles_in_float64)
    ours, theirs = in_float64()
    source, target_in = some_pairs()[2]
    trace = by_glass(ours, source, target_in, EVERY_HAND[name])
    log_probs, memory, record = by_torch(theirs, source, target_in, EVERY_HAND[name])
    assert difference(trace["memory"], memory) <= 1e-11
    assert difference(trace["log_probs"], log_probs) <= 1e-9
    for layer, weights in enumerate(record.cross):
        assert difference(trace[f"decoder.{layer}.cross_attention.weights"], weights[0]) <= 1e-9


@cache
def in_float64():
    return glass_of(copy.deepcopy(torch_model()).double()), copy.deepcopy(torch_model()).double()


def angles_in_float64(position_ids, width, base):
    return position_ids[:, None] * base ** -(np.arange(0, width, 2) / width)


@cache
def untouched():
    return [by_torch(torch_model(), *pair, AS_IT_IS)[0] for pair in some_pairs()]


def test_every_tensor_that_torch_has():
    """By hooks: what goes into and comes out of each part."""
    source, target_in = some_pairs()[0]
    theirs = tensors_of(torch_model(), source, target_in)
    trace = by_glass(glass().model, source, target_in, AS_IT_IS)
    for name, tensor in theirs.items():
        assert difference(trace[name], tensor) <= CLOSE, name
    kinds = {name.split(".", 2)[2] for name in theirs if name.startswith("decoder.1.")}
    assert {"cross_attention.Q", "self_attention.K", "cross_attention.concat", "feed_forward.inner"} <= kinds
    assert len(theirs) > 120


def tensors_of(model, source, target_in):
    found = {}

    def keep(name, tensor, heads=False):
        found[name] = tensor[0].unflatten(-1, (model.config.num_heads, -1)).transpose(0, 1) if heads else tensor[0]

    def watch(module, name, heads=False):
        module.register_forward_hook(lambda _, given, out: keep(name, out, heads))

    for stack in ("encoder", "decoder"):
        for number, layer in enumerate(getattr(model, stack).layers):
            where = f"{stack}.{number}"
            for part in ("self_attention", "cross_attention") if stack == "decoder" else ("self_attention",):
                attention = getattr(layer, part)
                for letter, name in (("Q", "query"), ("K", "key"), ("V", "value")):
                    watch(getattr(attention, name), f"{where}.{part}.{letter}", heads=True)
                watch(attention.output, f"{where}.{part}.out")
                attention.output.register_forward_pre_hook(
                    lambda _, given, name=f"{where}.{part}.concat": keep(name, given[0])
                )
            watch(layer.feed_forward.inner, f"{where}.feed_forward.inner")
            layer.feed_forward.outer.register_forward_pre_hook(
                lambda _, given, name=f"{where}.feed_forward.hidden": keep(name, given[0])
            )
            watch(layer.feed_forward, f"{where}.feed_forward.out")
            for part in ("self_attention", "cross_attention", "feed_forward"):
                if around := getattr(layer, f"around_{part}", None):
                    watch(around.norm, f"{where}.{part}.norm")
                    watch(around, f"{where}.{part}.add")  # pre-norm: what comes out is x + out
        watch(getattr(model, stack).norm, f"{stack}.norm")
    watch(model.output, "logits")
    with torch.inference_mode():
        _, found["memory"], record = by_torch(model, source, target_in, AS_IT_IS)
    for number, weights in enumerate(record.encoder_self):
        found[f"encoder.{number}.self_attention.weights"] = weights[0]
    for number, (past, cross) in enumerate(zip(record.decoder_self, record.cross, strict=True)):
        found[f"decoder.{number}.self_attention.weights"] = past[0]
        found[f"decoder.{number}.cross_attention.weights"] = cross[0]
    return found


def test_what_the_trace_says_of_itself():
    source, target_in = some_pairs()[1]
    trace = by_glass(glass().model, source, target_in, AS_IT_IS)
    d_k = glass().model.config.head_dim
    for part in ("encoder.3.self_attention", "decoder.0.self_attention", "decoder.1.cross_attention"):
        q, k, v, weights = (trace[f"{part}.{name}"].astype(np.float64) for name in ("Q", "K", "V", "weights"))
        assert difference(trace[f"{part}.scores"], q @ k.swapaxes(1, 2)) <= CLOSE
        assert difference(trace[f"{part}.scaled"], q @ k.swapaxes(1, 2) / np.sqrt(d_k)) <= CLOSE
        assert difference(trace[f"{part}.heads"], weights @ v) <= CLOSE
        assert difference(weights.sum(-1), np.ones(weights.shape[:2])) <= CLOSE
    masked = trace["decoder.0.self_attention.masked"]
    assert (np.isneginf(masked) == ~trace["decoder.0.self_attention.may_attend"]).all()
    assert (trace["decoder.0.self_attention.weights"][np.isneginf(masked)] == 0).all()
    assert {tensor.dtype for tensor in trace.tensors.values()} == {np.dtype(kind) for kind in ("f4", "i8", "?")}
