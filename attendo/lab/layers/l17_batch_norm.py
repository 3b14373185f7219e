"""L17: what LayerNorm and BatchNorm look at, and how a Transformer learns with each, with padding and without."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import bars, figure
from attendo.lab.tools.measuring import difference, unseen_generator
from attendo.lab.tools.toy_tasks import draw_rows
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.config import LayerConfig
from attendo.model.norms import LayerNorm
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 5, 8)
SYMBOLS, LONGEST, PAIRS = 8, 6, 16
TOY = toy_config(SYMBOLS, 32, 64, num_heads=2)
LENGTHS = {"padded": range(2, LONGEST + 1), "even": range(LONGEST, LONGEST + 1)}
KINDS = {"layer": "LayerNorm", "batch": "BatchNorm"}
STEPS = by_size(2, 160, 1000)
ROUNDING, SEEN = 1e-4, 1e-2  # of a logit (float32): what another shape may change, and what is a change
MUCH = 0.05  # of the tokens; less is no reason to choose a norm


class BatchNorm(LayerNorm):
    """The same gain and bias, but the mean and variance are those of each column over all positions, padding included;
    in use (eval) they are those of the last batch read in training mode without gradients."""

    kept: tuple[Tensor, Tensor] | None = None

    @classmethod
    def from_config(cls, config: LayerConfig) -> "BatchNorm":
        return cls(config.d_model, config.norm_eps)

    def forward(self, x: Tensor) -> Tensor:
        vectors = x.flatten(0, -2)  # [batch × length, d_model]
        if self.training and not torch.is_grad_enabled():
            self.kept = vectors.mean(0), vectors.var(0)
        mean, var = (None, None) if self.training or self.kept is None else self.kept
        return F.batch_norm(vectors, mean, var, self.gain, self.bias, training=mean is None, eps=self.eps).view_as(x)


def build(kind: str, seed: int) -> Transformer:
    return Transformer(TOY, Parts(norm=BatchNorm.from_config) if kind == "batch" else Parts())


def reversals(lengths: range, pairs: int, generator: torch.Generator) -> Batch:
    """Row 0 has the longest length: all batches then have one shape."""
    rows = [*draw_rows(1, LENGTHS["even"], SYMBOLS, generator), *draw_rows(pairs - 1, lengths, SYMBOLS, generator)]
    return Batch.from_pairs([(row, row[::-1]) for row in rows])


@torch.no_grad()
def changes(model: Transformer, batches: Sequence[Batch]) -> dict[str, float]:
    """As it learns: how much the logits of one sentence change when something else does."""
    (source, fed), *others, many = ((batch.source, batch.target_in) for batch in batches)
    before = model.train()(source, fed)[0]  # of row 0; below, it stands above the rows of other batches
    shown = torch.stack([model(torch.cat((source[:1], x[1:])), torch.cat((fed[:1], y[1:])))[0] for x, y in others])
    later = fed.index_put((torch.tensor(0), torch.tensor(-1)), torch.tensor(SPECIAL.unk))  # another last token
    padded = model(*(F.pad(tokens, (0, LONGEST), value=SPECIAL.pad) for tokens in (source, fed)))
    numbers = {
        "others": float((shown[0] - before).abs().max()),
        "padding": float((padded[0, : len(before)] - before).abs().max()),
        "future": float((model(source, later)[0, :-1] - before[:-1]).abs().max()),
        "shaking": float(shown.std(0).mean() / before.std()),
    }
    model(*many)  # read last: what BatchNorm will use from now on
    return numbers


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for task, lengths in LENGTHS.items():
        for kind in KINDS:
            name = f"{kind}_{task}"
            budgets = budgets_of("L17", name, at.size, STEPS[at.size], PAIRS)
            models, _, rate = train_tuned(partial(build, kind), partial(reversals, lengths), seeds, budgets)
            for run, seed, model in zip(runs, seeds, models, strict=True):
                generator = unseen_generator(seed)
                batches = [reversals(lengths, pairs, generator) for pairs in (*[PAIRS] * 12, 300)]
                run |= {f"{name}_{what}": much for what, much in changes(model, batches).items()}
                run |= {name: accuracy(model, reversals(lengths, 300, generator)), f"rate_{name}": rate}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Other rows change the logits of a sentence with BatchNorm and not with LayerNorm, in every seed, or it fails.
    BatchNorm must shake more with padding than without. If LayerNorm is then right more often by MUCH: holds. If shown
    not to be: only if "steadier" is said of what the norm computes, not of what the model learns."""
    layer, batch = (over_seeds(runs, f"{kind}_padded_others") for kind in KINDS)
    shakier = difference(over_seeds(runs, "batch_padded_shaking"), over_seeds(runs, "batch_even_shaking"))
    better = difference(over_seeds(runs, "layer_padded"), over_seeds(runs, "batch_padded"))
    if max(layer) > ROUNDING or min(batch) < SEEN or shakier.high < 0:
        return "does not hold"
    if shakier.low <= 0 or better.low <= MUCH <= better.high:
        return "undecided"
    return "holds" if better.low > MUCH else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    page, (shaking, right) = figure(columns=2)
    tasks = {"padded": tr("padded", "有填充"), "even": tr("one length", "等长")}
    sides = {f"{kind}_{task}": f"{KINDS[kind]}\n{tasks[task]}" for task in LENGTHS for kind in KINDS}
    for axes, what in ((shaking, "_shaking"), (right, "")):
        bars(axes, list(sides.values()), [over_seeds(runs, side + what) for side in sides])
    shaking.set(ylabel=tr("shaken by the rest of the batch", "同批其他句子引起的波动"))
    right.set(ylabel=tr("accuracy", "准确率"), ylim=(0, 1.05))
    return page


EXPERIMENT = Experiment("L17", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
