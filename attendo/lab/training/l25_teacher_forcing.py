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
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import difference, interval, on_the_way, steps_until, unseen_generator, window_means
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, draw_rows
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model import masks
from attendo.model.decoder import LayerCache
from attendo.model.transformer import Transformer, TransformerState
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 12, 16)
LENGTH, SYMBOLS, FORCED_AT = 5, 8, 1  # the second token will be made wrong
TOY = toy_config(SYMBOLS, 32, 128, num_heads=2, tied_output=False)
SIDES = ("forced", "own")  # whose tokens it is fed while it learns
TASKS = ("counting", "reversal")
STEPS = by_size(5, 120, 1000)
WINDOW, LEARNT = 5, 0.5  # steps over which the loss is averaged; a loss at which most tokens are right
SLOWER, MUCH = 0.25, 0.1  # a quarter more steps; one more mistake in every ten of the later tokens


def sequences(task: str, pairs: int, generator: torch.Generator) -> Batch:
    """Reversal hangs on the source alone. Counting says how many ones there were, modulo 4, and can go on from what it
    said last: 0 1 1 1 1 -> 0 1 2 3 0."""
    rows = draw_rows(pairs, range(LENGTH, LENGTH + 1), 2 if task == "counting" else SYMBOLS, generator)
    if task == "reversal":
        return Batch.from_pairs([(row, row[::-1]) for row in rows])
    counts = [accumulate(symbol - FIRST_SYMBOL for symbol in row) for row in rows]
    return Batch.from_pairs([(row, [FIRST_SYMBOL + n % 4 for n in ns]) for row, ns in zip(rows, counts, strict=True)])


class FedItsOwn(Transformer):
    """While it learns, too, it is fed what it said itself, as in use. What it should say remains the right token."""

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
    """Greedy search, but at one position something wrong is said: the error rate at every position before </s>."""

    def choose(log_probs: Tensor, sentence: Tensor, step: int) -> Tensor:
        another = FIRST_SYMBOL + (batch.target_out[sentence, step] - FIRST_SYMBOL + 1) % 4
        return another if step == forced_at else log_probs.argmax(-1)

    steps = decode_one_by_one(model.eval(), batch.source, [LENGTH + 1] * len(batch.source), choose)
    outputs = [hypothesis.ids for hypothesis in gather_hypotheses(steps, len(batch.source))]
    return (padded([*outputs, [SPECIAL.pad] * (LENGTH + 1)])[:-1] != batch.target_out)[:, :-1].float().mean(0).tolist()


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for task in TASKS:
        for side in SIDES:
            name, models_of, batches = f"{task}_{side}", partial(build, side), partial(sequences, task)
            budgets = budgets_of("L25", name, at.size, STEPS[at.size], 32)
            models, losses, rate = train_tuned(models_of, batches, seeds, budgets, least=on_the_way)
            for run, seed, model, loss in zip(runs, seeds, models, losses.T, strict=True):
                test = sequences(task, 200, unseen_generator(seed))
                usual, after = (error_rates(model, test, forced_at) for forced_at in (None, FORCED_AT))
                rise = (sum(after[FORCED_AT + 1 :]) - sum(usual[FORCED_AT + 1 :])) / (LENGTH - FORCED_AT - 1)
                points = window_means(loss, WINDOW).tolist()
                run |= {f"{name}_loss": points, f"{name}_after": after, f"{name}_rise": rise}
                steps = steps_until(LEARNT, loss, WINDOW)
                run |= {f"{name}_steps": steps, f"{name}_right": 1 - sum(usual) / LENGTH, f"rate_{name}": rate}
        for run in runs:
            run[f"{task}_slower"] = run[f"{task}_own_steps"] / run[f"{task}_forced_steps"] - 1  # type: ignore[operator]
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """In counting, without teacher forcing it must take a quarter more steps, and of a model taught with it a mistake
    must spoil one in ten of the later tokens, or the claim does not hold. If both effects are shown to be smaller in
    reversal, it holds only if the next token hangs on those before."""
    slower, rise = ([over_seeds(runs, f"{task}_{what}") for task in TASKS] for what in ("slower", "forced_rise"))
    if interval(slower[0]).high < SLOWER or interval(rise[0]).high < MUCH:
        return "does not hold"
    if interval(slower[0]).low <= SLOWER or interval(rise[0]).low <= MUCH:
        return "undecided"
    return "holds only if" if difference(*slower).low > 0 and difference(*rise).low > 0 else "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    page, axes = figure(columns=2, rows=2, height=3.0)
    titles = {"counting": tr("counting", "计数"), "reversal": tr("reversal", "逆序")}
    labels = {"forced": tr("fed the right tokens", "喂真实标签"), "own": tr("fed its own", "喂自己的输出")}
    for above, below, (task, title) in zip(axes[:2], axes[2:], titles.items(), strict=True):
        for index, (side, label) in enumerate(labels.items()):
            losses, after = ([row(run, f"{task}_{side}_{what}") for run in runs] for what in ("loss", "after"))
            band(above, range(WINDOW, WINDOW * len(losses[0]) + 1, WINDOW), losses, label, index, markevery=4)
            band(below, range(1, LENGTH + 1), after, label, index)
        above.set(title=title, xlabel=tr("step", "训练步数"), ylabel=tr("training loss", "训练损失"), ylim=(0, None))
        below.set(xlabel=tr("place", "位置"), ylabel=tr("error rate", "错误率"), xticks=range(1, LENGTH + 1))
    axes[0].legend()
    return page


EXPERIMENT = Experiment("L25", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
