"""L66: what every decoder layer makes its keys and values of: the encoder's last layer, by matrices of its own."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.default_model import deal, default_model
from attendo.lab.tools.hand_aligned import AlignedPair, hand_aligned
from attendo.model import masks
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

SEEDS = by_size(2, 5, 5)
KNOBS = (Knob("sentences", by_size(4, 40, 40), 2, 40),)
ROUNDING = 1e-5  # of float32, in which the model computes
SEEN = 0.1


def outputs_of(modules: Sequence[nn.Module], work: Callable[[], object]) -> list[Tensor]:
    """What each of these gave while something was computed."""
    found: list[Tensor] = []
    handles = [module.register_forward_hook(lambda _m, _x, output: found.append(output)) for module in modules]
    work()
    for handle in handles:
        handle.remove()
    return found


def differ(a: Tensor, b: Tensor) -> float:
    return float((a - b).norm() / a.norm())


def ids_of(tokenizer: Tokenizer, pair: AlignedPair) -> tuple[Tensor, Tensor, Tensor]:
    """Source, what the decoder is fed, and what is right."""
    source = tokenizer.source_ids(pair.source.text, pair.target.language)
    target = tokenizer.encode(pair.target.text)
    return torch.tensor([source]), torch.tensor([[SPECIAL.bos, *target]]), torch.tensor([*target, SPECIAL.eos])


def loss_from(model: Transformer, memory: Tensor, fed: Tensor, right: Tensor) -> float:
    """Of a given translation, with this memory before the decoder."""
    x, rotation = model.embed(fed, model.target_positions)
    causal = masks.causal(fed.shape[1], fed.shape[1])
    logits = model.output(model.decoder(x, memory, causal, None, rotation=rotation))
    return float(F.cross_entropy(logits[0], right))


@torch.inference_mode()
def look_at(model: Transformer, tokenizer: Tokenizer, pair: AlignedPair) -> dict[str, Tensor]:
    """wiring: how far the keys and values of each decoder layer are from those that its matrices would make of each
    encoder layer [decoder layers, encoder layers]; loss by the encoder layer that the decoder is given."""
    source, fed, right = ids_of(tokenizer, pair)
    crosses: list[Any] = [layer.cross_attention for layer in model.decoder.layers]
    layers = outputs_of(list(model.encoder.layers), lambda: model.encode(source))
    memories = [model.encoder.norm(layer) for layer in layers]
    keys, values = (
        outputs_of([getattr(cross, part) for cross in crosses], lambda: model(source, fed)) for part in ("key", "value")
    )
    wiring = [
        [max(differ(k, cross.key(memory)), differ(v, cross.value(memory))) for memory in memories]
        for cross, k, v in zip(crosses, keys, values, strict=True)
    ]
    losses = [loss_from(model, memory, fed, right) for memory in memories]
    return {"wiring": torch.tensor(wiring), "loss": torch.tensor(losses)}


@torch.no_grad()
def alike(first: nn.Linear, second: nn.Linear) -> float:
    """The cosine of two matrices."""
    return float(F.cosine_similarity(first.weight.flatten(), second.weight.flatten(), dim=0))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    model, tokenizer = default_model()
    pairs = [*hand_aligned()["zh"]][: max(at.whole("sentences"), len(seeds))]
    crosses = [layer.cross_attention for layer in model.decoder.layers]
    same = [alike(getattr(crosses[0], part), getattr(crosses[-1], part)) for part in ("key", "value")]
    runs = rows_to_fill(
        seeds, encoder_layers=len(model.encoder.layers), decoder_layers=len(crosses), matrices_alike=max(same, key=abs),
        layer=list(range(1, len(model.encoder.layers) + 1)),
    )  # fmt: skip
    for run, own in zip(runs, deal(pairs, seeds), strict=True):
        found = [look_at(model, tokenizer, pair) for pair in own]
        wiring = torch.stack([one["wiring"] for one in found])
        losses = torch.stack([one["loss"] for one in found]).mean(0)
        run |= {"wiring": wiring.mean(0).flatten().tolist(), "from_last": float(wiring[..., -1].max())}
        run |= {"from_others": float(wiring[..., :-1].min()), "loss": losses.tolist()}
        run |= {"loss_last": float(losses[-1]), "loss_before": float(losses[-2]), "loss_first": float(losses[0])}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """The keys and values of every decoder layer are those that its matrices make of the encoder's last layer
    (ROUNDING), and of no other layer (more than SEEN away), and the matrices of the layers are not the same: holds.
    If the matrices are shared: only if "new parameter matrices" means one pair for all. Else it does not hold."""
    of_last = max(over_seeds(runs, "from_last")) <= ROUNDING and min(over_seeds(runs, "from_others")) > SEEN
    if not of_last:
        return "does not hold"
    return "holds" if abs(number(runs[0], "matrices_alike")) < 1 - SEEN else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=5.8)
    layers = [f"{layer:.0f}" for layer in row(runs[0], "layer")]
    rows = int(number(runs[0], "decoder_layers"))
    wiring = torch.tensor([row(run, "wiring") for run in runs]).mean(0).view(rows, len(layers))
    left.imshow(wiring.tolist(), cmap="Blues_r", vmin=0, vmax=1.5, aspect="auto")
    for place in range(rows):
        for column in range(len(layers)):
            value = float(wiring[place, column])
            dark = value < 0.5
            left.text(column, place, f"{value:.2f}", ha="center", va="center", color="white" if dark else "black")
    left.set_xticks(range(len(layers)), layers)
    left.set_yticks(range(rows), [f"{place + 1}" for place in range(rows)])
    left.grid(visible=False)
    left.set(xlabel=tr("encoder layer", "编码器层"), ylabel=tr("decoder layer", "解码器层"))
    left.set_title(tr("distance from what it uses", "与实际所用 K、V 的差"), fontsize=13)
    band(right, row(runs[0], "layer"), [row(run, "loss") for run in runs], "", 0)
    right.set(xlabel=tr("encoder layer given to the decoder", "交给解码器的编码器层"), ylim=(0, None))
    right.set(ylabel=tr("loss of the translation", "译文的损失"))
    return picture


EXPERIMENT = Experiment("L66", measure, judge, draw, KNOBS, SEEDS)
