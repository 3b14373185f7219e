"""L9: how far apart the heads of a trained encoder look, and whether "it" looks at "animal" and at "tired"."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.default_model import build_untrained, compare, deal, default_model, encoder_maps, size_of
from attendo.lab.tools.hand_aligned import hand_aligned
from attendo.lab.tools.it_sentences import both_at_once, it_looks, it_pairs, of_pronouns, of_the_notes, toward
from attendo.lab.tools.measuring import difference

SEEDS = by_size(2, 6, 6)  # each has a part of the sentences for its own
KNOBS = (
    Knob("pairs", by_size(6, 40, 40), 6, 40),  # of Chinese and English, and of German and English
    # Of the weight: to "concentrate" on a word should mean several times an even share, here 1/16.
    Knob("focus", by_size(0.25, 0.25, 0.25), 0.01, 1),
)
IT_PAIRS = by_size(2, 12, 12)
STEADY = 2.0  # times: two heads should be further apart than one head is from itself on another sentence


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """For "it", a seed chooses its head by the pairs of the others, and tries it on its own."""
    model, tokenizer = default_model()
    pairs = [pair for of_language in hand_aligned().values() for pair in of_language[: at.whole("pairs")]]
    sides = list(dict.fromkeys(side for pair in pairs for side in (pair.source, pair.target)))  # each once
    its = it_pairs()[: IT_PAIRS[at.size]]
    looked = [it_looks(model, tokenizer, pair) for pair in its]
    moves = torch.stack([toward(weights) for weights, _ in looked])  # [pairs, heads]
    runs: list[Numbers] = []
    for seed, own_sides, own in zip(seeds, deal(sides, seeds), deal(range(len(its)), seeds), strict=True):
        numbers: dict[str, float | Sequence[float]] = {
            **size_of(model), "sentences": len(sides), "heads_per_layer": model.config.num_heads,
        }  # fmt: skip
        for name, one in (("trained", model), ("untrained", build_untrained(model, seed))):
            maps = [encoder_maps(one, tokenizer, side.text, side.language) for side in own_sides]
            numbers |= compare(maps, name)
        others = [index for index in range(len(its)) if index not in own]
        numbers |= {"moves": moves[own, moves[others].mean(0).argmax()].mean().item(), "its": len(its)}
        numbers |= {"both_share": sum(both_at_once(weights) >= at.real("focus") for weights, _ in looked) / len(looked)}
        runs.append(numbers | of_the_notes(looked[0][0]) | of_pronouns(its, [pronouns for _, pronouns in looked]))
    return runs


def judge(runs: Runs) -> Verdict:
    """Heads attend to different positions if their maps are further apart than an untrained model's, and their profiles
    more than STEADY times as far as those of one head on two sentences. The notes' picture is there if, in their
    sentence, one head gives `focus` of the weight of "it" to "animal" and another gives as much to "tired".

    Both: holds. Only the first: only if. Not the first: does not hold. Where an interval straddles: undecided. (Whether
    a head finds out what "it" is, is more than the notes say: told on the page, and judged nowhere.)
    """
    further = difference(over_seeds(runs, "trained_maps"), over_seeds(runs, "untrained_maps"))
    steady = difference(
        over_seeds(runs, "trained_heads"), [STEADY * each for each in over_seeds(runs, "trained_sentences")]
    )
    if min(further.high, steady.high) < 0:
        return "does not hold"
    if min(further.low, steady.low) <= 0:
        return "undecided"
    return "holds" if number(runs[0], "both") >= number(runs[0], "focus") else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    """Left, the notes' picture. Right, what is missing from it: with "wide" for "tired" it should change."""
    picture, (heads, words) = figure(2, width=6.4, height=4.8)
    run, focus = runs[0], number(runs[0], "focus")
    animal, tired = row(run, "tired_animal_by_head"), row(run, "tired_tired_by_head")
    for line in (heads.axvline, heads.axhline):
        line(focus, color="grey", ls=":")
    heads.plot(animal, tired, "o", color=COLOURS[0], ms=8, alpha=0.7, mew=0)
    for index, at in enumerate(zip(animal, tired, strict=True)):
        if max(at) >= focus:
            layer, head = (int(each) + 1 for each in divmod(index, number(run, "heads_per_layer")))
            heads.annotate(tr(f"layer {layer}, head {head}", f"第 {layer} 层第 {head} 头"), at, (8, 5),
                           textcoords="offset points", fontsize=11)  # fmt: skip
    most = 1.45 * max(*animal, *tired, focus)
    heads.set(
        xlim=(-0.02, most), ylim=(-0.02, most), title=tr("every head, … it was too tired", "每个头，… it was too tired")
    )
    heads.set(xlabel=tr("weight from it to animal", "it 对 animal 的权重"), ylabel=tr("to tired", "it 对 tired 的权重"))
    for index, last in enumerate(("tired", "wide")):
        most_of = [number(run, f"{last}_{noun}") for noun in ("animal", "street")]
        places = [noun + 0.4 * index - 0.2 for noun in range(2)]
        words.bar(places, most_of, 0.36, color=COLOURS[index], alpha=0.8, label=f"… it was too {last}")
        for x, weight in zip(places, most_of, strict=True):
            words.text(x, weight, f"{weight:.2f}", ha="center", va="bottom", fontsize=14)
    words.set_xticks(range(2), ["it → animal", "it → street"])
    words.set(ylim=(0, 1.5 * max(most_of)), title=tr("the most that any head gives", "所有头中的最大权重"))
    words.grid(visible=False, axis="x")
    words.legend(loc="upper right")
    return picture


EXPERIMENT = Experiment("L9", measure, judge, draw, KNOBS, SEEDS)
