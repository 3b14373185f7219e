"""From the name or folder of a model to what reads texts with its encoder."""

from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from attendo.engines.ct2.conversion import encoder_obstacle
from attendo.engines.encoding import EncodingEngine
from attendo.errors import ConfigError, InputError, UsageError
from attendo.files.tables import short_repr
from attendo.model.config import EncoderOnlyConfig, ModelConfig, TransformerConfig, config_to_dict
from attendo.model_folder.bundle import Bundle, model_folder, read_bundle
from attendo.text.tokenizer import Tokenizer
from attendo.translation.load import NEEDS_TORCH, wants_gpu
from attendo.translation.prepare import choose_target


@dataclass(frozen=True)
class LoadedEncoder:
    bundle: Bundle
    engine: EncodingEngine

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return self.bundle.tokenizer()

    def tag(self, to: str | None) -> int | None:
        """What an encoder-decoder reads before a text: the tag of the language it would translate into."""
        if isinstance(self.bundle.config, EncoderOnlyConfig):
            if to is not None:
                raise UsageError("an encoder-only model reads no language tag: leave out --to")
            return None
        return self.tokenizer.tag(choose_target(to, self.bundle.directions))


def family_words(config: ModelConfig) -> str:
    """What a model is, for who expected another."""
    family = config_to_dict(config)["family"]
    return {"transformer": "an encoder-decoder", "encoder-only": "an encoder-only model"}.get(
        family, f"a {family} model"
    )


def check_can_fill(bundle: Bundle) -> None:
    if not isinstance(bundle.config, EncoderOnlyConfig):
        raise InputError(
            f"{bundle.folder} is {family_words(bundle.config)}: hidden tokens are guessed by an encoder-only model, "
            f"such as recipes/masked-zh.toml trains"
        )


def check_can_embed(bundle: Bundle) -> None:
    if not isinstance(bundle.config, EncoderOnlyConfig | TransformerConfig):
        raise InputError(
            f"{bundle.folder} is {family_words(bundle.config)}: sentence vectors come from the encoder of an "
            f"encoder-only model or an encoder-decoder"
        )


def open_bundle(model: str | Path | None) -> Bundle:
    return read_bundle(model_folder(model))


def load_encoder(
    bundle: Bundle, *, engine: str = "auto", device: str = "auto", threads: int | None = None
) -> LoadedEncoder:
    """With CTranslate2 on a CPU, where it knows the model, and torch elsewhere."""
    if engine not in ("auto", "torch", "ct2"):
        raise ConfigError(f"engine is {short_repr(engine)}: expected auto, torch or ct2")
    if engine == "ct2" and device not in ("auto", "cpu"):
        raise ConfigError(f"device is {short_repr(device)}: CTranslate2 runs on the CPU here, torch on a GPU")
    if engine == "torch" or (engine == "auto" and (encoder_obstacle(bundle.config) or wants_gpu(device))):
        if find_spec("torch") is None:
            raise ConfigError(f"{bundle.folder} with these options {NEEDS_TORCH}")
        from attendo.engines.torch_encoder import load_torch_encoder

        return LoadedEncoder(bundle, load_torch_encoder(bundle, device, threads))
    from attendo.engines.ct2.encoder_engine import load_ct2_encoder

    return LoadedEncoder(bundle, load_ct2_encoder(bundle, threads))
