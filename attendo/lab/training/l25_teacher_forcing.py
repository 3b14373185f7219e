"""L25: a decoder fed the right tokens while it learns, and one fed its own; then a mistake is forced on both."""

from collections.abc import Sequence
from functools import partial
from itertools import accumulate

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch, padded
from attendo.decoding.greedy import decode_one_by_one, gather_hypotheses
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, points
from attendo.lab.tools.measuring import curve, curve_steps, interval, log_ratio, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, draw_rows
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model import masks
from attendo.model.decoder import LayerCache
from attendo.model.transformer import Transformer, TransformerState
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 6, 16)
KNOBS = (
    Knob("steps", by_size(5, 600, 2_000), 2, 20_000),
    Knob("length", by_size(5, 8, 8), 5, 16),  # of a sequence
    Knob("mistake", by_size(2, 2, 2), 1, 4),  # the token of the output that will be made wrong
)
SYMBOLS = 8
TOY = toy_config(SYMBOLS, 32, 128, num_heads=2, tied_output=False)
SIDES = ("forced", "own")  # whose tokens it is fed while it learns
TASKS = ("counting", "reversal")
LEARNT = 0.2  # a loss: about a tenth of a random guess's
POINTS = 25  # of a curve
SOONER = 1.1  # times as many steps
PRICE = 0.05  # of the later tokens: one more mistake in twenty


def sequences(task: str, length: int, pairs: int, generator: torch.Generator) -> Batch:
    """Reversal depends on the source alone. Counting gives the number of ones so far, modulo 4, and can go on from the
    last number given: 0 1 1 1 1 -> 0 1 2 3 0."""
    rows = draw_rows(pairs, range(length, length + 1), 2 if task == "counting" else SYMBOLS, generator)
    if task == "reversal":
        return Batch.from_pairs([(row, row[::-1]) for row in rows])
    counts = [accumulate(symbol - FIRST_SYMBOL for symbol in row) for row in rows]
    return Batch.from_pairs([(row, [FIRST_SYMBOL + n % 4 for n in ns]) for row, ns in zip(rows, counts, strict=True)])


class FedItsOwn(Transformer):
    """While it learns, too, it is fed its own output, as in use. The answer it should give remains the right token."""

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:  # type: ignore[override]
        with torch.no_grad():
            state = TransformerState(self.encode(source), masks.real(source, SPECIAL.pad), [LayerCache()])  # one layer
            fed = [target_in[:, :1]]  # <s>
            for _ in range(target_in.shape[1] - 1):
                fed.append(self.next_token_logits(fed[-1], state).argmax(-1, keepdim=True))
        return super().forward(source, torch.cat(fed, dim=1))


def build(side: str, seed: int) -> Transformer:
    return FedItsOwn(TOY) if side == "own" else Transformer(TOY)


def error_rates(model: Transformer, batch: Batch, forced_at: int | None) -> list[float]:
    """Greedy search, but at one position the token is made wrong: the error rate at every position before </s>."""

    def choose(log_probs: Tensor, sentence: Tensor, step: int) -> Tensor:
        another = FIRST_SYMBOL + (batch.target_out[sentence, step] - FIRST_SYMBOL + 1) % 4
        return another if step == forced_at else log_probs.argmax(-1)

    count, longest = batch.target_out.shape  # with </s>
    steps = decode_one_by_one(model.eval(), batch.source, [longest] * count, choose)
    outputs = [hypothesis.ids for hypothesis in gather_hypotheses(steps, count)]
    return (padded([*outputs, [SPECIAL.pad] * longest])[:-1] != batch.target_out)[:, :-1].float().mean(0).tolist()


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, step=curve_steps(at.whole("steps"), POINTS))
    length, forced_at = at.whole("length"), at.whole("mistake") - 1
    for task in TASKS:
        for side in SIDES:
            name, batches = f"{task}_{side}", partial(sequences, task, length)
            trained = train_side("L25", name, at, seeds, partial(build, side), batches, pairs=32)
            trained.add_to(runs, name, LEARNT)
            for run, seed, model, losses in zip(runs, seeds, trained.models, trained.losses.T, strict=True):
                test = batches(200, unseen_generator(seed))
                usual, after = (error_rates(model, test, at_place) for at_place in (None, forced_at))
                rise = (sum(after[forced_at + 1 :]) - sum(usual[forced_at + 1 :])) / (length - forced_at - 1)
                run |= {f"{name}_curve": curve(losses, POINTS), f"{name}_after": after, f"{name}_rise": rise}
                run[f"{name}_right"] = 1 - sum(usual) / length
        for run in runs:
            run[f"{task}_times"] = run[f"{task}_own_learnt"] / run[f"{task}_forced_learnt"]  # type: ignore[operator]
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """In each task two things, each with its limit: fed its own tokens the model takes SOONER times the steps
    until learnt (geometric mean); and at the end a mistake makes PRICE more of the later tokens wrong in a model taught
    with the right ones. An effect is there if its interval lies above the limit: a smaller one is not an absent one.

    All four there: holds. Both in counting, but one in reversal clearly not: only if. One in counting clearly not: does
    not hold. Undecided where intervals straddle the limits that matter, or where teacher forcing itself does not learn.
    """
    there: dict[str, list[bool]] = {}
    absent: dict[str, list[bool]] = {}
    for task in TASKS:
        if sum(over_seeds(runs, f"{task}_forced_failed")) > len(runs) / 4:
            return "undecided"
        _, low, high = log_ratio(*(over_seeds(runs, f"{task}_{side}_learnt") for side in ("own", "forced")))
        rise = interval(over_seeds(runs, f"{task}_forced_rise"))
        there[task] = [low > SOONER, rise.low > PRICE]
        absent[task] = [high < SOONER, rise.high < PRICE]
    if any(absent["counting"]):
        return "does not hold"
    if not all(there["counting"]) or not (all(there["reversal"]) or any(absent["reversal"])):
        return "undecided"
    return "holds" if all(there["reversal"]) else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    page, axes = figure(columns=2, rows=2, height=3.5)
    titles = {"counting": tr("counting", "计数"), "reversal": tr("reversal", "逆序")}
    labels = {"forced": tr("fed the right tokens", "输入真实标签"), "own": tr("fed its own output", "输入自己的输出")}
    for above, below, (task, title) in zip(axes[:2], axes[2:], titles.items(), strict=True):
        for index, (side, label) in enumerate(labels.items()):
            band(above, row(runs[0], "step"), [row(run, f"{task}_{side}_curve") for run in runs], label, index)
        above.axhline(LEARNT, color=COLOURS[6], ls=":", lw=1)
        above.set(title=title, xlabel=tr("training step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
        points(below, list(labels.values()), [over_seeds(runs, f"{task}_{side}_rise") for side in SIDES])
        below.set(ylabel=tr("more mistakes after one", "出错后错误率的上升"), ylim=(-0.05, 1))
    axes[0].legend(fontsize=11)
    return page


EXPERIMENT = Experiment("L25", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
