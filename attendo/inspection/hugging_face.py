"""A model under the names of Hugging Face's `transformers`: which weight is which there, and the tree that it prints.

    ours                                     theirs (LlamaForCausalLM)
    layers.0.self_attention.query.weight     model.layers.0.self_attn.q_proj.weight

A family has a counterpart only where both compute the same: Llama, BERT with its masked-token head, Marian. No torch
and no `transformers` here: a test holds these names, shapes and classes against those of the library.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import prod

from attendo.errors import InputError
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    LayerConfig,
    ModelConfig,
    TransformerConfig,
    config_to_dict,
)
from attendo.model.shapes import weight_shapes

Pair = tuple[str, str]  # theirs, ours; without the ending, where that is .weight and .bias in both

TABLES = {"embed_tokens", "shared", "word_embeddings", "position_embeddings", "token_type_embeddings"}
TIED = "# tied: the table of the embedding"

# The classes of what has parts, by the end of its name; a number stands for any.
CLASSES: Mapping[str, Mapping[str, str]] = {
    "LlamaForCausalLM": {
        "model": "LlamaModel", "layers": "ModuleList", "layers.0": "LlamaDecoderLayer", "self_attn": "LlamaAttention",
        "mlp": "LlamaMLP",
    },
    "BertForMaskedLM": {
        "bert": "BertModel", "embeddings": "BertEmbeddings", "encoder": "BertEncoder", "layer": "ModuleList",
        "layer.0": "BertLayer", "attention": "BertAttention", "self": "BertSelfAttention", "intermediate":
        "BertIntermediate", "attention.output": "BertSelfOutput", "layer.0.output": "BertOutput",
        "cls": "BertOnlyMLMHead", "predictions": "BertLMPredictionHead", "transform": "BertPredictionHeadTransform",
    },
    "MarianMTModel": {
        "model": "MarianModel", "encoder": "MarianEncoder", "decoder": "MarianDecoder", "layers": "ModuleList",
        "encoder.layers.0": "MarianEncoderLayer", "decoder.layers.0": "MarianDecoderLayer",
        "self_attn": "MarianAttention", "encoder_attn": "MarianAttention",
    },
}  # fmt: skip


@dataclass(frozen=True)
class TheirModel:
    """`names`: theirs -> ours, in their order; a weight of ours that is tied has several."""

    kind: str  # LlamaForCausalLM, BertForMaskedLM, MarianMTModel
    config: DecoderOnlyConfig | EncoderOnlyConfig | TransformerConfig
    names: Mapping[str, str]

    @cached_property
    def tied(self) -> set[str]:
        """Names of theirs for what has one already."""
        first: dict[str, str] = {}
        return {theirs for theirs, ours in self.names.items() if first.setdefault(ours, theirs) != theirs}

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """By their names."""
        ours = weight_shapes(self.config)
        return {theirs: ours[name] for theirs, name in self.names.items()}

    def tree(self) -> str:
        """As `print(model)` shows it, with the number of weights; what has none is left out."""
        return "\n".join(self.lines("", self.shapes))

    def lines(self, path: str, inside: Mapping[str, tuple[int, ...]]) -> list[str]:
        """Of the module at this path; `inside`: its weights, by the rest of their names."""
        count = sum(prod(shape) for name, shape in inside.items() if prefixed(path, name) not in self.tied)
        comment = f"  # {count:,}" if count else f"  {TIED}"
        children = dict.fromkeys(name.partition(".")[0] for name in inside if "." in name)
        if not children:
            return [f"{self.leaf(path, inside)}{comment}"]
        described = []
        for child in children:
            its = {name.removeprefix(f"{child}."): inside[name] for name in inside if name.startswith(f"{child}.")}
            described.append((child, self.lines(prefixed(path, child), its)))
        found = [f"{self.class_of(path)}({comment}"]
        for _, group in groupby(described, key=lambda one: (one[0].isdigit(), one[1])):
            alike = list(group)
            folded = len(alike) > 1 and alike[0][0].isdigit()
            for child, inner in alike[:1] if folded else alike:
                label = f"({child}-{alike[-1][0]}): {len(alike)} x " if folded else f"({child}): "
                found.append(f"  {label}{inner[0]}" + (" each" if folded else ""))
                found.extend(f"  {line}" for line in inner[1:])
        return [*found, ")"]

    def class_of(self, path: str) -> str:
        """Of what has parts: the longest ending that is known."""
        parts = ["0" if part.isdigit() else part for part in path.split(".")] if path else []
        endings = (".".join(parts[start:]) for start in range(len(parts)))
        known = CLASSES[self.kind]
        return next((known[ending] for ending in endings if ending in known), self.kind)

    def leaf(self, path: str, inside: Mapping[str, tuple[int, ...]]) -> str:
        shape = inside["weight"]
        if len(shape) == 1:
            norm = "LayerNorm" if self.config.norm == "layer" else "LlamaRMSNorm"
            return f"{norm}(({shape[0]},), eps={self.config.norm_eps:g})"
        if path.rpartition(".")[2] in TABLES:
            return f"Embedding({shape[0]}, {shape[1]})"
        return f"Linear(in_features={shape[1]}, out_features={shape[0]}, bias={'bias' in inside})"


def prefixed(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def under_their_names(config: ModelConfig) -> TheirModel:
    """The counterpart of a model; or one sentence on why there is none."""
    match config:
        case DecoderOnlyConfig():
            check_alike(config, "Llama", norm="rms", norm_order="pre", positions="rotary", activation="swiglu")
            return TheirModel("LlamaForCausalLM", config, weights_of(config, llama(config)))
        case EncoderOnlyConfig():
            check_alike(config, "BERT", norm="layer", norm_order="post", positions="learned", bias=True)
            return TheirModel("BertForMaskedLM", config, weights_of(config, bert(config)))
        case TransformerConfig():
            check_alike(config, "Marian", norm="layer", norm_order="post", positions=sines_of(config), bias=True)
            return TheirModel("MarianMTModel", config, weights_of(config, marian(config)))
    family = config_to_dict(config)["family"]
    raise InputError(f"a model of the family {family} has no counterpart at Hugging Face")


def sines_of(config: LayerConfig) -> str:
    """In either order of the columns: the order is no other computation."""
    return "sinusoidal-halves" if config.positions == "sinusoidal-halves" else "sinusoidal"


def check_alike(config: LayerConfig, name: str, **same: object) -> None:
    """Their model of this name has these choices, and no others."""
    wanted = {**same, "compatibility": "dot"}
    if name != "Llama" and config.activation == "swiglu":
        wanted["activation"] = "relu, gelu or swish"
    for key, value in wanted.items():
        if getattr(config, key) != value:
            raise InputError(
                f"this model has no counterpart at Hugging Face: {name}, the nearest, has {key} = {value}, "
                f"and here it is {getattr(config, key)}"
            )


def weights_of(config: ModelConfig, pairs: Iterator[Pair]) -> dict[str, str]:
    """Pairs of modules -> of their weights: ours call a norm's weight its gain."""
    ours = weight_shapes(config)
    found: dict[str, str] = {}
    for theirs, name in pairs:
        if name in ours:  # a weight, not a module
            found[theirs] = name
        for ending, own in (("weight", "weight"), ("weight", "gain"), ("bias", "bias")):
            if f"{name}.{own}" in ours:
                found[f"{theirs}.{ending}"] = f"{name}.{own}"
    return found


def llama(config: DecoderOnlyConfig) -> Iterator[Pair]:
    yield "model.embed_tokens", "embedding"
    for n in range(config.num_layers):
        theirs, ours = f"model.layers.{n}", f"layers.{n}"
        for their_part, our_part in zip("qkvo", ("query", "key", "value", "output"), strict=True):
            yield f"{theirs}.self_attn.{their_part}_proj", f"{ours}.self_attention.{our_part}"
        for part in ("gate", "up", "down"):
            yield f"{theirs}.mlp.{part}_proj", f"{ours}.feed_forward.{part}"
        yield f"{theirs}.input_layernorm", f"{ours}.around_self_attention.norm"
        yield f"{theirs}.post_attention_layernorm", f"{ours}.around_feed_forward.norm"
    yield "model.norm", "norm"
    yield "lm_head", "embedding" if config.tied_output else "output"


def bert(config: EncoderOnlyConfig) -> Iterator[Pair]:
    yield "bert.embeddings.word_embeddings", "embedding"
    yield "bert.embeddings.position_embeddings", "positions"
    yield "bert.embeddings.token_type_embeddings", "token_types"
    yield "bert.embeddings.LayerNorm", "embedding_norm"
    for n in range(config.num_layers):
        theirs, ours = f"bert.encoder.layer.{n}", f"encoder.layers.{n}"
        for part in ("query", "key", "value"):
            yield f"{theirs}.attention.self.{part}", f"{ours}.self_attention.{part}"
        yield f"{theirs}.attention.output.dense", f"{ours}.self_attention.output"
        yield f"{theirs}.attention.output.LayerNorm", f"{ours}.around_self_attention.norm"
        yield f"{theirs}.intermediate.dense", f"{ours}.feed_forward.inner"
        yield f"{theirs}.output.dense", f"{ours}.feed_forward.outer"
        yield f"{theirs}.output.LayerNorm", f"{ours}.around_feed_forward.norm"
    yield "cls.predictions.bias", "head.output.bias"
    yield "cls.predictions.transform.dense", "head.dense"
    yield "cls.predictions.transform.LayerNorm", "head.norm"
    yield "cls.predictions.decoder", "embedding"
    yield "cls.predictions.decoder.bias", "head.output.bias"


def marian(config: TransformerConfig) -> Iterator[Pair]:
    if config.shared_embedding:
        yield "model.shared", "embedding"
    for side, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        has_own = side == "encoder" and not config.shared_embedding
        yield f"model.{side}.embed_tokens", "source_embedding" if has_own else "embedding"
        for n in range(layers):
            theirs, ours = f"model.{side}.layers.{n}", f"{side}.layers.{n}"
            looks = {"self_attn": "self_attention"}
            if side == "decoder":
                looks["encoder_attn"] = "cross_attention"
            for their_look, our_look in looks.items():
                for part, own in (("k", "key"), ("v", "value"), ("q", "query"), ("out", "output")):
                    yield f"{theirs}.{their_look}.{part}_proj", f"{ours}.{our_look}.{own}"
                yield f"{theirs}.{their_look}_layer_norm", f"{ours}.around_{our_look}.norm"
            yield f"{theirs}.fc1", f"{ours}.feed_forward.inner"
            yield f"{theirs}.fc2", f"{ours}.feed_forward.outer"
            yield f"{theirs}.final_layer_norm", f"{ours}.around_feed_forward.norm"
    yield "lm_head", "embedding" if config.tied_output else "output"
