"""Words cut by hand into their morphemes, and how well a tokenizer's cuts agree with them."""

import math
from collections.abc import Callable, Iterable, Sequence

# Only words whose morphemes stand side by side unchanged (hope|ful, but not hop|ing).
MARKED = """
un|help|ful un|friend|ly un|break|able un|clear un|even|ly re|build re|open|ed re|start|ing re|think re|play|ed
mis|lead|ing mis|understand mis|count|ed dis|agree dis|trust|ful dis|order|ly over|look|ed over|work|ed
out|number|ed under|ground fore|see|ing pre|view|s pre|heat|ed non|sense inter|act|ion sub|way in|direct|ly
im|perfect im|patient|ly care|less|ness hope|ful|ly thank|ful use|less|ly end|less|ly kind|ness dark|ness sad|ness
weak|ness|es friend|ship lead|er|ship child|hood neighbour|hood king|dom free|dom teach|er|s farm|er|s paint|er|s
play|er|s sing|ing jump|ed walk|ing cook|ed help|er wash|able read|able enjoy|able enjoy|ment move|ment govern|ment
treat|ment|s slow|ly quick|ly loud|er tall|est fast|est black|bird snow|ball foot|ball sun|light rain|coat book|shop
water|fall class|room home|work
"""
WORDS = MARKED.split()


def ends(pieces: Iterable[str]) -> set[int]:
    """Where pieces meet: un|help|ful -> {2, 6}."""
    places, at = [], 0
    for piece in pieces:
        at += len(piece)
        places.append(at)
    return set(places[:-1])


def agreement(cut: Callable[[str], list[str]], words: Iterable[str]) -> tuple[float, float, float]:
    """Of all cuts inside the words: the share on a morpheme's edge, the same for random cuts, and how likely those are
    to do as well as that. Random: in each word as many cuts as there were, all places inside it equally likely."""
    hits, cuts, by_chance = 0, 0, [1.0]  # by_chance[n]: the probability of n hits in all words so far
    for marked in words:
        word, edges, pieces = marked.replace("|", ""), ends(marked.split("|")), cut(marked.replace("|", ""))
        if "".join(pieces) != word:
            continue  # a character it does not know, and so has no place for
        found = ends(pieces) - {0}
        hits, cuts = hits + len(found & edges), cuts + len(found)
        by_chance = convolved(by_chance, hypergeometric(len(word) - 1, len(edges), len(found)))
    expected = sum(n * p for n, p in enumerate(by_chance))
    return hits / max(1, cuts), expected / max(1, cuts), min(1.0, sum(by_chance[hits:]))


def hypergeometric(places: int, edges: int, cuts: int) -> list[float]:
    """The probability of 0, 1, 2, … hits when `cuts` different places are drawn."""
    ways = math.comb(places, cuts)
    return [math.comb(edges, n) * math.comb(places - edges, cuts - n) / ways for n in range(min(edges, cuts) + 1)]


def convolved(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The law of the sum of two independent counts."""
    total = [0.0] * (len(first) + len(second) - 1)
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            total[i + j] += p * q
    return total
