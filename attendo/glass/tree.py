"""The tree of a search: every continuation that was looked at, the losers, too."""

from dataclasses import dataclass
from math import exp

from attendo.decoding.hypothesis import Hypothesis


@dataclass(frozen=True)
class SearchNode:
    """A piece after the pieces of its parent. Node 0 is <s>, before the first step."""

    id: int  # its index among the nodes
    parent: int | None
    step: int  # from 1: how many pieces there are up to here; 0 for the root
    piece: int  # its id in the vocabulary
    log_prob: float  # of this piece
    total: float  # of all pieces up to here: what continuations compete by
    score: float  # total / length^α: what hypotheses that have ended compete by
    rank: int  # among the continuations of this step, from 1
    kept: bool  # it goes on, or has ended and counts
    ended: bool  # by </s>, or cut at the maximum length

    @property
    def probability(self) -> float:
        return exp(self.log_prob)


@dataclass(frozen=True)
class SearchTree:
    """`finished` are the ids of the nodes that have ended and count, the best first."""

    nodes: tuple[SearchNode, ...]
    finished: tuple[int, ...]

    @property
    def best(self) -> Hypothesis:
        return self.hypothesis(self.finished[0])

    def path(self, node: int) -> list[SearchNode]:
        """From the first piece to this one; the root is left out."""
        found = []
        one = self.nodes[node]
        while one.parent is not None:
            found.append(one)
            one = self.nodes[one.parent]
        return found[::-1]

    def hypothesis(self, node: int) -> Hypothesis:
        path = self.path(node)
        pieces, log_probs = tuple(one.piece for one in path), tuple(one.log_prob for one in path)
        return Hypothesis(pieces, sum(log_probs), self.nodes[node].score, log_probs)

    def at_step(self, step: int) -> list[SearchNode]:
        """The continuations of one step, by their ranks."""
        return [one for one in self.nodes if one.step == step]
