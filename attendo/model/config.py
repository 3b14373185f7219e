"""The sizes and choices of each model, in the paper's letters, checked before anything is allocated.

Frozen, so a running model cannot disagree with its file. No torch here: describing a model in words is cheap.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from attendo.errors import ConfigError
from attendo.files.tables import short_repr, unknown_key
from attendo.model.field_ranges import check_fields

Positions = Literal["sinusoidal", "sinusoidal-halves", "learned", "rotary", "none"]
Norm = Literal["layer", "rms"]
NormOrder = Literal["post", "pre"]
Activation = Literal["relu", "gelu", "swish", "swiglu"]
Compatibility = Literal["dot", "additive"]
Cell = Literal["rnn", "gru", "lstm"]
SourceAttention = Literal["additive", "dot", "general", "none"]

# Of the family that guesses the length of a target: tokens by which it can be longer or shorter than its source (what
# is further counts as this), and so many classes: 50 shorter, …, as long, …, 50 longer.
FURTHEST = 50
NUM_LENGTHS = 2 * FURTHEST + 1


@dataclass(frozen=True, kw_only=True)
class LayerConfig:
    """What every stack of attention layers needs; the defaults are the paper's base model (table 3)."""

    vocab_size: int
    d_model: int = 512
    d_ff: int = 2048
    num_heads: int = 8
    dropout: float = 0.1  # on each sublayer's output and on the embeddings (5.4)
    attention_dropout: float = 0.0  # on the attention weights
    activation_dropout: float = 0.0  # inside the feed-forward part
    positions: Positions = "sinusoidal"
    max_length: int = 1024  # how many positions a learned table has; the other kinds have no end
    rotary_base: float = 10_000.0
    norm: Norm = "layer"
    norm_eps: float = 1e-5
    norm_order: NormOrder = "post"
    activation: Activation = "relu"
    bias: bool = True
    compatibility: Compatibility = "dot"  # how well a query fits a key (3.2.1): q · k / √d_k, or w · tanh(q + k)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.d_model % self.num_heads != 0:
            raise ConfigError(
                f"d_model = {self.d_model} cannot be split over num_heads = {self.num_heads}: "
                f"each head takes d_model / num_heads columns, so the division must leave no remainder"
            )
        if self.positions == "rotary" and self.head_dim % 2 != 0:
            raise ConfigError(
                f"positions = 'rotary' turns pairs of columns, but each head has d_model / num_heads = "
                f"{self.d_model} / {self.num_heads} = {self.head_dim} columns: the head width must be even"
            )
        if self.positions == "rotary" and self.compatibility != "dot":
            raise ConfigError(
                f"positions = 'rotary' tells distances by the product of a turned query and a turned key, which "
                f"compatibility = '{self.compatibility}' does not form: expected sinusoidal, learned or none"
            )
        if self.positions in ("sinusoidal", "sinusoidal-halves") and self.d_model % 2 != 0:
            raise ConfigError(
                f"positions = '{self.positions}' fills columns in pairs (sin, cos), but d_model = {self.d_model}: "
                f"it must be even"
            )

    @property
    def head_dim(self) -> int:
        """d_k = d_v in the paper: 512 / 8 = 64."""
        return self.d_model // self.num_heads

    @property
    def kv_heads(self) -> int:
        """How many heads keys and values have: one for each head of the queries, as in the paper."""
        return self.num_heads


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(LayerConfig):
    """The encoder-decoder of figure 1. One vocabulary and one embedding serve both sides (3.4)."""

    encoder_layers: int = 6
    decoder_layers: int = 6
    tied_output: bool = True
    shared_embedding: bool = True  # or the source has a table of its own; this and the next are of imported models
    output_bias: bool = False  # a number that is added to each logit


@dataclass(frozen=True, kw_only=True)
class NonAutoregressiveConfig(LayerConfig):
    """The same encoder and decoder, giving all words of a target at once (Ghazvininejad et al. 2019).

    A class of its own: where a Transformer is asked for, one that gives word after word is meant.
    """

    encoder_layers: int = 6
    decoder_layers: int = 6
    tied_output: bool = True

    def of_parts(self) -> TransformerConfig:
        """The Transformer that it is made of."""
        return TransformerConfig(**asdict(self))


@dataclass(frozen=True, kw_only=True)
class DecoderOnlyConfig(LayerConfig):
    """Llama-like: RMSNorm before each sublayer, rotary positions, SiLU-gated feed-forward, no bias.

    With num_kv_heads < num_heads groups of heads share their keys and values (Ainslie et al. 2023), as in Llama 2 70B.
    """

    num_layers: int = 6
    num_kv_heads: int = 0  # 0: as many as num_heads; 1: all heads share one, "multi-query" (Shazeer 2019)
    d_ff: int = 1376
    positions: Positions = "rotary"
    norm: Norm = "rms"
    norm_eps: float = 1e-6
    norm_order: NormOrder = "pre"
    activation: Activation = "swiglu"
    bias: bool = False
    tied_output: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_heads % self.kv_heads != 0:
            raise ConfigError(
                f"num_heads = {self.num_heads} cannot be split over num_kv_heads = {self.num_kv_heads}: each head of "
                f"keys and values serves as many heads of queries, so the division must leave no remainder"
            )

    @property
    def kv_heads(self) -> int:
        return self.num_kv_heads or self.num_heads


@dataclass(frozen=True, kw_only=True)
class EncoderOnlyConfig(LayerConfig):
    """BERT-like: learned positions, token types, GELU, a head that guesses masked tokens."""

    num_layers: int = 6
    positions: Positions = "learned"
    max_length: int = 512
    norm_eps: float = 1e-12
    activation: Activation = "gelu"
    attention_dropout: float = 0.1
    num_token_types: int = 2


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig:
    """The recurrent sequence-to-sequence models that the Transformer replaced.

    attention = "additive": the decoder looks back at every source position as in Bahdanau et al. 2015;
    "dot", "general": as in Luong et al. 2015;
    "none": all it ever learns of the source is one vector of d_model numbers, as in Sutskever et al. 2014.
    """

    vocab_size: int
    d_model: int = 512
    encoder_layers: int = 2
    decoder_layers: int = 2
    dropout: float = 0.1
    cell: Cell = "lstm"
    attention: SourceAttention = "additive"
    input_feeding: bool = False  # what was seen at a step is read with the next token (Luong et al. 2015, 3.3)
    tied_output: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if self.d_model % 2 != 0:
            raise ConfigError(
                f"d_model = {self.d_model} cannot be split over the two directions of the recurrent encoder: "
                f"it must be even"
            )
        if self.input_feeding and self.attention == "none":
            raise ConfigError(
                "input_feeding = true with attention = 'none': what is fed is what attention saw, "
                "expected additive, dot or general"
            )


ModelConfig = TransformerConfig | NonAutoregressiveConfig | DecoderOnlyConfig | EncoderOnlyConfig | RecurrentConfig

# The names by which files know the families.
FAMILIES: dict[str, type[ModelConfig]] = {
    "transformer": TransformerConfig,
    "non-autoregressive": NonAutoregressiveConfig,
    "decoder-only": DecoderOnlyConfig,
    "encoder-only": EncoderOnlyConfig,
    "recurrent": RecurrentConfig,
}


def can_pack(config: ModelConfig) -> bool:
    """Attention can keep apart several pairs in a row; a recurrent model cannot, a masked text stands alone, and a
    target that is guessed as a whole has a row of its own, as its length is guessed, too."""
    return not isinstance(config, RecurrentConfig | EncoderOnlyConfig | NonAutoregressiveConfig)


def family_of(config: ModelConfig) -> str:
    return next(word for word, kind in FAMILIES.items() if type(config) is kind)


def in_family(config: ModelConfig, family: str) -> ModelConfig:
    """The same sizes in another family, where both have them: a Transformer's, for a model that gives all at once."""
    if family == family_of(config):
        return config
    if family == "non-autoregressive" and isinstance(config, TransformerConfig):
        sizes = asdict(config)
        if (sizes.pop("shared_embedding"), sizes.pop("output_bias")) != (True, False):
            raise ConfigError(f"family = {family} has neither an output bias nor a table of the source's own")
        return NonAutoregressiveConfig(**sizes)
    raise ConfigError(
        f"family = {family} with the sizes of a {family_of(config)} model: "
        f"only non-autoregressive can have those of another family, a transformer's"
    )


def config_from_dict(table: dict[str, Any]) -> ModelConfig:
    """A configuration from a JSON object or TOML table: its `family` picks the class, unknown keys are errors."""
    if table.get("family") == "lstm" or "context" in table:  # names of before, which few have to read about
        from attendo.model.earlier_names import in_todays_words

        table = in_todays_words(table)
    family = table.get("family", "transformer")
    if not isinstance(family, str) or family not in FAMILIES:
        raise ConfigError(f"family is {short_repr(family)}: expected one of {', '.join(FAMILIES)}")
    kind = FAMILIES[family]
    known = [field.name for field in fields(kind)]
    given = {key: value for key, value in table.items() if key != "family"}
    for key in given:
        if key not in known:
            raise unknown_key(key, known, f"the configuration of a {family} model")
    if "vocab_size" not in given:
        raise ConfigError(f"the configuration of a {family} model has no vocab_size")
    return kind(**given)


def config_to_dict(config: ModelConfig) -> dict[str, Any]:
    """The other way round."""
    return {"family": family_of(config), **asdict(config)}
