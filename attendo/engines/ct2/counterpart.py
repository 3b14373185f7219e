"""Which of our models CTranslate2 knows, and how long their sentences may be there.

Nothing heavy is imported here: this is all that is needed where the model was converted before.
"""

from attendo.engines.engine import Limits
from attendo.model.config import TransformerConfig

# Its table of positions has an end, and longer inputs are an error: so many must do.
POSITIONS = 2_048


def obstacle(config: object) -> str:
    """Why a model has no counterpart in CTranslate2; empty if it has one."""
    if isinstance(config, TransformerConfig):
        return ""
    return "only the encoder-decoder Transformer has a counterpart there"


def limits(config: TransformerConfig) -> Limits:
    """Half of the positions for the source: an answer may be longer."""
    positions = config.max_length if config.positions == "learned" else POSITIONS
    return Limits(min(positions, POSITIONS // 2), positions)
