"""Sentences about the parts of the machine: what there is, how wide it is, in which order it stands."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.lab.errata.backing import close, normal, seeded, small_transformer
from attendo.lab.sentences.tried import Tried
from attendo.model.build import build_model
from attendo.model.config import Cell, TransformerConfig
from attendo.model.feed_forward import FeedForward
from attendo.model.norms import LayerNorm
from attendo.model.positions import sinusoidal_encoding
from attendo.model.presets import preset
from attendo.model.recurrence import CELLS

SOURCE, TARGET = torch.tensor([[4, 5, 6]]), torch.tensor([[1, 7, 8, 9]])


def without_memory(name: str) -> Any:
    """The preset as a model whose tensors have shapes, but no numbers."""
    with torch.device("meta"):
        return build_model(preset(name))


def blocks_of_the_paper(name: str = "base") -> Tried:
    model = without_memory(name)
    encoder, decoder = model.encoder.layers, model.decoder.layers
    norms = [sum(isinstance(part, LayerNorm) for part in layer.modules()) for layer in (encoder[0], decoder[0])]
    numbers = {"encoder": len(encoder), "decoder": len(decoder), "norms_encoder": norms[0], "norms_decoder": norms[1]}
    return Tried(tuple(numbers.values()) == (6, 6, 2, 3), numbers)


def widths_of_the_paper(name: str = "base") -> Tried:
    model = without_memory(name)
    layer = model.encoder.layers[0]
    d_model, d_ff = layer.feed_forward.inner.in_features, layer.feed_forward.inner.out_features
    d_k = layer.self_attention.query.out_features // layer.self_attention.num_heads
    numbers = {"d_model": d_model, "d_ff": d_ff, "times": d_ff / d_model, "d_k": d_k}
    return Tried(tuple(numbers.values()) == (512, 2048, 4, 64) and layer.feed_forward.activation is F.relu, numbers)


def sum_then_norm() -> Tried:
    model, kept = small_transformer(), []
    layer: Any = model.encoder.layers[0]
    layer.register_forward_hook(lambda _, given, output: kept.append((given[0], output)))
    model.encode(SOURCE)
    x, output = kept[0]
    h = layer.around_self_attention.norm(x + layer.self_attention(x, x))  # what the feed-forward part is given
    return Tried(close(output, layer.around_feed_forward.norm(h + layer.feed_forward(h))))


def same_form_own_weights() -> Tried:
    model = small_transformer()
    first: list[Any] = [model.encoder.layers[0], model.decoder.layers[0]]
    one, other = (layer.feed_forward.inner.weight for layer in first)
    return Tried(one.shape == other.shape and not close(one, other), {"rows": len(one), "columns": one.shape[1]})


def what_each_layer_is_given(layers: int = 6) -> Tried:
    model, given, outputs = small_transformer(layers), [], []
    for layer in model.decoder.layers:
        layer.register_forward_hook(lambda _, inputs, output: given.append(inputs))
        layer.register_forward_hook(lambda _, inputs, output: outputs.append(output))
    memory = model.encode(SOURCE)
    model(SOURCE, TARGET)
    from_below = all(close(inputs[0], output) for inputs, output in zip(given[1:], outputs, strict=False))
    return Tried(from_below and all(close(inputs[1], memory) for inputs in given), {"layers": len(given)})


def only_through_cross_attention(silent: bool = True) -> Tried:
    model = small_transformer()
    layer: Any
    for layer in model.decoder.layers:
        layer.cross_attention.output.weight.data.mul_(0 if silent else 1)
    one, other = (model(source, TARGET) for source in (SOURCE, SOURCE + 5))
    return Tried(close(one, other))


def same_at_every_position() -> Tried:
    feed_forward, x = build_feed_forward(F.relu), normal(5, 8)
    one_by_one = torch.stack([feed_forward(row) for row in x])
    return Tried(close(feed_forward(x), one_by_one), {"inner": 32, "outer": feed_forward(x).shape[-1]})


def build_feed_forward(activation: Callable[[Tensor], Tensor]) -> FeedForward:
    sizes = TransformerConfig(vocab_size=9, d_model=8, d_ff=32, num_heads=2)
    return seeded(lambda: FeedForward(sizes, activation)).double().eval()


def the_sum_needs_the_width_back(d_ff: int = 2048) -> Tried:
    x, inner = normal(3, 512), normal(3, d_ff, seed=2)
    try:
        fits = (x + inner).shape == x.shape
    except RuntimeError:  # what PyTorch says of shapes that cannot be added
        fits = False
    return Tried(not fits and (x + inner @ normal(d_ff, 512, seed=3)).shape == x.shape, {"d_ff": d_ff})


def what_bends_is_the_relu() -> Tried:
    x, y = normal(8, seed=1), normal(8, seed=2)
    bent, straight = build_feed_forward(F.relu), build_feed_forward(lambda x: x)

    def additive(f: nn.Module) -> bool:
        return close(f(x + y) - f(x) - f(y) + f(0 * x), 0 * x)

    w = straight.inner.weight.T @ straight.outer.weight.T  # without it, two layers are one
    return Tried(additive(straight) and close(straight(x) - straight(0 * x), x @ w) and not additive(bent))


def column_by_column() -> Tried:
    x = 5 + 3 * normal(50, 4)
    y = F.batch_norm(x, None, None, training=True, eps=1e-12)
    return Tried(close(y.mean(0), torch.zeros(4)) and close(y.var(0, correction=0), torch.ones(4)))


def no_longer_normalised(layers: int = 6) -> Tried:
    x = normal(1000, 64)
    for number in range(layers):
        x = (x @ (normal(64, 64, seed=number + 2) / 8)).relu()  # weights as they are drawn before training
    off = max(abs(x.mean().item()), abs(x.var().item() - 1))
    return Tried(off > 0.1, {"mean": x.mean().item(), "variance": x.var().item()})


def positions(at: list[float]) -> Tensor:
    return sinusoidal_encoding(torch.tensor([at], dtype=torch.float64), 512, torch.float64)[0]


def one_width_for_all_lengths() -> Tried:
    shapes = [positions([float(n) for n in range(length)]).shape for length in (3, 1000)]
    return Tried(shapes == [(3, 512), (1000, 512)], {"width": shapes[1][1]})


def sum_of_two_parts() -> Tried:
    model = small_transformer()
    x, _ = model.embed(SOURCE, model.source_positions)
    pe = sinusoidal_encoding(torch.arange(3)[None], model.config.d_model, torch.float64)
    return Tried(close(x, model.embedding(SOURCE) + pe))


def between_two_positions(step: float = 1e-4) -> Tried:
    pe = positions([7.0, 7.0 + step, 8.0])
    near, whole = (pe[1] - pe[0]).norm().item(), (pe[2] - pe[0]).norm().item()
    return Tried(near < 1e-3 * whole, {"near": near, "whole": whole})


def rows_of_a_table() -> Tried:
    table = seeded(lambda: nn.Embedding(8, 4))
    loss = (table(torch.tensor([3])) ** 2).sum()
    (gradient,) = torch.autograd.grad(loss, table.weight)
    moved = (gradient.norm(dim=1) > 0).nonzero().flatten().tolist()
    return Tried(moved == [3], {"rows_moved": len(moved)})


def window_grows_by_layers(kernel: int = 3, layers: int = 4) -> Tried:
    x = normal(1, 1, 41).requires_grad_()
    y, seen = x, []
    for _ in range(layers):
        y = F.conv1d(y, torch.ones(1, 1, kernel, dtype=torch.float64), padding=kernel // 2)
        (gradient,) = torch.autograd.grad(y[0, 0, 20], x, retain_graph=True)
        seen.append(int((gradient != 0).sum()))
    return Tried(seen == [1 + n * (kernel - 1) for n in range(1, layers + 1)], {"one": seen[0], "last": seen[-1]})


def narrower_and_deeper() -> Tried:
    x, shapes = torch.zeros(1, 8, 32), []
    for channels in (16, 32, 64):
        x = F.conv1d(x, torch.zeros(channels, x.shape[1], 3), stride=2, padding=1)  # a usual CNN
        shapes.append(tuple(x.shape[1:]))
    memory = small_transformer().encode(SOURCE)
    return Tried(shapes == [(16, 16), (32, 8), (64, 4)] and memory.shape == (1, 3, 16), {"channels": 64, "places": 4})


@torch.no_grad()
def from_the_output_before(cell: Cell) -> float:
    """The largest error of y_t = f(y_{t-1}, x_t), where nothing of the past is known but y_{t-1}."""
    layer, x = seeded(lambda: CELLS[cell](4, 4)).double(), normal(1, 6, 4)
    y = layer.run(x)
    known = [(y[:, t - 1], *[torch.zeros(1, 4).double()] * (layer.state_size - 1)) for t in range(1, 6)]
    return max(float((layer.step(x[:, t], known[t - 1])[0] - y[:, t]).abs().max()) for t in range(1, 6))


def computed_by_recursion(cell: Cell = "rnn") -> Tried:
    error = from_the_output_before(cell)
    return Tried(error < 1e-12, {"rnn": error, "lstm": from_the_output_before("lstm")})


def listing_of_llama(name: str = "llama-7b") -> Tried:
    model = without_memory(name)
    layer = model.layers[0]
    shapes = {tuple(w.weight.shape) for w in (layer.self_attention.query, layer.self_attention.output)}
    mlp = {tuple(w.weight.shape) for w in (layer.feed_forward.gate, layer.feed_forward.up)}
    numbers = {"layers": len(model.layers), "billions": sum(w.numel() for w in model.parameters()) / 1e9}
    same = shapes == {(4096, 4096)} and mlp == {(11008, 4096)} and model.embedding.weight.shape == (32000, 4096)
    return Tried(same and numbers["layers"] == 32, numbers)
