"""L73: do the vectors of words of one kind come closer together in the attention layers of the model that ships?

The words are in l73_clusters.tsv, eight kinds of eight, made up for this claim.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.data.lines import ignore, read_lines
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.default_model import build_untrained, default_model
from attendo.lab.tools.measuring import interval
from attendo.model.transformer import Transformer
from attendo.text.tokenizer import Tokenizer

# A sentence for each seed; the word stands in it and all else is the same.
SENTENCES = (
    "I see the _.", "This is the _.", "Where is the _?", "We talked about the _.", "He likes the _.",
    "There is a _ here.", "She thinks of the _.", "The _ was good.",
)  # fmt: skip
SEEDS = by_size(2, len(SENTENCES), len(SENTENCES))
KNOBS = (Knob("neighbours", by_size(3, 3, 3), 1, 7),)
FILE = Path(__file__).with_suffix(".tsv")
MORE = 0.05  # of the neighbours


def words_by_kind() -> list[list[str]]:
    return [line.split("\t")[1].split() for line in read_lines(FILE, ignore)][1:]


def pieces_of_word(tokenizer: Tokenizer, sentence: str, word: str) -> tuple[list[int], slice]:
    """The ids of the sentence with that word, and where the pieces of the word stand."""
    before, _, after = sentence.partition("_")
    ids = list(tokenizer.source_ids(before + word + after, "de"))
    start = len(tokenizer.source_ids(before.rstrip(), "de")) - 1  # without </s>
    end = len(ids) - 1 - len(tokenizer.encode(after))
    return ids, slice(start, max(end, start + 1))


@torch.inference_mode()
def stages(model: Transformer, ids: Sequence[int], where: slice) -> Tensor:
    """The word's vector (the mean over its pieces) in the table, and after each sublayer: [1 + 2 layers, d_model]."""
    tokens = torch.tensor([ids])
    found = [model.embedding(tokens)]
    x, _ = model.eval().embed(tokens, model.source_positions)
    layers: Any = model.encoder.layers
    for layer in layers:
        attention, feed_forward = layer.self_attention, layer.feed_forward
        x = layer.around_self_attention(x, lambda x, attention=attention: attention(x, x))
        found.append(x)
        x = layer.around_feed_forward(x, feed_forward)
        found.append(x)
    return torch.stack([one[0, where].mean(0) for one in found])


def purity(vectors: Tensor, kinds: Tensor, neighbours: int) -> float:
    """[words, d], [words] -> of the nearest neighbours of each word, by cosine, the share that is of its kind. The mean
    of all words is taken away: what the sentence adds to every word alike says nothing about them."""
    centred = F.normalize(vectors - vectors.mean(0), dim=-1)
    alike = (centred @ centred.T).fill_diagonal_(-2.0)
    nearest = alike.topk(neighbours, dim=-1).indices
    return float((kinds[nearest] == kinds[:, None]).double().mean())


def purities(model: Transformer, tokenizer: Tokenizer, sentence: str, neighbours: int) -> list[float]:
    groups = words_by_kind()
    vectors = torch.stack(
        [stages(model, *pieces_of_word(tokenizer, sentence, word)) for words in groups for word in words]
    )
    kinds = torch.arange(len(groups)).repeat_interleave(len(groups[0]))
    return [purity(each, kinds, neighbours) for each in vectors.unbind(1)]


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    model, tokenizer = default_model()
    groups = words_by_kind()
    words = sum(map(len, groups))
    depth = len(model.encoder.layers)
    runs = rows_to_fill(seeds, words=words, kinds=len(groups), chance=(len(groups[0]) - 1) / (words - 1))
    for run, seed in zip(runs, seeds, strict=True):
        sentence = SENTENCES[(seed - 1) % len(SENTENCES)]
        for name, looked_into in (("trained", model), ("untrained", build_untrained(model, seed))):
            found = purities(looked_into, tokenizer, sentence, at.whole("neighbours"))
            by_attention = [found[2 * layer + 1] - found[2 * layer] for layer in range(depth)]
            by_feed_forward = [found[2 * layer + 2] - found[2 * layer + 1] for layer in range(depth)]
            run |= {f"{name}_purity": found, f"{name}_table": found[0], f"{name}_end": found[-1]}
            run |= {f"{name}_attention": sum(by_attention), f"{name}_feed_forward": sum(by_feed_forward)}
            run[f"{name}_first"] = by_attention[0]
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """What all attention sublayers together add to the purity of the model that ships, 95 % interval: more than MORE:
    holds. Less, but the last layer is purer than the table by MORE: only if one means the whole layer, attention and
    feed-forward. Neither: does not hold."""
    by_attention = interval(over_seeds(runs, "trained_attention"))
    whole = interval(
        [
            end - table
            for end, table in zip(*(over_seeds(runs, f"trained_{at}") for at in ("end", "table")), strict=True)
        ]
    )
    if by_attention.low > MORE:
        return "holds"
    if by_attention.high >= MORE or whole.low <= MORE <= whole.high:
        return "undecided"
    return "holds only if" if whole.low > MORE else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=10.0, height=5.0)
    count = len(row(runs[0], "trained_purity"))
    for index, (name, label) in enumerate(
        (("trained", tr("trained", "训练后")), ("untrained", tr("untrained", "未训练")))
    ):
        band(axes, range(count), [row(run, f"{name}_purity") for run in runs], label, index)
    labels = [tr("table", "词嵌入表")]
    for layer in range(1, count // 2 + 1):
        labels += [tr(f"{layer}\nattn", f"{layer}\n注意力"), tr("\nffn", "\n前馈")]
    axes.set_xticks(range(count), labels, fontsize=11)
    axes.axhline(runs[0]["chance"], color="grey", ls=":")  # type: ignore[arg-type]
    axes.set(ylim=(0, 1), ylabel=tr("neighbours of the same kind", "同类近邻的比例"))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return picture


EXPERIMENT = Experiment("L73", measure, judge, draw, KNOBS, SEEDS)
