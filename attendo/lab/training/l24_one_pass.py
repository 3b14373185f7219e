"""L24: one pass under the causal mask gives what feeding growing prefixes gives."""

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.lab.tools.measuring import seconds
from attendo.model import masks
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("lengths", by_size((4, 8), (4, 8, 16, 32, 64), (4, 8, 16, 32, 64, 128, 256, 512)), 1, 512),
    Knob("layers", by_size(2, 2, 2), 1, 12),
)
SIZES = {"d_model": 64, "d_ff": 256, "num_heads": 4}
VOCAB = 50
REPEATS = by_size(1, 3, 15)
ROUNDING, CHANGED = 1e-10, 1e-3  # of logits and gradients of size 1


def pass_over(model: Transformer, source: Tensor, memory: Tensor, target_in: Tensor, causal: Tensor | None) -> Tensor:
    x, rotation = model.embed(target_in, model.target_positions)
    return model.output(model.decoder(x, memory, causal, masks.real(source, SPECIAL.pad), rotation=rotation))


def one_pass(model: Transformer, source: Tensor, target_in: Tensor) -> Tensor:
    """All positions at once; the mask hides from each what comes after it."""
    n = target_in.shape[1]
    return pass_over(model, source, model.encode(source), target_in, masks.causal(n, n))


def growing_prefixes(model: Transformer, source: Tensor, target_in: Tensor, masked: bool = True) -> Tensor:
    """<s>, then <s> a, then <s> a b, … each in a pass of its own, of which the last position counts."""
    memory = model.encode(source)
    last = []
    for n in range(1, target_in.shape[1] + 1):
        causal = masks.causal(n, n) if masked else None
        last.append(pass_over(model, source, memory, target_in[:, :n], causal)[:, -1])
    return torch.stack(last, dim=1)


def no_mask(model: Transformer, source: Tensor, target_in: Tensor) -> Tensor:
    """The control: one pass in which every position sees the whole target."""
    return pass_over(model, source, model.encode(source), target_in, None)


def gradient(model: Transformer, logits: Tensor, target_out: Tensor) -> Tensor:
    """Of the mean loss, with respect to all weights, in one row."""
    loss = F.cross_entropy(logits.flatten(0, 1), target_out.flatten())
    return torch.cat([part.flatten() for part in torch.autograd.grad(loss, list(model.parameters()))])


def measure_one(seed: int, at: Settings) -> Numbers:
    torch.manual_seed(seed)
    layers = {"encoder_layers": at.whole("layers"), "decoder_layers": at.whole("layers")}
    model = Transformer(TransformerConfig(vocab_size=VOCAB, dropout=0.0, **SIZES, **layers)).double()  # type: ignore[arg-type]
    lengths = sorted(set(at.wholes("lengths")))
    longest = lengths[-1]
    source, target = (torch.randint(4, VOCAB, (1, n)) for n in (12, longest + 1))

    at_once, one_by_one, unmasked = (
        (logits := decode(model, source, target[:, :-1]), gradient(model, logits, target[:, 1:]))
        for decode in (one_pass, growing_prefixes, no_mask)
    )
    bare = growing_prefixes(model, source, target[:, :-1], masked=False)
    times = {
        decode.__name__: [
            1000 * seconds(lambda d=decode, t=target[:, :n]: d(model, source, t), REPEATS[at.size])  # type: ignore[misc]
            for n in lengths
        ]
        for decode in (one_pass, growing_prefixes)
    }
    return {
        "logits_differ": (at_once[0] - one_by_one[0]).abs().max().item(),
        "gradients_differ": (at_once[1] - one_by_one[1]).abs().max().item(),
        "unmasked_differ": (unmasked[0] - one_by_one[0]).abs().max().item(),
        "bare_prefixes_differ": (at_once[0] - bare).abs().max().item(),
        "longest": longest,
        "times_as_long": times["growing_prefixes"][-1] / times["one_pass"][-1],
        "timed": lengths, "ms_one_pass": times["one_pass"], "ms_prefixes": times["growing_prefixes"],
    }  # fmt: skip


def judge(runs: Runs) -> Verdict:
    """Logits and gradients agree to 1e-10; without the mask, as a control, they do not."""
    agree = max(*over_seeds(runs, "logits_differ"), *over_seeds(runs, "gradients_differ")) <= ROUNDING
    if agree and min(over_seeds(runs, "unmasked_differ")) <= CHANGED:
        return "undecided"  # a model that nothing changes says nothing about masks
    return "holds" if agree else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.0)
    lengths = row(runs[0], "timed")
    band(axes, lengths, [row(run, "ms_prefixes") for run in runs], tr("growing prefixes", "逐个加长的前缀"), 1)
    band(axes, lengths, [row(run, "ms_one_pass") for run in runs], tr("one masked pass", "一次带掩码的计算"), 0)
    axes.set(xlabel=tr("target tokens", "目标长度（词元数）"), ylabel=tr("milliseconds", "毫秒"))
    axes.set(xscale="log", yscale="log", ylim=(1, None))
    tick_at(axes, lengths)
    axes.legend()
    return picture


EXPERIMENT = Experiment("L24", for_each_seed(measure_one), judge, draw, KNOBS, SEEDS)
