"""L18: without positions, shuffling the input shuffles the output, and nothing more; so order cannot be learnt."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure, points
from attendo.lab.tools.measuring import interval, unseen_generator
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model import masks
from attendo.model.config import Positions
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 8, 16)
KNOBS = (
    Knob("steps", by_size(2, 600, 1_500), 2, 100_000),
    Knob("length", by_size(5, 5, 5), 2, 12),  # of the sequence to be reversed
)
SYMBOLS = 8
TESTED = by_size(20, 1000, 4000)
LEARNT = 0.2  # a loss: a tenth of a random guess's, ln 8
ROUNDING, CHANGED = 1e-10, 1e-3  # of outputs of size 1
MARGIN = 0.02  # more than three standard errors of an accuracy over the tokens of 1000 test pairs


class LooksBack(Transformer):
    """Its encoder may only look back, as every decoder does."""

    def encode(self, source: Tensor, record: AttentionRecord | None = None, segments: Tensor | None = None) -> Tensor:
        x, rotation = self.embed(source, self.source_positions)
        return self.encoder(x, masks.causal(source.shape[1], source.shape[1], source.device), rotation=rotation)


KINDS: dict[str, tuple[type[Transformer], Positions]] = {
    "with": (Transformer, "sinusoidal"), "without": (Transformer, "none"), "masked": (LooksBack, "none"),
}  # fmt: skip


def build(name: str, seed: int) -> Transformer:
    kind, positions = KINDS[name]
    torch.manual_seed(seed)
    return kind(toy_config(SYMBOLS, 32, 64, num_heads=4, positions=positions))


def backwards(length: int, pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(length, length + 1), SYMBOLS, generator)


@torch.no_grad()
def shuffle_error(model: Transformer, seed: int) -> float:
    """Largest |encode(shuffled tokens) - shuffled encode(tokens)|, in double precision."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(4, 4 + SYMBOLS, (8, 20), generator=generator)
    order = torch.randperm(20, generator=generator)
    model = model.double().eval()
    return (model.encode(tokens[:, order]) - model.encode(tokens)[:, order]).abs().max().item()


def best_of_a_bag(batch: Batch) -> float:
    """The accuracy to expect of the best guess by one who knows which symbols the source has, not where."""
    hits = []
    for target in batch.target_out.tolist():
        left = target[: target.index(SPECIAL.eos)]
        for symbol in tuple(left):
            hits.append(max(Counter(left).values()) / len(left))
            left.remove(symbol)
        hits.append(1.0)  # </s>, when nothing is left
    return sum(hits) / len(hits)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    sequences = partial(backwards, at.whole("length"))
    tests = [sequences(TESTED[at.size], unseen_generator(seed)) for seed in seeds]
    runs = rows_to_fill(seeds)
    for name in KINDS:
        side = train_side("L18", name, at, seeds, partial(build, name), sequences, pairs=24)
        side.add_to(runs, name, LEARNT)
        for run, model, test, seed in zip(runs, side.models, tests, seeds, strict=True):
            run |= {"bag": best_of_a_bag(test), f"accuracy_{name}": accuracy(model, test)}
            run[f"shuffle_{name}"] = shuffle_error(model, seed)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Without positions: shuffles alike to 1e-10, and the toy is learnt no better than from a bag of symbols, though
    with positions it is. Only if: a causal mask alone, without positions, is better than the bag."""
    over_the_bag = {
        name: interval([number(run, f"accuracy_{name}") - number(run, "bag") - MARGIN for run in runs])
        for name in KINDS
    }
    if max(over_seeds(runs, "shuffle_without")) > ROUNDING or over_the_bag["without"].low > 0:
        return "does not hold"
    controls = over_the_bag["with"].low > 0 and min(over_seeds(runs, "shuffle_with")) > CHANGED
    if not controls or over_the_bag["without"].high > 0:
        return "undecided"
    if over_the_bag["masked"].low > 0 and min(over_seeds(runs, "shuffle_masked")) > CHANGED:
        return "holds only if"
    return "holds" if over_the_bag["masked"].high <= 0 else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2)
    labels = [tr("positions", "有位置编码"), tr("none", "无位置编码")]
    labels += [tr("none, but a\ncausal mask", "无位置编码，\n有因果掩码")]
    points(left, labels, [over_seeds(runs, f"accuracy_{name}") for name in KINDS])
    bag = interval(over_seeds(runs, "bag")).mean
    left.axhline(bag, color=COLOURS[6], ls="--", lw=1)
    guess = tr("knows which symbols,\nnot where", "只知有哪些符号，\n不知位置")
    left.text(0.5, bag - 0.03, guess, ha="center", va="top", fontsize=11)
    left.set(ylabel=tr("accuracy, reversal", "逆序任务的准确率"), ylim=(0, 1.05))
    points(right, labels, [over_seeds(runs, f"shuffle_{name}") for name in KINDS])
    right.set(ylabel=tr("change by shuffling", "打乱引起的差异"), yscale="log", ylim=(1e-17, 100))
    return picture


EXPERIMENT = Experiment("L18", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
