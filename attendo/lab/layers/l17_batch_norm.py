"""L17: whether a sentence's logits depend on the rest of its batch, with LayerNorm and with BatchNorm."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure, points
from attendo.lab.tools.measuring import unseen_generator
from attendo.lab.tools.toy_tasks import draw_rows
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.config import LayerConfig
from attendo.model.norms import LayerNorm
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 8, 16)
KNOBS = (
    Knob("steps", by_size(2, 600, 2_000), 2, 100_000),
    Knob("pairs", by_size(8, 16, 16), 4, 256),  # of a batch, in training and when the changes are made
    Knob("longest", by_size(6, 6, 6), 2, 32),
)
SYMBOLS = 8
TOY = toy_config(SYMBOLS, 32, 64, num_heads=2)
TASKS = ("padded", "even")
KINDS = {"layer": "LayerNorm", "batch": "BatchNorm"}
CHANGES = ("others", "padding", "future")
BATCHES = 12  # in which a sentence is put
LEARNT = 0.1  # nats
ROUNDING, SEEN = 1e-4, 1e-2  # of a logit (float32): what another shape may change, and what is a change


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


def reversals(shortest: int, longest: int, pairs: int, generator: torch.Generator) -> Batch:
    """Row 0 has the longest length: all batches then have one shape."""
    rows = draw_rows(1, range(longest, longest + 1), SYMBOLS, generator)
    rows += draw_rows(pairs - 1, range(shortest, longest + 1), SYMBOLS, generator)
    return Batch.from_pairs([(row, row[::-1]) for row in rows])


@torch.no_grad()
def changes(model: Transformer, batches: Sequence[Batch]) -> dict[str, float]:
    """As it learns: how much the logits of one sentence change when something else does."""
    (source, fed), *others, many = ((batch.source, batch.target_in) for batch in batches)
    before = model.train()(source, fed)[0]  # of row 0; below, it stands above the rows of other batches
    shown = torch.stack([model(torch.cat((source[:1], x[1:])), torch.cat((fed[:1], y[1:])))[0] for x, y in others])
    later = fed.index_put((torch.tensor(0), torch.tensor(-1)), torch.tensor(SPECIAL.unk))  # another last token
    padded = model(*(F.pad(tokens, (0, len(before)), value=SPECIAL.pad) for tokens in (source, fed)))
    numbers = {
        "others": float((shown[0] - before).abs().max()),
        "padding": float((padded[0, : len(before)] - before).abs().max()),
        "future": float((model(source, later)[0, :-1] - before[:-1]).abs().max()),
        "shaking": float(shown.std(0).mean() / before.std()),
    }
    model(*many)  # read last: what BatchNorm will use from now on
    return numbers


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, batches=BATCHES)
    pairs, longest = at.whole("pairs"), at.whole("longest")
    for task in TASKS:
        sequences = partial(reversals, 2 if task == "padded" else longest, longest)
        for kind in KINDS:
            name = f"{kind}_{task}"
            side = train_side("L17", name, at, seeds, partial(build, kind), sequences, pairs)
            side.add_to(runs, name, LEARNT)
            for run, seed, model in zip(runs, seeds, side.models, strict=True):
                generator = unseen_generator(seed)
                batches = [sequences(rows, generator) for rows in (*[pairs] * (1 + BATCHES), 300)]
                run |= {f"{name}_{what}": much for what, much in changes(model, batches).items()}
                run[f"{name}_right"] = accuracy(model, sequences(300, generator))
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """What the notes claim: LayerNorm takes its statistics from the sample itself, whatever the lengths; BatchNorm does
    not. How well a model learns is no part of that. Other sentences, or more padding, must leave the logits of a
    sentence as they were with LayerNorm (ROUNDING), and must change them with BatchNorm (SEEN), in every seed.

    With padding and without: holds. With padding alone: only if lengths differ. LayerNorm is changed as well, or
    BatchNorm in no seed: does not hold. BatchNorm in some seeds and not in others: undecided.
    """

    def most(task: str) -> float:
        return max(max(over_seeds(runs, f"layer_{task}_{what}")) for what in ("others", "padding"))

    def changed(task: str) -> list[bool]:
        return [number >= SEEN for number in over_seeds(runs, f"batch_{task}_others")]

    if any(most(task) > ROUNDING for task in TASKS) or not any(changed("padded")):
        return "does not hold"
    if not all(changed("padded")) or len(set(changed("even"))) > 1:
        return "undecided"
    return "holds" if all(changed("even")) else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    page, (changed, shaken) = figure(columns=2)
    labels = {
        "others": tr("other\nsentences", "换掉\n其他句子"),
        "padding": tr("more\npadding", "多补\n填充"),
        "future": tr("a later\ntoken", "换掉\n后面的词元"),
    }
    for index, (kind, name) in enumerate(KINDS.items()):
        for column, what in enumerate(labels):
            seen = [max(value, 1e-8) for value in over_seeds(runs, f"{kind}_padded_{what}")]  # 0 has no logarithm
            place = [column + (index - 0.5) / 3] * len(seen)
            changed.plot(place, seen, "os"[index], color=COLOURS[index], alpha=0.7, ms=6, label="" if column else name)
    changed.axhline(ROUNDING, color="grey", ls=":", lw=1)
    changed.set(yscale="log", ylabel=tr("change of the logits", "logits 的最大变化"), ylim=(1e-9, 1e3))
    changed.set_xticks(range(len(labels)), list(labels.values()))
    changed.legend(loc="upper center", ncols=2)
    tasks = {"padded": tr("padded", "有填充"), "even": tr("one length", "等长")}
    sides = {f"{kind}_{task}_shaking": f"{KINDS[kind]}\n{tasks[task]}" for task in tasks for kind in KINDS}
    points(shaken, list(sides.values()), [over_seeds(runs, side) for side in sides])
    shaken.set(ylabel=tr("shaken by the rest of the batch", "同批其他句子引起的波动"))
    return page


EXPERIMENT = Experiment("L17", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
