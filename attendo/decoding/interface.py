"""All that search knows of a model: start, feed a token and get the next logits, reorder.

The Transformer, the decoder-only model and the recurrent ones answer to these calls, so one search serves them all.
"""

from typing import Protocol, TypeVar

from torch import Tensor


class DecodingState(Protocol):
    def reorder(self, index: Tensor) -> None:
        """Row i becomes what row index[i] was; rows may repeat or be left out.

        A beam search gives index as [sentences, beams]: every line holds rows of one sentence, and the lines keep
        the order of the sentences, of which some may have left. The new rows stand line by line. A model may then
        keep what it read of a sentence once for all its beams.
        """


State = TypeVar("State", bound=DecodingState)


class AutoregressiveModel(Protocol[State]):
    def start_decoding(self, source: Tensor) -> State:
        """Read the source ids [batch, source], once."""

    def next_token_logits(self, tokens: Tensor, state: State) -> Tensor:
        """Feed the next tokens [batch, n], usually one; the logits of what follows the last: [batch, vocab]."""


class TeacherForcedModel(Protocol):
    def __call__(self, source: Tensor, target_in: Tensor) -> Tensor:
        """Source and target ids, [batch, source] and [batch, target] -> logits [batch, target, vocab]."""
