"""A model folder in the form that CTranslate2 reads: made once, kept in the cache, checked before it is believed.

model.bin  config.json  shared_vocabulary.json   what CTranslate2 reads; an encoder or a decoder alone: vocabulary.json
source_vocabulary.json  target_vocabulary.json   instead, where only what a shortlist has for a language is said
manifest.json                                    size and sha256 of each, as CTranslate2 checks nothing itself
"""

import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from attendo.errors import ConfigError, InputError, WriteError
from attendo.files.cache_folder import cache_folder
from attendo.files.durable import new_folder, sweep
from attendo.files.manifest import check_largest, check_listing, check_manifest, write_manifest
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, LayerConfig, ModelConfig, TransformerConfig
from attendo.model.shapes import num_parameters
from attendo.model_folder.bundle import BYTES_A_NUMBER, Bundle

logger = logging.getLogger("attendo")

Quantization = Literal["int8", "float32", "float16"]  # float16 is for GPUs
# Which of its classes runs it; an encoder-decoder's encoder can stand alone.
Form = Literal["translator", "shorter", "encoder", "generator"]

FORMAT = 4  # of what we write and of what is checked before; a new one makes the cache anew
FILES = ("model.bin", "config.json", "shared_vocabulary.json")
FILES_OF: dict[Form, tuple[str, ...]] = {
    "translator": FILES,
    "shorter": ("model.bin", "config.json", "source_vocabulary.json", "target_vocabulary.json"),
    "encoder": ("model.bin", "config.json", "vocabulary.json"),
    "generator": ("model.bin", "config.json", "vocabulary.json"),
}
# Its table of positions has an end, and longer inputs are an error: so many must do.
POSITIONS = 2_048
MOST_LAYERS = 128  # it compares every two of their tensors
LARGEST_BESIDES = 2**28  # bytes of a converted model besides its weights: positions, names of tokens
LARGEST_MATRIX = 2**32 - 1  # bytes; its files count them in 32 bits


def obstacle(config: object) -> str:
    """Why a model has no counterpart in CTranslate2; empty if it has one."""
    if not isinstance(config, TransformerConfig):
        return "its translator runs encoder-decoder Transformers alone"
    return obstacle_of_layers(config, config.encoder_layers + config.decoder_layers)


def encoder_obstacle(config: object) -> str:
    """The same, where only the encoder is wanted."""
    if isinstance(config, EncoderOnlyConfig):
        return obstacle_of_layers(config, config.num_layers)
    if isinstance(config, TransformerConfig):
        return obstacle_of_layers(config, config.encoder_layers)
    return "it has no encoder of attention layers"


def generator_obstacle(config: object) -> str:
    """The same, where a text is to go on."""
    if isinstance(config, DecoderOnlyConfig):
        return obstacle_of_layers(config, config.num_layers)
    return "it is no decoder alone"


def obstacle_of_layers(config: LayerConfig, layers: int) -> str:
    """Of so many layers like these, or of what is in them."""
    if config.compatibility != "dot":
        return f"its attention compares by dot products alone, and this model's is {config.compatibility}"
    if layers > MOST_LAYERS:
        return f"it has {layers:,} layers, and more than {MOST_LAYERS} take minutes to convert"
    rows = max(config.vocab_size, 3 * config.d_model, config.d_ff, config.max_length)
    if 4 * rows * config.d_model > LARGEST_MATRIX:
        return f"a matrix of {rows:,} x {config.d_model:,} numbers is more than its files can hold"
    return ""


def transformer_config(bundle: Bundle) -> TransformerConfig:
    config = bundle.config
    if why := obstacle(config):
        raise ConfigError(f"{bundle.folder} cannot be run by CTranslate2: {why}")
    assert isinstance(config, TransformerConfig)  # noqa: S101 - what obstacle says
    return config


def encoder_config(bundle: Bundle) -> EncoderOnlyConfig | TransformerConfig:
    config = bundle.config
    if why := encoder_obstacle(config):
        raise ConfigError(f"{bundle.folder} cannot be run by CTranslate2: {why}")
    assert isinstance(config, EncoderOnlyConfig | TransformerConfig)  # noqa: S101 - what encoder_obstacle says
    return config


def generator_config(bundle: Bundle) -> DecoderOnlyConfig:
    config = bundle.config
    if why := generator_obstacle(config):
        raise ConfigError(f"{bundle.folder} cannot be run by CTranslate2: {why}")
    assert isinstance(config, DecoderOnlyConfig)  # noqa: S101 - what generator_obstacle says
    return config


def form_of(config: ModelConfig) -> Form:
    if isinstance(config, DecoderOnlyConfig):
        return "generator"
    return "encoder" if isinstance(config, EncoderOnlyConfig) else "translator"


def specify(bundle: Bundle, form: Form, into: str = "") -> Any:
    from attendo.engines.ct2.encoder_spec import encoder_specification  # numpy takes a while to import
    from attendo.engines.ct2.generator_spec import generator_specification
    from attendo.engines.ct2.spec import specification
    from attendo.model_folder.checked_weights import read_weights
    from attendo.model_folder.shortlist import read_shortlist

    if form == "encoder":
        return encoder_specification(encoder_config(bundle), read_weights(bundle))
    if form == "generator":
        return generator_specification(generator_config(bundle), read_weights(bundle))
    if form == "shorter":
        said = read_shortlist(bundle)[into]
        return specification(transformer_config(bundle), read_weights(bundle), bundle.alignment, said)
    return specification(transformer_config(bundle), read_weights(bundle), bundle.alignment)


def write_files(
    bundle: Bundle,
    folder: Path,
    quantization: Quantization = "int8",
    *,
    replace: bool = False,
    form: Form | None = None,
    into: str = "",
) -> None:
    """Whole or not at all; in the form of the model's family, if none is said. A shorter one is for one language."""
    spec = specify(bundle, form or form_of(bundle.config), into)
    # Equal weights become one (embedding and output projection), but only when the specification is optimised.
    spec.optimize(quantization)
    with new_folder(folder, needs=bundle.weights.stat().st_size, replace=replace, shared=True) as new:
        spec.save(str(new))
        write_manifest(new)


@contextmanager
def converted_folder(
    bundle: Bundle, quantization: Quantization, form: Form = "translator", into: str = ""
) -> Iterator[Path]:
    """The folder to load from, at least while the block lasts: of the cache, or made for now where nothing is kept."""
    try:
        folder = cached_folder(bundle, quantization, form, into)
    except WriteError as error:
        logger.warning("the converted model cannot be kept (%s): it is made anew each time, which takes longer", error)
        with tempfile.TemporaryDirectory(prefix="attendo-ct2-") as temporary:
            write_files(bundle, Path(temporary) / "model", quantization, form=form, into=into)
            yield Path(temporary) / "model"
        return
    yield folder


def cached_folder(bundle: Bundle, quantization: Quantization, form: Form = "translator", into: str = "") -> Path:
    """Made at the first use. Two processes may do this at the same time."""
    import ctranslate2

    name = f"{bundle.key[:32]}-{quantization}{'' if form == 'translator' else f'-{form}'}{into and f'-{into}'}"
    folder = cache_folder() / "ct2" / f"{name}-{FORMAT}-{ctranslate2.__version__}"
    if folder.exists():
        try:
            check_sizes(bundle, folder, FILES_OF[form])
            check_manifest(folder, FILES_OF[form])
            return folder
        except InputError as error:
            logger.warning("the converted model is damaged (%s): it is made again", error)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"cannot make the folder {folder.parent}: {error.strerror or error}") from error
    sweep(folder.parent)
    with suppress(FileExistsError):  # another process was quicker
        write_files(bundle, folder, quantization, replace=folder.exists(), form=form, into=into)
    check_manifest(folder, FILES_OF[form])
    return folder


def check_sizes(bundle: Bundle, folder: Path, names: Sequence[str] = FILES) -> None:
    """Before anything is hashed: no file of a converted model can be much larger than the weights it was made of."""
    files, _ = check_listing(folder, names)
    largest = LARGEST_BESIDES + 2 * BYTES_A_NUMBER * num_parameters(bundle.config)
    for name, entry in files.items():
        check_largest(folder / name, entry, largest)
