"""What a fast GPU would wait for: an epoch that is planned, and batches put together from many corpora.

python -m benchmarks.feeding                    7 million examples of 70 corpora that are drawn 186 times
python -m benchmarks.feeding --pairs 20000      a small try

No model and no GPU: corpora are synthetic, their ids lie in memory. Seconds are those of the process, so that others on
the same cores disturb them less.
"""

import argparse
import resource
import statistics
import time

import numpy as np

from attendo.data.batches import Batches, WeightedCorpus
from attendo.data.encoded import EncodedSide
from benchmarks.machine import describe_machine

VOCABULARY, MEAN, SIGMA = 16_000, 24, 0.5  # ids, tokens of a sentence, and how lengths spread (log-normal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=7_000_000, help="examples of an epoch")
    parser.add_argument("--corpora", type=int, default=70)
    parser.add_argument("--drawn", type=int, default=186, help="weighted corpora: directions of the same sides")
    parser.add_argument("--tokens", type=int, default=25_000, help="of a batch")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batches", type=int, default=200, help="put together in each epoch")
    parser.add_argument("--single", action="store_true", help="one pair a row, not packed")
    options = parser.parse_args()
    corpora = synthetic(options.corpora, options.drawn, options.pairs)
    batches = Batches(corpora, options.tokens, seed=1, packed=not options.single)
    planning, assembling, first = [], [], 0.0
    for number in range(1, options.epochs + 1):
        start = time.process_time()
        epoch = batches.epoch(number)
        planning.append(time.process_time() - start)
        start = time.process_time()
        epoch.assemble(epoch.plan[0])
        first = max(first, time.process_time() - start)
        for planned in epoch.plan[1 : options.batches + 1]:
            start = time.process_time()
            epoch.assemble(planned)
            assembling.append(time.process_time() - start)
    deciles = statistics.quantiles(assembling, n=10)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"<!-- python -m benchmarks.feeding; {describe_machine()} -->")
    print(f"examples of an epoch            {sum(len(one) for one in corpora):,} of {len(corpora)} weighted corpora")
    print(f"planning an epoch               {', '.join(f'{seconds:.2f}' for seconds in planning)} s")
    print(f"the first batch of an epoch     {1_000 * first:.1f} ms at most")
    print(f"a batch put together, median    {1_000 * statistics.median(assembling):.2f} ms")
    print(f"the middle 80 %                 {1_000 * deciles[0]:.2f}-{1_000 * deciles[-1]:.2f} ms")
    print(f"peak memory of the process      {memory:.1f} GiB")


def synthetic(count: int, drawn: int, pairs: int) -> list[WeightedCorpus]:
    """Sizes fall as 1/n, as those of real collections do; the n-th weighted corpus draws from corpus n modulo `count`,
    every second time round with the sides exchanged."""
    rng = np.random.default_rng(1)
    shares = np.array([1 / (1 + index % count) for index in range(drawn)])
    sizes = np.maximum(1, pairs * shares[:count] / shares.sum()).astype(np.int64)
    sides = [two_sides(int(size), rng) for size in sizes]
    corpora = []
    for index in range(drawn):
        turned = index // count % 2
        source, target = sides[index % count][:: -1 if turned else 1]
        corpora.append(WeightedCorpus(source, target, tag=5 + turned))
    return corpora


def two_sides(pairs: int, rng: np.random.Generator) -> list[EncodedSide]:
    length = rng.lognormal(np.log(MEAN) - SIGMA**2 / 2, SIGMA, pairs)
    lengths = [np.clip(np.round(length * rng.uniform(0.85, 1.15, pairs)), 1, 128).astype(np.int64) for _ in range(2)]
    return [
        EncodedSide(rng.integers(300, VOCABULARY, each.sum(), dtype=np.uint16), np.concatenate(([0], np.cumsum(each))))
        for each in lengths
    ]


if __name__ == "__main__":
    main()
