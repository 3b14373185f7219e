"""What can be drawn, and what can be asked of each drawing; light, as the command line reads it before all else."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path

from attendo.errors import UsageError
from attendo.model.config import DecoderOnlyConfig, ModelConfig
from attendo.model.presets import preset
from attendo.report.language import Language

SIZES = ("d_model", "num_heads", "num_layers", "d_ff", "vocab_size", "norm_order")
# Which options each drawing reads; --lang and --out belong to all.
DRAWINGS: Mapping[str, tuple[str, ...]] = {
    "architecture": ("preset", "model", *SIZES),
    "masks": ("model", "texts"),
    "positions": ("preset", "model", "d_model"),
    "schedule": ("d_model", "warmup_steps", "max_steps"),
    "qkv": ("preset", "model", "d_model", "num_heads", "texts", "to"),
    "three-attentions": ("model", "texts", "to", "target"),
    "training-and-inference": ("model", "texts", "to", "target"),
    "embeddings": ("model", "words"),
}
PICTURES, PAGE = (".svg", ".png"), ".html"  # endings; of a page only the embeddings have enough to show
ON_COMMAND_LINE = {
    "num_heads": "--heads", "num_layers": "--layers", "vocab_size": "--vocab", "texts": "--text",
    "warmup_steps": "--warmup", "max_steps": "--steps",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class DrawOptions:
    """None and () are what was not asked for: then a drawing takes what shows best."""

    preset: str | None = None
    model: str | None = None
    d_model: int | None = None
    num_heads: int | None = None
    num_layers: int | None = None
    d_ff: int | None = None
    vocab_size: int | None = None
    norm_order: str | None = None
    texts: tuple[str, ...] = ()
    to: str | None = None
    target: str | None = None
    warmup_steps: int | None = None
    max_steps: int | None = None
    words: tuple[str, ...] = ()

    def given(self) -> list[str]:
        return [field.name for field in fields(self) if getattr(self, field.name) not in (None, ())]


def check_drawing(name: str, options: DrawOptions) -> None:
    """A name that there is, and nothing asked that the drawing would not show."""
    if name not in DRAWINGS:
        nearest = get_close_matches(name, DRAWINGS, n=1)
        hint = f"did you mean '{nearest[0]}'? " if nearest else ""
        raise UsageError(f"there is no drawing '{name}'; {hint}known drawings: {', '.join(DRAWINGS)}")
    for option in options.given():
        if option not in DRAWINGS[name]:
            known = ", ".join(map(option_name, DRAWINGS[name]))
            raise UsageError(f"{option_name(option)} does not belong to the drawing '{name}', which takes {known}")
    if options.model is not None and (sizes := [one for one in ("preset", *SIZES) if one in options.given()]):
        raise UsageError(f"--model and {option_name(sizes[0])} exclude each other: a model has sizes of its own")


def check_ending(name: str, path: Path) -> None:
    endings = (*PICTURES, PAGE) if name == "embeddings" else PICTURES
    if path.suffix.lower() not in endings:
        raise UsageError(f"--out is {path}: expected a name that ends with {' or '.join(endings)}")


def picture_name(name: str, language: Language) -> str:
    """masks.svg, masks.zh.svg: as the drawings lie in docs/figures."""
    return f"{name}{'' if language == 'en' else f'.{language}'}.svg"


def option_name(name: str) -> str:
    return ON_COMMAND_LINE.get(name, f"--{name.replace('_', '-')}")


def chosen_config(options: DrawOptions) -> ModelConfig:
    """A preset, the paper's base model if none is named, with the sizes that were asked for."""
    config = preset(options.preset or "base", options.vocab_size)
    wanted = {name: getattr(options, name) for name in SIZES if name in options.given() and name != "vocab_size"}
    if "num_layers" in wanted and not isinstance(config, DecoderOnlyConfig):
        wanted["encoder_layers"] = wanted["decoder_layers"] = wanted.pop("num_layers")
    known = {field.name for field in fields(config)}
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(f"the preset '{options.preset}' has no {unknown[0]}")
    return replace(config, **wanted)
