"""Where an output stands among phrases, one token at a time: the tree of their beginnings (Aho and Corasick 1975).

A node is a beginning of one phrase or several, and the longest that the last tokens spell. Where the next token leads
nowhere, `shorter` is the next longest that they spell. So a token costs the same however many phrases there are and
however much was said. Sets of phrases are the bits of a whole number.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attendo.decoding.options import LARGEST_BEAM

Phrase = tuple[int, ...]


@dataclass(frozen=True)
class PhraseProgress:
    """Where a hypothesis stands: how many tokens are missing, and which next ones make it fewer."""

    missing: int  # at most: phrases may overlap
    if_left: int  # the same, if the next token leaves the phrase that was begun
    going_on: tuple[int, ...]  # what continues a phrase that the last tokens began
    starts: tuple[int, ...]  # what begins a phrase that is missing

    @property
    def next_tokens(self) -> tuple[int, ...]:
        return self.going_on or self.starts


@dataclass(eq=False)
class Node:
    depth: int
    next: dict[int, "Node"] = field(default_factory=dict)
    begun: int = 0  # the phrases that begin like this
    unfinished: int = 0  # those of them that go on
    ended: int = 0  # the phrases that the last tokens have just ended
    shorter: "Node | None" = None  # None at the root alone


class Standing(NamedTuple):
    """Of one output: the node of its last tokens, which phrases it lacks, and how many tokens these have."""

    node: Node
    lacking: int
    tokens: int


class PhraseTree:
    """
    >>> tree = PhraseTree([(5, 6), (7,)])
    >>> tree.progress(tree.standing([9, 5]))
    PhraseProgress(missing=2, if_left=3, going_on=(6,), starts=(5, 7))
    """

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self.lengths = [len(phrase) for phrase in phrases]
        self.root = Node(0)
        for index, phrase in enumerate(phrases):
            node = self.root
            for token in phrase:
                node.unfinished |= 1 << index
                node = node.next.setdefault(token, Node(node.depth + 1))
                node.begun |= 1 << index
            node.ended |= 1 << index
        self.start = Standing(self.root, (1 << len(phrases)) - 1, sum(self.lengths))
        self.link()
        self.recent: dict[tuple[int, ...], Standing] = {}  # of outputs of which a search will ask the next token

    def link(self) -> None:
        """Shallow nodes first: the shorter one of each is known before it is needed."""
        waiting = deque([self.root])
        while waiting:
            node = waiting.popleft()
            for token, child in node.next.items():
                child.shorter = self.root if node is self.root else follow(node.shorter or self.root, token)
                child.ended |= child.shorter.ended
                waiting.append(child)

    def standing(self, output: Sequence[int]) -> Standing:
        """Where the output before it was asked for a step ago, at the cost of one token."""
        whole = tuple(output)
        if (known := self.recent.get(whole)) is not None:
            return known
        before = self.recent.get(whole[:-1])
        now, rest = (self.start, whole) if before is None else (before, whole[-1:])
        for token in rest:
            now = self.after(now, token)
        self.recent[whole] = now
        if len(self.recent) > 2 * LARGEST_BEAM:  # this step's and the last one's
            del self.recent[next(iter(self.recent))]
        return now

    def after(self, now: Standing, token: int) -> Standing:
        node = follow(now.node, token)
        said = now.lacking & node.ended
        tokens = now.tokens
        lacking = now.lacking ^ said
        while said:
            tokens -= self.lengths[said.bit_length() - 1]
            said ^= 1 << (said.bit_length() - 1)
        return Standing(node, lacking, tokens)

    def longest_begun(self, now: Standing) -> Node:
        """The node of the longest beginning that the last tokens are of a phrase that is missing; or the root."""
        node = now.node
        while node.shorter is not None and not node.unfinished & now.lacking:
            node = node.shorter
        return node

    def missing(self, now: Standing) -> int:
        """Tokens at most."""
        return now.tokens - self.longest_begun(now).depth

    def progress(self, now: Standing) -> PhraseProgress:
        begun = self.longest_begun(now)
        starts = continuing(self.root, now.lacking)
        going_on = continuing(begun, now.lacking) if begun.depth else ()
        return PhraseProgress(now.tokens - begun.depth, now.tokens, going_on, starts)


def follow(node: Node, token: int) -> Node:
    while True:
        if (child := node.next.get(token)) is not None:
            return child
        if node.shorter is None:
            return node
        node = node.shorter


def continuing(node: Node, lacking: int) -> tuple[int, ...]:
    return tuple(sorted(token for token, child in node.next.items() if child.begun & lacking))
