"""How often would --quick say what the stored full run says? Quick runs, dealt from the seeds of the full ones.

python -m benchmarks.lab_subsets                 all claims with toy models that have a stored full run
python -m benchmarks.lab_subsets L22 L23         some of them

A quick run has fewer seeds, and no runs with half the steps. As many seeds as it has are dealt from the full run in two
ways, and judged: without putting back (no seed twice), and with putting back. The second tells more where quick has
most of the seeds of the full run, which then agree with themselves. Nothing is trained: it takes a minute.

What cannot be seen that way is a difference in the knobs, so it is named: benchmarks/lab_agreement.py measures.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence

from attendo.lab.claim import Experiment, Numbers, Runs
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.run import from_stored
from attendo.lab.tools.evidence import stored_path

DEALT = 200  # quick runs, each way
ENOUGH = 0.95  # of them should agree


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("claims", nargs="*", metavar="ID")
    asked = options.parse_args()
    trained = [name for name, one in EXPERIMENTS.items() if one.evidence == "trained" and stored_path(name).exists()]
    print(f"{'claim':6} {'full run':14} seeds   agree: no seed twice, put back   other verdicts; knobs")
    for name in asked.claims or trained:
        print(line_about(EXPERIMENTS[name]), flush=True)


def line_about(experiment: Experiment) -> str:
    full = from_stored(experiment)
    seeds = min(experiment.seeds["quick"], len(full.runs))
    as_quick = [without_halves(run) for run in full.runs]
    dealt = {again: Counter(map(experiment.judge, deal(as_quick, seeds, again))) for again in (False, True)}
    shares = [found[full.verdict] / found.total() for found in dealt.values()]
    others = Counter({verdict: count for verdict, count in dealt[True].items() if verdict != full.verdict})
    notes = [f"{verdict} {count / DEALT:.0%}" for verdict, count in others.most_common()]
    notes += [f"{name} {quick} not {at_full}" for name, quick, at_full in other_knobs(experiment)]
    mark = " " if min(shares) >= ENOUGH else "!"
    count = f"{seeds} of {len(full.runs)}"
    return (
        f"{experiment.id:5}{mark} {full.verdict:14} {count:8} {shares[0]:18.0%} {shares[1]:9.0%}   {'; '.join(notes)}"
    )


def without_halves(run: Numbers) -> Numbers:
    """Of a quick run nobody knows where half the steps would have ended."""
    return {name: value for name, value in run.items() if not name.endswith("_half")}


def deal(runs: Runs, seeds: int, put_back: bool) -> Iterator[Sequence[Numbers]]:
    chance = random.Random(0)
    for _ in range(DEALT):
        yield chance.choices(runs, k=seeds) if put_back else chance.sample(runs, seeds)


def other_knobs(experiment: Experiment) -> list[tuple[str, object, object]]:
    """Those whose ends are not the same in quick: only these may lead it elsewhere. Name, quick, full."""

    def ends(value: object) -> object:
        return (min(value), max(value)) if isinstance(value, tuple) else value

    sizes = [(knob.name, ends(knob.values["quick"]), ends(knob.values["full"])) for knob in experiment.knobs]
    return [(name, quick, full) for name, quick, full in sizes if quick != full]


if __name__ == "__main__":
    main()
