"""Configurations with a name. The vocabulary belongs to a tokenizer, so it is given; Llama and BERT have their own."""

from difflib import get_close_matches

from attendo.errors import UsageError
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    ModelConfig,
    NonAutoregressiveConfig,
    RecurrentConfig,
    TransformerConfig,
)

PRESETS = (
    "tiny", "small", "base", "big", "deep-shallow", "multi30k", "llama-7b", "llama-13b", "llama-30b", "llama-65b",
    "llama-2-70b", "bert-base", "lstm", "gru", "rnn", "non-autoregressive",
)  # fmt: skip

PAPER_VOCABULARY = 37_000  # English-German in the paper (5.1)
PUBLISHED_VOCABULARY = {
    **{name: 32_000 for name in PRESETS if name.startswith("llama")},
    "bert-base": 30_522,
}


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
            return llama(vocab, d_model=4096, d_ff=11_008, num_heads=32, num_layers=32)
        case "llama-13b":
            return llama(vocab, d_model=5120, d_ff=13_824, num_heads=40, num_layers=40)
        case "llama-30b":
            return llama(vocab, d_model=6656, d_ff=17_920, num_heads=52, num_layers=60)
        case "llama-65b":
            return llama(vocab, d_model=8192, d_ff=22_016, num_heads=64, num_layers=80, norm_eps=1e-5)
        case "llama-2-70b":
            return llama(vocab, d_model=8192, d_ff=28_672, num_heads=64, num_layers=80, norm_eps=1e-5, num_kv_heads=8)
        case "bert-base":
            return EncoderOnlyConfig(
                vocab_size=vocab,
                d_model=768,
                d_ff=3072,
                num_heads=12,
                num_layers=12,
            )
        case "lstm" | "gru" | "rnn":
            return RecurrentConfig(vocab_size=vocab, d_model=512, cell=name)
        case "non-autoregressive":  # Ghazvininejad et al. 2019, of the size of `base`
            return NonAutoregressiveConfig(vocab_size=vocab)
        case _:
            nearest = get_close_matches(name, PRESETS, n=1)
            hint = f"did you mean '{nearest[0]}'? " if nearest else ""
            raise UsageError(f"there is no preset '{name}'; {hint}known presets: {', '.join(PRESETS)}")


def llama(
    vocab_size: int,
    *,
    d_model: int,
    d_ff: int,
    num_heads: int,
    num_layers: int,
    norm_eps: float = 1e-6,
    num_kv_heads: int = 0,
) -> DecoderOnlyConfig:
    """Touvron et al. 2023, table 2; and Llama 2, whose largest has grouped-query attention."""
    return DecoderOnlyConfig(
        vocab_size=vocab_size,
        d_model=d_model,
        d_ff=d_ff,
        num_heads=num_heads,
        num_kv_heads=num_kv_heads,
        num_layers=num_layers,
        norm_eps=norm_eps,
        dropout=0.0,
    )
