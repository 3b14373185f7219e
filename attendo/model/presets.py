"""Configurations with a name. The vocabulary belongs to a tokenizer, so it is given; two presets have their own."""

from difflib import get_close_matches

from attendo.errors import UsageError
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, LSTMConfig, ModelConfig, TransformerConfig

PRESETS = ("tiny", "small", "base", "big", "deep-shallow", "multi30k", "llama-7b", "bert-base", "lstm")

PAPER_VOCABULARY = 37_000  # English-German in the paper (5.1)
PUBLISHED_VOCABULARY = {"llama-7b": 32_000, "bert-base": 30_522}


def preset(name: str, vocab_size: int | None = None) -> ModelConfig:
    """The configuration of that name; without a vocabulary size, the one the model was published with."""
    vocab = PUBLISHED_VOCABULARY.get(name, PAPER_VOCABULARY) if vocab_size is None else vocab_size
    match name:
        case "tiny":
            return TransformerConfig(
                vocab_size=vocab, d_model=256, d_ff=1024, num_heads=4, encoder_layers=6, decoder_layers=2
            )
        case "small":
            return TransformerConfig(vocab_size=vocab, d_model=512, d_ff=1024, num_heads=4)
        case "base":
            return TransformerConfig(vocab_size=vocab)
        case "big":
            return TransformerConfig(vocab_size=vocab, d_model=1024, d_ff=4096, num_heads=16, dropout=0.3)
        case "deep-shallow":
            return TransformerConfig(vocab_size=vocab, encoder_layers=12, decoder_layers=2)
        case "multi30k":  # Transformer-Tiny of Wu et al. 2021
            return TransformerConfig(
                vocab_size=vocab, d_model=128, d_ff=256, num_heads=4, encoder_layers=4, decoder_layers=4, dropout=0.3
            )
        case "llama-7b":
            return DecoderOnlyConfig(
                vocab_size=vocab,
                d_model=4096,
                d_ff=11_008,
                num_heads=32,
                num_layers=32,
                dropout=0.0,
            )
        case "bert-base":
            return EncoderOnlyConfig(
                vocab_size=vocab,
                d_model=768,
                d_ff=3072,
                num_heads=12,
                num_layers=12,
            )
        case "lstm":
            return LSTMConfig(vocab_size=vocab, d_model=512)
        case _:
            nearest = get_close_matches(name, PRESETS, n=1)
            hint = f"did you mean '{nearest[0]}'? " if nearest else ""
            raise UsageError(f"there is no preset '{name}'; {hint}known presets: {', '.join(PRESETS)}")
