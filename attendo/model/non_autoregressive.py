"""A Transformer that says all words at once, for comparison with the one that says them in turn.

An autoregressive decoder must not see what comes later, because it has not been said yet. Here the whole target stands
before the decoder from the beginning, its unknown words as MASK, and every position sees all others. The price: words
are guessed side by side, none knowing what its neighbours are going to be. (Gu et al. 2018; this is the conditional
masked language model of Ghazvininejad et al. 2019.)

    p(hidden words of y | x, the others) = p(n | x) · Π_i p(y_i | x, n, the others)

The places must be there before anything is said, so their number n is guessed, too, from the source.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor, nn

from attendo.model import masks
from attendo.model.cache import KeysValues, MemoryCache
from attendo.model.config import FURTHEST, NUM_LENGTHS, NonAutoregressiveConfig
from attendo.model.embeddings import check_same_batch
from attendo.model.parts import STANDARD, Parts
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SHORTEST = 2  # tokens of a target that is guessed: a word and </s>


class NothingKept:
    """Self-attention: in the next pass any place may hold another word."""

    def fetch(self, compute: Callable[[], KeysValues]) -> KeysValues:
        return compute()


@dataclass
class SourceCache:
    """Of what a layer sees, only the source is the same in every pass over the target."""

    past: NothingKept = field(default_factory=NothingKept)
    memory: MemoryCache = field(default_factory=MemoryCache)


@dataclass(frozen=True)
class ReadSource:
    """The encoder has run; it never runs again."""

    memory: Tensor  # [batch, source, d_model]
    is_real: Tensor  # [batch, 1, 1, source]
    caches: list[SourceCache]


class NonAutoregressive(nn.Module):
    """source ids [batch, source], target ids [batch, target] -> logits [batch, target, vocab], [batch, NUM_LENGTHS].

    The second are those of the length. In the target stands MASK where a word is hidden, </s> at its end, and padding
    after it. All parts are the Transformer's; what is new is the length, and what is gone is the causal mask.
    """

    def __init__(self, config: NonAutoregressiveConfig, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.config = config
        self.parts = Transformer(config.of_parts(), parts)
        self.length = nn.Linear(config.d_model, NUM_LENGTHS)

    def forward(self, source: Tensor, target: Tensor, record: AttentionRecord | None = None) -> tuple[Tensor, Tensor]:
        check_same_batch(source, target)
        read = self.read(source, record)
        return self.guess(target, read, record), self.length_logits(read)

    def read(self, source: Tensor, record: AttentionRecord | None = None) -> ReadSource:
        return ReadSource(self.parts.encode(source, record), masks.real(source, SPECIAL.pad), self.empty_caches())

    def empty_caches(self) -> list[SourceCache]:
        return [SourceCache() for _ in self.parts.decoder.layers]

    def guess(self, target: Tensor, read: ReadSource, record: AttentionRecord | None = None) -> Tensor:
        """Logits of every place of the target. It may have several rows for each source, side by side."""
        x, rotation = self.parts.embed(target, self.parts.target_positions)
        sees = masks.real(target, SPECIAL.pad)  # all of the target: nothing causal here
        x = self.parts.decoder(x, read.memory, sees, read.is_real, rotation=rotation, caches=read.caches, record=record)
        return self.parts.output(x)

    def length_logits(self, read: ReadSource) -> Tensor:
        """From the mean of the memory, over the tokens that are there."""
        real = read.is_real[:, 0, 0, :, None]
        mean = (read.memory * real).sum(1) / real.sum(1).clamp(min=1)
        return self.length(mean)

    def lengths_of(self, classes: Tensor, read: ReadSource) -> Tensor:
        """Classes [batch, n] for these sources -> tokens of the target, </s> included. `length_class` backwards."""
        longest = self.config.max_length if self.config.positions == "learned" else None
        return (read.is_real[:, 0, 0].sum(1, keepdim=True) + classes - FURTHEST).clamp(SHORTEST, longest)


def length_class(source: Tensor, target: Tensor) -> Tensor:
    """The class of the true length: how much longer than its source the target is, from the shortest on. [batch]"""
    longer = (target != SPECIAL.pad).sum(1) - (source != SPECIAL.pad).sum(1)
    return longer.clamp(-FURTHEST, FURTHEST) + FURTHEST
