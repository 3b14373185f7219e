"""From the folder of a model to a language model; every other model gets one clear sentence."""

from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from attendo.engines.ct2.conversion import generator_obstacle
from attendo.engines.generating import GeneratingEngine
from attendo.errors import ConfigError, InputError
from attendo.files.arguments import check_path
from attendo.files.tables import short_repr
from attendo.generation.language_model import LanguageModel
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig
from attendo.model_folder.bundle import Bundle, model_folder, read_bundle
from attendo.translation.load import NEEDS_TORCH, wants_gpu


def load_language_model(
    model: str | Path,
    *,
    engine: Literal["auto", "torch", "ct2"] = "auto",
    device: str = "auto",
    threads: int | None = None,
) -> LanguageModel:
    """A decoder-only model that was trained on plain text, from its folder.

    The engine is CTranslate2 on a CPU, where it knows the model, and torch elsewhere, as in `attendo.load`.
    """
    check_path("model", model, ", or the name of a model")
    bundle = read_bundle(model_folder(model))
    check_is_language_model(bundle)
    return LanguageModel(bundle, bundle.tokenizer(), choose_engine(bundle, engine, device, threads))


def is_language_model(bundle: Bundle) -> bool:
    return isinstance(bundle.config, DecoderOnlyConfig) and not bundle.directions


def check_is_language_model(bundle: Bundle) -> None:
    if is_language_model(bundle):
        return
    if isinstance(bundle.config, EncoderOnlyConfig):
        raise InputError(f"{bundle.folder} is an encoder alone, which guesses masked words: use attendo fill")
    directions = ", ".join("-".join(direction) for direction in bundle.directions)
    kind = "a decoder-only model" if isinstance(bundle.config, DecoderOnlyConfig) else "an encoder-decoder"
    raise InputError(f"{bundle.folder} is {kind} that translates {directions}: use attendo translate")


def choose_engine(bundle: Bundle, engine: str, device: str, threads: int | None) -> GeneratingEngine:
    match engine:
        case "torch":
            return torch_generator(bundle, device, threads)
        case "ct2":
            if device not in ("auto", "cpu"):
                raise ConfigError(f"device is {short_repr(device)}: CTranslate2 runs on the CPU here, torch on a GPU")
        case "auto":
            if generator_obstacle(bundle.config) or wants_gpu(device):
                return torch_generator(bundle, device, threads)
        case _:
            raise ConfigError(f"engine is {short_repr(engine)}: expected auto, torch or ct2")
    from attendo.engines.ct2.generator_engine import load_ct2_generator

    return load_ct2_generator(bundle, threads)


def torch_generator(bundle: Bundle, device: str, threads: int | None) -> GeneratingEngine:
    if find_spec("torch") is None:
        raise ConfigError(f"{bundle.folder} with these options {NEEDS_TORCH}")
    from attendo.engines.torch_generator import load_torch_generator

    return load_torch_generator(bundle, device, threads)
