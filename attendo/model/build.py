"""A configuration becomes a model; the families are listed here and nowhere else."""

from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    ModelConfig,
    NonAutoregressiveConfig,
    RecurrentConfig,
    TransformerConfig,
)
from attendo.model.decoder_only import DecoderOnly
from attendo.model.encoder_only import EncoderOnly
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.parts import STANDARD, Parts
from attendo.model.recurrent import RecurrentSeq2Seq
from attendo.model.transformer import Transformer

Model = Transformer | NonAutoregressive | DecoderOnly | EncoderOnly | RecurrentSeq2Seq


def build_model(config: ModelConfig, parts: Parts = STANDARD) -> Model:
    """Random weights, drawn from torch's global generator: `torch.manual_seed` before this call fixes them."""
    match config:
        case TransformerConfig():
            return Transformer(config, parts)
        case NonAutoregressiveConfig():
            return NonAutoregressive(config, parts)
        case DecoderOnlyConfig():
            return DecoderOnly(config, parts)
        case EncoderOnlyConfig():
            return EncoderOnly(config, parts)
        case RecurrentConfig():
            return RecurrentSeq2Seq(config)
