"""A model folder in CTranslate2's own form: made once, without torch, kept in the cache, checked before it is believed.

model.bin  config.json  shared_vocabulary.json   what CTranslate2 reads
manifest.json                                    size and sha256 of each, as CTranslate2 checks nothing itself
"""

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from attendo.engines.engine import Limits
from attendo.errors import ConfigError, InputError, WriteError
from attendo.files.cache_folder import cache_folder
from attendo.files.durable import new_folder, sweep
from attendo.files.manifest import check_manifest, write_manifest
from attendo.model.config import TransformerConfig, config_from_dict
from attendo.model_folder.bundle import Bundle

logger = logging.getLogger("attendo")

Quantization = Literal["int8", "float32"]

FORMAT = 2  # of what we write; a new one makes the cache anew
FILES = ("model.bin", "config.json", "shared_vocabulary.json")
# Its table of positions has an end, and longer inputs are an error: so many must do.
POSITIONS = 2_048


def obstacle(config: object) -> str:
    """Why a model has no counterpart in CTranslate2; empty if it has one."""
    if isinstance(config, TransformerConfig):
        return ""
    return "only the encoder-decoder Transformer has a counterpart there"


def limits(config: TransformerConfig) -> Limits:
    """Half of the positions for the source: an answer may be longer."""
    positions = config.max_length if config.positions == "learned" else POSITIONS
    return Limits(min(positions, POSITIONS // 2), positions)


def transformer_config(bundle: Bundle) -> TransformerConfig:
    config = config_from_dict(bundle.model)
    if why := obstacle(config):
        raise ConfigError(f"{bundle.folder} cannot be run by CTranslate2: {why}")
    assert isinstance(config, TransformerConfig)  # noqa: S101 - what obstacle says
    return config


def write_files(bundle: Bundle, folder: Path, quantization: Quantization = "int8", *, replace: bool = False) -> None:
    """Whole or not at all."""
    from attendo.engines.ct2.spec import specification  # numpy takes a while to import, and is needed only here
    from attendo.files.tensor_file import read_arrays

    spec = specification(transformer_config(bundle), read_arrays(bundle.weights))
    # Equal weights become one (embedding and output projection), but only when the specification is optimised.
    spec.optimize(quantization)
    with new_folder(folder, needs=bundle.weights.stat().st_size, replace=replace, shared=True) as new:
        spec.save(str(new))
        write_manifest(new)


@contextmanager
def files(bundle: Bundle, quantization: Quantization) -> Iterator[Path]:
    """The folder to load from, at least while the block lasts: of the cache, or made for now where nothing is kept."""
    try:
        folder = cached(bundle, quantization)
    except WriteError as error:
        logger.warning("the converted model cannot be kept (%s): it is made anew each time, which takes longer", error)
        with tempfile.TemporaryDirectory(prefix="attendo-ct2-") as place:
            write_files(bundle, Path(place) / "model", quantization)
            yield Path(place) / "model"
        return
    yield folder


def cached(bundle: Bundle, quantization: Quantization) -> Path:
    """Made at the first use. Two processes may do this at the same time."""
    import ctranslate2

    folder = cache_folder() / "ct2" / f"{bundle.key[:32]}-{quantization}-{FORMAT}-{ctranslate2.__version__}"
    if folder.exists():
        try:
            check_manifest(folder, FILES)
            return folder
        except InputError as error:
            logger.warning("the converted model is damaged (%s): it is made again", error)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"cannot make the folder {folder.parent}: {error.strerror or error}") from error
    sweep(folder.parent)
    with suppress(FileExistsError):  # another process was quicker
        write_files(bundle, folder, quantization, replace=folder.exists())
    check_manifest(folder, FILES)
    return folder
