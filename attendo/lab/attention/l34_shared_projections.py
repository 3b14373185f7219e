"""L34: attention whose queries, keys and values share projections, alone in an encoder and in the whole Transformer."""

from collections.abc import Mapping, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import bars, figure
from attendo.lab.tools.measuring import count_weights, difference, unseen_generator
from attendo.lab.tools.toy_tasks import draw_rows
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 12, 16)  # with Q = K some find a way around, others do not
D, SYMBOLS, LENGTH = 32, 8, 6
# Which projection is another one: without K the values are also the keys; without Q the keys are also the queries.
SHARED = {"qkv": {}, "qv": {"key": "value"}, "kv": {"query": "key"}, "v": {"query": "value", "key": "value"}}
MODELS = {"alone": (1, 1), "whole": (3, 2)}  # attentions, layers
STEPS = by_size(3, 250, 1000)
MUCH = 0.1  # of the tokens: one more mistake in every ten


def share(attention: MultiHeadAttention, same: Mapping[str, str]) -> None:
    for name, other in same.items():
        delattr(attention, name)
        setattr(attention, name, lambda x, other=other: getattr(attention, other)(x))


def build(kind: str, model: str, seed: int) -> Transformer:
    """One head, one layer a stack; the weights that are saved, D² for each projection, go to the feed-forward parts."""
    attentions, layers = MODELS[model]
    d_ff = 2 * D + round(len(SHARED[kind]) * attentions / layers * D / 2)
    config = toy_config(SYMBOLS, D, d_ff, num_heads=1, tied_output=False)
    built = Transformer(config) if model == "whole" else EncoderAlone(config)
    for part in [part for part in built.modules() if isinstance(part, MultiHeadAttention)]:
        share(part, SHARED[kind])
    return built


def rotated(pairs: int, generator: torch.Generator) -> Batch:
    """Everyone looks to the right, the last at the first: 7 5 9 -> 5 9 7. No two look at each other."""
    rows = draw_rows(pairs, range(LENGTH, LENGTH + 1), SYMBOLS, generator)
    return Batch.from_pairs([(row, row[1:] + row[:1]) for row in rows])


@torch.no_grad()
def scores_at_the_start(kind: str, seed: int, tokens: int = 20) -> dict[str, float]:
    """Before any training: by how much S = QKᵀ differs from Sᵀ, and how many random tokens look most at themselves."""
    torch.manual_seed(seed)
    attention, x = MultiHeadAttention(D, 1), torch.randn(tokens, D)
    share(attention, SHARED[kind])
    scores = attention.query(x) @ attention.key(x).T
    return {
        "asymmetry": float((scores - scores.T).abs().max()),
        "itself": float((scores.argmax(-1) == torch.arange(tokens)).float().mean()),
    }


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for kind in SHARED:
        for model in MODELS:
            name = f"{model}_{kind}"
            budgets = budgets_of("L34", name, at.size, STEPS[at.size], 32)
            models, _, rate = train_tuned(partial(build, kind, model), rotated, seeds, budgets)
            for run, seed, trained in zip(runs, seeds, models, strict=True):
                never_seen = rotated(200, unseen_generator(seed))
                run |= {
                    name: accuracy(trained, never_seen),
                    f"{name}_weights": count_weights(trained),
                    f"rate_{name}": rate,
                }
        for run, seed in zip(runs, seeds, strict=True):
            run |= {f"{what}_{kind}": value for what, value in scores_at_the_start(kind, seed).items()}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Are (Q, V), and the two with Q = K taken together, worse than (Q, K, V) by MUCH, seed by seed? In self-attention
    alone both: it holds. None anywhere: it does not hold. Alone those with Q = K, and in the whole model none: it holds
    only if self-attention stands alone and Q = K. Anything else, or an interval that straddles MUCH: undecided."""
    worse = []
    for model in MODELS:
        qkv, qv, kv, v = (over_seeds(runs, f"{model}_{kind}") for kind in SHARED)
        gaps = [difference(qkv, qv), difference(qkv, [(a + b) / 2 for a, b in zip(kv, v, strict=True)])]
        if any(gap.low <= MUCH <= gap.high for gap in gaps):
            return "undecided"
        worse += [gap.low > MUCH for gap in gaps]
    if worse[:2] == [True, True]:
        return "holds"
    if not any(worse):
        return "does not hold"
    return "holds only if" if worse == [False, True, False, False] else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    page, panels = figure(columns=2)
    titles = (tr("an encoder alone", "只有编码器"), tr("the whole Transformer", "完整的 Transformer"))
    for axes, model, title in zip(panels, MODELS, titles, strict=True):
        bars(axes, ["(Q, K, V)", "(Q, V)", "(K, V)", "(V)"], [over_seeds(runs, f"{model}_{kind}") for kind in SHARED])
        axes.set(title=title, ylabel=tr("accuracy", "准确率"), ylim=(0, 1.05))
    return page


EXPERIMENT = Experiment("L34", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
