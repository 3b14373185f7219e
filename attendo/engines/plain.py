"""Which models are the paper's but for sizes and order of norms: what is written for speed computes those alone."""

from dataclasses import fields

from attendo.model.config import ModelConfig, TransformerConfig

MAY_DIFFER = {
    "vocab_size", "d_model", "d_ff", "num_heads", "encoder_layers", "decoder_layers", "dropout", "norm_eps",
    "tied_output", "max_length", "rotary_base", "norm_order",
}  # fmt: skip


def is_the_papers(config: ModelConfig) -> bool:
    """LayerNorm, ReLU, sinusoids, biases, dropout around sublayers alone.

    Asked of all fields but those named, so that what is new in a configuration is not plain until someone says so.
    """
    if type(config) is not TransformerConfig:
        return False
    paper = TransformerConfig(vocab_size=config.vocab_size)
    others = [each.name for each in fields(config) if each.name not in MAY_DIFFER]
    return all(getattr(config, name) == getattr(paper, name) for name in others)
