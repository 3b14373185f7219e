"""A decoder alone in the words of CTranslate2's specification.

ours                                     CTranslate2
embedding                                embeddings, not scaled
positions                                position_encodings, or the rotary options
layers, norm                             layer, layer_norm, as in spec.py
output                                   projection

All kinds of positions, norms and activations have a counterpart there, and groups of heads that share keys do, too.
"""

from typing import Any

from attendo.engines.ct2.spec import Filling, layer_options, without_torch
from attendo.files.tensor_arrays import Arrays
from attendo.model.config import DecoderOnlyConfig
from attendo.special_tokens import SPECIAL


def generator_specification(config: DecoderOnlyConfig, weights: Arrays) -> Any:
    """Filled with the weights, ready to be written. Every weight is used, or it is an error."""
    with without_torch():
        from ctranslate2 import specs
        from ctranslate2.specs.transformer_spec import TransformerDecoderModelSpec
    grouped = config.kv_heads != config.num_heads
    decoder = specs.TransformerDecoderSpec(
        config.num_layers,
        with_encoder_attention=False,
        **layer_options(config, specs),
        **({"num_heads_kv": config.kv_heads} if grouped else {}),
    )
    spec = TransformerDecoderModelSpec(decoder)
    GeneratorFilling(config, dict(weights)).fill(spec)
    spec.register_vocabulary(list(map(str, range(config.vocab_size))))
    spec.config.unk_token, spec.config.bos_token = str(SPECIAL.unk), str(SPECIAL.bos)
    spec.config.eos_token = str(SPECIAL.eos)
    spec.config.layer_norm_epsilon = config.norm_eps
    spec.validate()
    return spec


class GeneratorFilling(Filling):
    def __init__(self, config: DecoderOnlyConfig, weights: Arrays) -> None:
        super().__init__(config, weights)
        self.tied = config.tied_output

    def fill(self, spec: Any) -> None:
        embedding = self.take("embedding.weight")
        decoder = spec.decoder
        decoder.embeddings.weight = embedding
        decoder.scale_embeddings = False
        if self.config.positions != "rotary":
            decoder.position_encodings.encodings = self.positions("positions.weight")
        for index, layer in enumerate(decoder.layer):
            self.layer(layer, f"layers.{index}", is_decoder=False)
        if self.config.norm_order == "pre":
            self.norm(decoder.layer_norm, "norm")
        decoder.projection.weight = embedding if self.tied else self.take("output.weight")
        self.check_all_taken("a decoder")
