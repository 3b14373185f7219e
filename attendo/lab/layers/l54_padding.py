"""L54: the embedding of padding: whether it is 0, whether it matters, and what a 0 would do without a mask."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import bars, figure, points
from attendo.lab.tools.default_model import TO, deal, default_model
from attendo.lab.tools.hand_aligned import AlignedSentence, hand_aligned
from attendo.model.masks import real
from attendo.model.positions import sinusoidal_encoding
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

SEEDS = by_size(2, 6, 6)  # each has a part of the sentences for its own
KNOBS = (
    Knob("padding", by_size(2, 10, 10), 1, 200),  # tokens after each sentence
    Knob("pairs", by_size(2, 10, 40), 2, 40),
)
ZERO = 1e-6


@torch.inference_mode()
def encoded(model: Transformer, ids: Tensor, pad_vector: Tensor, masked: bool) -> tuple[Tensor, Tensor]:
    """Memory [length, d_model] and attention weights [layers, heads, length, length], for ids [1, length] whose padding
    has this vector as its embedding; where it is not masked, everyone may attend to it."""
    pads = (ids == SPECIAL.pad)[..., None]
    x = model.embedding(ids).masked_fill(pads, 0) + pads * pad_vector
    x = model.source_positions(x, torch.arange(ids.shape[1])[None], ids.shape[1])
    weights: list[Tensor] = []
    memory = model.encoder(x, real(ids, SPECIAL.pad) if masked else None, record=weights)
    return memory[0], torch.cat(weights)


def padded(tokenizer: Tokenizer, side: AlignedSentence, padding: int) -> Tensor:
    return torch.tensor([[*tokenizer.source_ids(side.text, TO[side.language]), *[SPECIAL.pad] * padding]])


def of_sentence(model: Transformer, ids: Tensor, padding: int, generator: torch.Generator) -> tuple[float, ...]:
    """How much the sentence's memory changes when the padding's embedding is another, and when it is 0 and not masked;
    and which share of the sentence's attention such a padding then gets."""
    n = ids.shape[1] - padding
    own = model.embedding(ids[:, -1:])[0, 0]
    zero, other = torch.zeros_like(own), 100 * torch.randn(own.shape, generator=generator)
    right, _ = encoded(model, ids, own, masked=True)
    another, _ = encoded(model, ids, other, masked=True)
    unmasked, weights = encoded(model, ids, zero, masked=False)
    size = right[:n].norm()
    return (
        float((another - right)[:n].norm() / size),
        float((unmasked - right)[:n].norm() / size),
        float(weights[:, :, :n, n:].sum(-1).mean()),
    )


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    model, tokenizer = default_model()
    pairs = [pair for of_language in hand_aligned().values() for pair in of_language[: at.whole("pairs")]]
    sides = list(dict.fromkeys(side for pair in pairs for side in (pair.source, pair.target)))  # each once
    row = model.embedding.weight[SPECIAL.pad].detach()
    scaled = model.embedding(torch.tensor([[SPECIAL.pad]]))[0, 0].detach()
    position = sinusoidal_encoding(torch.tensor([[10]]), model.config.d_model)[0, 0]
    runs: list[Numbers] = []
    for seed, own in zip(seeds, deal(sides, seeds), strict=True):
        generator = torch.Generator().manual_seed(seed)
        padding = at.whole("padding")
        found = [of_sentence(model, padded(tokenizer, side, padding), padding, generator) for side in own]
        masked, unmasked, share = (sum(values) / len(values) for values in zip(*found, strict=True))
        runs.append(
            {
                "sentences": len(sides),
                "row": row.norm().item(),
                "others": model.embedding.weight[SPECIAL.unk + 1 :].norm(dim=1).mean().item(),
                "with_position": (scaled + position).norm().item(),
                "zero_with_position": position.norm().item(),
                "changed_masked": masked,
                "changed_unmasked": unmasked,
                "share": share,
                "count": padding,
            }
        )
    return runs


def judge(runs: Runs) -> Verdict:
    """Of the row for padding in the table: 0, holds. Not 0, yet with its position added 0: only if. Neither: does not
    hold."""
    if number(runs[0], "row") < ZERO:
        return "holds"
    return "holds only if" if number(runs[0], "with_position") < ZERO else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (lengths, changes) = figure(columns=2)
    names = {
        "row": tr("padding", "填充"), "others": tr("other tokens", "其他词元"),
    }  # fmt: skip
    bars(lengths, list(names.values()), [over_seeds(runs, name)[:1] for name in names])
    lengths.set(ylabel=tr("length of the embedding", "词向量的长度"))
    names = {
        "changed_masked": tr("masked,\nany embedding", "有掩码，\n任意词向量"),
        "changed_unmasked": tr("not masked,\nembedding 0", "没有掩码，\n词向量为 0"),
    }
    points(changes, list(names.values()), [over_seeds(runs, name) for name in names])
    changes.set(ylabel=tr("change of the sentence's memory", "句子编码的相对变化"))
    changes.set_ylim(bottom=-0.05)
    return picture


EXPERIMENT = Experiment("L54", measure, judge, draw, KNOBS, SEEDS)
