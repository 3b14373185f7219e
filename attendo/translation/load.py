"""From the name or folder of a model to a translator."""

from pathlib import Path
from typing import Literal

from attendo.bundle import read_bundle
from attendo.engines.engine import Engine
from attendo.errors import ConfigError, InputError
from attendo.translation.translator import Translator

EngineName = Literal["auto", "torch"]


def load(
    model: str | Path, *, engine: EngineName = "auto", device: str = "auto", threads: int | None = None
) -> Translator:
    """A translator from a model folder. `device` is auto, cpu or cuda; `threads` are those of the CPU."""
    folder = Path(model)
    if not folder.is_dir():
        raise InputError(
            f"there is no model folder {folder}: expected the folder `attendo train` wrote, such as RUN/model"
        )
    if threads is not None and threads < 1:
        raise ConfigError(f"threads = {threads}: expected at least 1")
    bundle = read_bundle(folder)
    match engine:
        case "auto" | "torch":
            from attendo.engines.torch_engine import load_torch_engine

            chosen: Engine = load_torch_engine(bundle, device, threads)
        case _:
            raise ConfigError(f"engine is '{engine}': expected auto or torch")
    return Translator(bundle, bundle.tokenizer(), chosen)
