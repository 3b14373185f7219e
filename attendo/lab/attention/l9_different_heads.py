"""L9: how far apart the heads of a trained encoder look, and whether one of them finds out what "it" is."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure
from attendo.lab.tools.default_model import WHERE, build_untrained, compare, deal, default_model, encoder_maps, size_of
from attendo.lab.tools.hand_aligned import hand_aligned
from attendo.lab.tools.it_sentences import both_at_once, it_looks, it_pairs, of_pronouns, of_the_notes, toward
from attendo.lab.tools.measuring import difference, interval

SEEDS = by_size(2, 6, 6)  # each has a part of the sentences for its own
PAIRS = by_size(2, 40, 40)  # of Chinese and English, and of German and English
IT_PAIRS = by_size(2, 12, 12)
STEADY = 2.0  # times: two heads should be further apart than one head is from itself on another sentence
FOCUS = 0.25  # of the weight: to "concentrate" on a word should mean several times an even share, here 1/16
MOVES = 0.1  # of the weight: so much more should the right noun get than the wrong one


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """For "it", a seed chooses its head by the pairs of the others, and tries it on its own."""
    model, tokenizer = default_model()
    pairs = [pair for of_language in hand_aligned().values() for pair in of_language[: PAIRS[at.size]]]
    sides = list(dict.fromkeys(side for pair in pairs for side in (pair.source, pair.target)))  # each once
    its = it_pairs()[: IT_PAIRS[at.size]]
    looked = [it_looks(model, tokenizer, pair) for pair in its]
    moves = torch.stack([toward(weights) for weights, _ in looked])  # [pairs, heads]
    runs: list[Numbers] = []
    for seed, own_sides, own in zip(seeds, deal(sides, seeds), deal(range(len(its)), seeds), strict=True):
        numbers: dict[str, float | Sequence[float]] = {**size_of(model), "sentences": len(sides)}
        for name, one in (("trained", model), ("untrained", build_untrained(model, seed))):
            maps = [encoder_maps(one, tokenizer, side.text, side.language) for side in own_sides]
            numbers |= compare(maps, name)
        others = [index for index in range(len(its)) if index not in own]
        numbers |= {"moves": moves[own, moves[others].mean(0).argmax()].mean().item(), "its": len(its)}
        numbers |= {"both_share": sum(both_at_once(weights) > FOCUS for weights, _ in looked) / len(looked)}
        runs.append(numbers | of_the_notes(looked[0][0]) | of_pronouns(its, [pronouns for _, pronouns in looked]))
    return runs


def judge(runs: Runs) -> Verdict:
    """Heads differ if their maps are further apart than an untrained model's, and their profiles more than STEADY times
    as far as those of one head on two sentences. A head finds out what "it" is if in the notes' sentence one head gives
    FOCUS to the animal and another to "tired", and over all pairs one gives MOVES more to the right noun than to the
    wrong one.

    Both: holds. Only the first: only if. Not the first: does not hold. Where an interval straddles: undecided.
    """
    further = difference(over_seeds(runs, "trained_maps"), over_seeds(runs, "untrained_maps"))
    steady = difference(
        over_seeds(runs, "trained_heads"), [STEADY * each for each in over_seeds(runs, "trained_sentences")]
    )
    moves = interval(over_seeds(runs, "moves"))
    if min(further.high, steady.high) < 0:
        return "does not hold"
    if min(further.low, steady.low) <= 0:
        return "undecided"
    if number(runs[0], "both") < FOCUS or moves.high < MOVES:
        return "holds only if"
    return "holds" if moves.low > MOVES else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (apart, profiles, it) = figure(3, width=4.6)
    curves = {
        "trained_heads": tr("two heads", "两个头之间"),
        "trained_sentences": tr("one head, two sentences", "同一个头，两个句子"),
        "untrained_heads": tr("two heads, untrained", "两个头，未训练"),
    }
    layers = [float(layer) for layer in range(1, 1 + len(row(runs[0], "trained_heads_by_layer")))]
    for index, (name, label) in enumerate(curves.items()):
        band(apart, layers, [row(run, f"{name}_by_layer") for run in runs], label, index)
    apart.set(xlabel=tr("layer", "层"), ylabel=tr("distance in bits", "距离（比特）"), ylim=(0, None))
    apart.legend(ncols=2, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1))

    names = tr("tag,</s>,itself,before,behind,elsewhere", "语言标记,</s>,自身,前一个,后一个,别处").split(",")
    below = [0.0] * len(row(runs[0], "trained_tag"))
    for where, label, colour in zip(WHERE, names, (*COLOURS[:5], "lightgrey"), strict=True):
        shares = [interval(each).mean for each in zip(*(row(run, f"trained_{where}") for run in runs), strict=True)]
        profiles.bar(range(1, 1 + len(below)), shares, 0.9, below, color=colour, label=label)
        below = [one + other for one, other in zip(below, shares, strict=True)]
    profiles.legend(ncols=3, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1))
    profiles.set(
        xlim=(0.5, len(below) + 0.5),
        xlabel=tr("head, layer by layer", "头（按层排列）"),
        ylabel=tr("share of its attention", "注意力的份额"),
    )

    rows = [(last, word) for last in ("tired", "wide") for word in ("animal", "street", last)]
    seen = it.imshow(
        [row(runs[0], f"{last}_{word}_by_head") for last, word in rows],
        aspect="auto",
        extent=(0.5, len(below) + 0.5, 5.5, -0.5),
    )
    it.set_yticks(range(6), [f"it → {word}" for _, word in rows])
    it.set(xlabel=profiles.get_xlabel(), title="… too tired  /  … too wide")
    it.axhline(2.5, color="white", lw=2)
    it.grid(visible=False)
    picture.colorbar(seen, ax=it, label=tr("weight", "权重"))
    return picture


EXPERIMENT = Experiment("L9", measure, judge, draw, (), SEEDS)
