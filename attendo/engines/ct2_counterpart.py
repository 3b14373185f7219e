"""Which of our models CTranslate2 knows, how long their sentences may be there, and what their tokens are called.

Nothing heavy is imported here: this is all that is needed where the model was converted before.
"""

from attendo.engines.engine import Limits
from attendo.model.config import TransformerConfig
from attendo.special_tokens import SPECIAL

# Its table of positions has an end, and longer inputs are an error: so many must do.
POSITIONS = 2_048
NAMES = {SPECIAL.pad: "<pad>", SPECIAL.bos: "<s>", SPECIAL.eos: "</s>", SPECIAL.unk: "<unk>"}


def obstacle(config: object) -> str:
    """Why a model has no counterpart in CTranslate2; empty if it has one."""
    if isinstance(config, TransformerConfig):
        return ""
    return "only the encoder-decoder Transformer has a counterpart there"


def limits(config: TransformerConfig) -> Limits:
    """Half of the positions for the source: an answer may be longer."""
    positions = config.max_length if config.positions == "learned" else POSITIONS
    return Limits(min(positions, POSITIONS // 2), positions)


def token_names(vocab_size: int) -> list[str]:
    """It knows tokens by names. Ours have numbers, so their names are numbers, but for those it must recognise."""
    return [NAMES.get(token, str(token)) for token in range(vocab_size)]
