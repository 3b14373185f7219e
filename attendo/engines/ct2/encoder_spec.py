"""An encoder in the words of CTranslate2's specification: of a model that is one, or of an encoder-decoder.

ours                                     CTranslate2
embedding, token_types                   embeddings (two tables, whose rows are added)
embedding_norm                           layernorm_embedding
encoder.layers, encoder.norm             layer, layer_norm, as in spec.py

The head that guesses hidden tokens has no counterpart; engines/masked_token_head.py computes it from what comes out.
"""

from typing import Any

from attendo.engines.ct2.spec import Filling, layer_options, without_torch
from attendo.files.tensor_arrays import Arrays
from attendo.model.config import EncoderOnlyConfig, TransformerConfig
from attendo.special_tokens import SPECIAL


def encoder_specification(config: EncoderOnlyConfig | TransformerConfig, weights: Arrays) -> Any:
    """Filled with the weights, ready to be written. Every weight of the encoder is used, or it is an error."""
    with without_torch():
        from ctranslate2 import specs
        from ctranslate2.specs.transformer_spec import TransformerEncoderModelSpec
    alone = isinstance(config, EncoderOnlyConfig)
    encoder = specs.TransformerEncoderSpec(
        config.num_layers if isinstance(config, EncoderOnlyConfig) else config.encoder_layers,
        num_source_embeddings=2 if alone else 1,
        embeddings_merge=specs.common_spec.EmbeddingsMerge.ADD,
        layernorm_embedding=alone,
        **layer_options(config, specs),
    )
    spec = TransformerEncoderModelSpec(encoder)
    EncoderFilling(config, {name: array for name, array in weights.items() if not is_elsewhere(name)}).fill(spec)
    spec.register_vocabulary(list(map(str, range(config.vocab_size))))
    spec.config.unk_token, spec.config.bos_token = str(SPECIAL.unk), str(SPECIAL.bos)
    spec.config.eos_token = str(SPECIAL.eos)
    spec.config.layer_norm_epsilon = config.norm_eps
    spec.validate()
    return spec


def is_elsewhere(name: str) -> bool:
    """A weight of the other half of an encoder-decoder, or of the head of an encoder alone."""
    return name.startswith(("decoder.", "target_positions.", "output.", "head."))


class EncoderFilling(Filling):
    def fill(self, spec: Any) -> None:
        alone = isinstance(self.config, EncoderOnlyConfig)
        table = self.take("embedding.weight")
        if "source_embedding.weight" in self.weights:
            table = self.take("source_embedding.weight")
        self.stack(spec.encoder, "encoder", table, "positions" if alone else "source_positions")
        spec.encoder.scale_embeddings = not alone
        if alone:
            spec.encoder.embeddings[1].weight = self.take("token_types.weight")
            self.norm(spec.encoder.layernorm_embedding, "embedding_norm")
        self.check_all_taken("an encoder")
