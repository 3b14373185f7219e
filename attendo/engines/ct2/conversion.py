"""A model folder in the form that CTranslate2 reads: made once, kept in the cache, checked before it is believed.

model.bin  config.json  shared_vocabulary.json   what CTranslate2 reads; an encoder or a decoder alone: vocabulary.json
source_vocabulary.json  target_vocabulary.json   instead, where only what a shortlist has for a language is said
manifest.json                                    size and sha256 of each, as CTranslate2 checks nothing itself
"""

import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from attendo.errors import ConfigError, InputError, WriteError
from attendo.files.cache_folder import cache_folder
from attendo.files.durable import new_folder, sweep
from attendo.files.manifest import check_largest, check_listing, check_manifest, write_manifest
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, LayerConfig, ModelConfig, TransformerConfig
from attendo.model.shapes import num_parameters
from attendo.model_folder.bundle import BYTES_A_NUMBER, Bundle

if TYPE_CHECKING:  # numpy takes a while to import, and most loads find all that they need in the cache
    from attendo.files.tensor_arrays import Arrays
    from attendo.model_folder.shortlist import Shortlist

logger = logging.getLogger("attendo")

Quantization = Literal["int8", "float32", "float16"]  # float16 is for GPUs
BYTES: dict[Quantization, int] = {"int8": 1, "float32": 4, "float16": 2}  # of a number; scales and norms are few
# Which of its classes runs it; an encoder-decoder's encoder can stand alone. A translator may be for one language, and
# then says what the shortlist has for it.
Form = Literal["translator", "encoder", "generator"]

FORMAT = 4  # of what we write and of what is checked before; a new one makes the cache anew
FILES = ("model.bin", "config.json", "shared_vocabulary.json")
FILES_INTO_ONE = ("model.bin", "config.json", "source_vocabulary.json", "target_vocabulary.json")
FILES_OF_ONE_STACK = ("model.bin", "config.json", "vocabulary.json")
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


class Contents:
    """What the forms of a model folder are made of: read when it is first needed, and once for all of them."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle

    @cached_property
    def weights(self) -> "Arrays":
        from attendo.model_folder.checked_weights import read_weights  # numpy takes a while to import

        return read_weights(self.bundle)

    @cached_property
    def shortlist(self) -> "Shortlist":
        from attendo.model_folder.shortlist import read_shortlist

        return read_shortlist(self.bundle)


def specify(contents: Contents, form: Form, into: str = "") -> Any:
    from attendo.engines.ct2.encoder_spec import encoder_specification  # numpy takes a while to import
    from attendo.engines.ct2.generator_spec import generator_specification
    from attendo.engines.ct2.spec import specification

    bundle = contents.bundle
    if into and form != "translator":
        raise ConfigError(f"{bundle.folder} in the form {form} for one language: expected a translator")
    if form == "encoder":
        return encoder_specification(encoder_config(bundle), contents.weights)
    if form == "generator":
        return generator_specification(generator_config(bundle), contents.weights)
    said = contents.shortlist[into] if into else None
    return specification(transformer_config(bundle), contents.weights, bundle.alignment, said)


def write_files(
    bundle: Bundle,
    folder: Path,
    quantization: Quantization = "int8",
    *,
    replace: bool = False,
    form: Form | None = None,
) -> None:
    """Whole or not at all; in the form of the model's family, if none is said."""
    write_form(Contents(bundle), folder, quantization, form or form_of(bundle.config), replace=replace)


def write_form(
    contents: Contents, folder: Path, quantization: Quantization, form: Form, into: str = "", *, replace: bool = False
) -> None:
    spec = specify(contents, form, into)
    # Equal weights become one (embedding and output projection), but only when the specification is optimised.
    spec.optimize(quantization)
    needs = BYTES[quantization] * num_parameters(contents.bundle.config)
    with new_folder(folder, needs, replace=replace, shared=True) as new:
        spec.save(str(new))
        write_manifest(new)


class Converted:
    """A model folder in one of the forms, and for each of the `languages` in a shorter one: all of them made now and
    kept in the cache, so that nothing of the folder is needed any more. Where nothing can be kept, each is made anew
    whenever it is opened.
    """

    def __init__(
        self, bundle: Bundle, quantization: Quantization, form: Form = "translator", languages: Sequence[str] = ()
    ) -> None:
        self.bundle, self.quantization, self.form = bundle, quantization, form
        self.kept: dict[str, Path] = {}  # by language; "": the one for all
        contents = Contents(bundle)
        try:
            for into in ("", *languages):
                folder = self.cached(into)
                self.keep(contents, folder, into)
                self.kept[into] = folder
        except WriteError as error:
            warn_not_kept(error)

    def cached(self, into: str) -> Path:
        import ctranslate2

        what = f"-into-{into}" if into else "" if self.form == "translator" else f"-{self.form}"
        name = f"{self.bundle.key[:32]}-{self.quantization}{what}-{FORMAT}-{ctranslate2.__version__}"
        return cache_folder() / "ct2" / name

    @contextmanager
    def folder(self, into: str = "") -> Iterator[Path]:
        """To load from, at least while the block lasts."""
        if into in self.kept:
            try:
                self.keep(Contents(self.bundle), self.kept[into], into, by_content=True)
            except WriteError as error:
                warn_not_kept(error)
                del self.kept[into]
        if into in self.kept:
            yield self.kept[into]
            return
        with tempfile.TemporaryDirectory(prefix="attendo-ct2-") as temporary:
            folder = Path(temporary) / "model"
            write_form(Contents(self.bundle), folder, self.quantization, self.form, into)
            yield folder

    def keep(self, contents: Contents, folder: Path, into: str, *, by_content: bool = False) -> None:
        """Made if it is not there, or not what it was. Two processes may do this at the same time.

        With `by_content` the files are read, for who is about to load from them.
        """
        files = files_of(self.form, into)
        if folder.exists():
            try:
                check_sizes(contents.bundle, folder, files)
                if by_content:
                    check_manifest(folder, files)
                return
            except InputError as error:
                logger.warning("the converted model is damaged (%s): it is made again", error)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"cannot make the folder {folder.parent}: {error.strerror or error}") from error
        sweep(folder.parent)
        with suppress(FileExistsError):  # another process was quicker
            write_form(contents, folder, self.quantization, self.form, into, replace=folder.exists())
        check_manifest(folder, files)


def files_of(form: Form, into: str) -> tuple[str, ...]:
    if form != "translator":
        return FILES_OF_ONE_STACK
    return FILES_INTO_ONE if into else FILES


def warn_not_kept(error: WriteError) -> None:
    logger.warning("the converted model cannot be kept (%s): it is made anew each time, which takes longer", error)


def check_sizes(bundle: Bundle, folder: Path, names: Sequence[str] = FILES) -> None:
    """Before anything is hashed: no file of a converted model can be much larger than the weights it was made of."""
    files, _ = check_listing(folder, names)
    largest = LARGEST_BESIDES + 2 * BYTES_A_NUMBER * num_parameters(bundle.config)
    for name, entry in files.items():
        check_largest(folder / name, entry, largest)
