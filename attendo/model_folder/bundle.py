"""A model folder, by its path or by the name of a model that came with the package: five or six files, nothing else
is read.

    config.json         {"format": 1, "model": {"family": "transformer", …}, "tokenizer": {"kind": "bpe"},
                         "languages": ["zh", "en"], "directions": ["zh-en", "en-zh"]}
                        and perhaps "stand_ins": true, if the model has learnt to keep {1}, {2} … where they stand, and
                        "doubt" and "alignment", see optional_keys.py
    tokenizer.json      see attendo/text/subword_models.py
    model.safetensors   the weights, in float32, float16 or int8, see storage.py
    README.md           the model card
    shortlist.safetensors   perhaps: what is ever said in each language, see shortlist.py
    manifest.json       size and sha256 of each, written last

There is no torch here: a fast engine is made from a folder without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attendo.errors import ConfigError, InputError, UsageError
from attendo.files.manifest import NAME as MANIFEST
from attendo.files.manifest import FileEntry, check_content, check_largest, check_listing
from attendo.files.tables import read_json, short_path, short_repr
from attendo.files.tensor_file import LARGEST_HEADER, TensorInfo, read_header
from attendo.model.config import ModelConfig, config_from_dict
from attendo.model.shapes import num_parameters
from attendo.model_folder.added import added_models
from attendo.model_folder.optional_keys import (
    AlignmentHeads,
    DoubtThresholds,
    check_alignment,
    read_alignment,
    read_doubt,
)
from attendo.text.scripts import parse_direction
from attendo.text.subword_models import KINDS_IN_FILES, LANGUAGE, MOST_LANGUAGES
from attendo.text.subword_models import LARGEST_FILE as LARGEST_TOKENIZER
from attendo.text.tokenizer import FIRST_TAG, Tokenizer

FORMAT = 1
CONFIG, TOKENIZER, WEIGHTS, CARD = FILES = ("config.json", "tokenizer.json", "model.safetensors", "README.md")
SHORTLIST = "shortlist.safetensors"  # the one file that need not be there
LEARN_TEXT = ("decoder-only", "encoder-only")  # families that need no pairs
KEYS = ("format", "model", "tokenizer", "languages", "directions")
OPTIONAL = ("doubt", "stand_ins", "alignment")
# Models that came with the package, each known by the name of its folder.
SHIPPED = Path(__file__).parents[1] / "models"
DEFAULT = "default"
LARGEST_CONFIG = 1_000_000  # bytes; a configuration has a few hundred
LARGEST_CARD = 10_000_000
MOST_PARAMETERS = 10_000_000_000  # the largest preset has 6.7 billion
LARGEST_SHORTLIST_HEADER = 10_000  # bytes; that of three languages has 200
SMALL_VOCABULARY = 2**16  # ids below it fit in 16 bits
BYTES_A_NUMBER = 4  # float32; there are models of float16 and int8, none of more


def shipped_models() -> list[Path]:
    """Their folders; the name of a folder is that of the model."""
    return sorted(path.parent for path in SHIPPED.glob(f"*/{MANIFEST}"))


def known_models() -> list[Path]:
    """Those of the package, and those that the user added."""
    return [*shipped_models(), *added_models()]


def model_folder(model: str | Path | None) -> Path:
    """A folder, or the name of a model that came with the package or was added; without either, the default one.

    A name means that model even where a folder beside has the same: that one is ./NAME.
    """
    name = DEFAULT if model is None else str(model)
    if shipped := [folder for folder in shipped_models() if folder.name == name]:
        return shipped[0]
    if isinstance(model, Path) and model.is_absolute() and model.is_dir():  # no name has a / in it
        return model
    known = {folder.name: folder for folder in reversed(known_models())}
    if name in known:
        return known[name]
    if model is None:
        raise UsageError("this installation has no default model: name a model folder, such as RUN/model")
    folder = Path(model)
    if not name or not folder.is_dir():  # without a name it would be the folder where we are
        names = f", or a name: {', '.join(reversed(known))}" if known else ""
        expected = f"expected the folder `attendo train` wrote, RUN/model{names}"
        raise InputError(f"there is no model folder {short_path(folder) if name else repr(name)}: {expected}")
    return folder


@dataclass(frozen=True, kw_only=True)
class Description:
    """What config.json says of a model."""

    model: dict[str, Any]
    kind: str  # of the tokenizer
    languages: tuple[str, ...]
    directions: tuple[tuple[str, str], ...]
    doubt: DoubtThresholds | None = None
    stand_ins: bool = False  # whether it has learnt to keep {1}, {2} … where they stand
    alignment: AlignmentHeads | None = None  # which heads tell what a word was made from


@dataclass(frozen=True, kw_only=True)
class Bundle(Description):
    """What stands in a model folder whose files are what they were when they were written."""

    folder: Path
    key: str  # sha256 of the manifest: two folders with the same key are the same model
    config: ModelConfig
    files: dict[str, FileEntry]  # what the manifest says of each

    @property
    def weights(self) -> Path:
        return self.folder / WEIGHTS

    def tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.load(self.folder / TOKENIZER, self.files[TOKENIZER].sha256)
        for name, there, expected in (
            ("kind", tokenizer.subwords.kind, self.kind),
            ("languages", tokenizer.languages, self.languages),
            ("vocab_size", tokenizer.vocab_size, self.model.get("vocab_size")),
        ):
            if there != expected:
                found = f"{short_repr(there)} in {TOKENIZER} and {short_repr(expected)} in {CONFIG}"
                raise InputError(f"{self.folder}: {name} is {found}")
        return tokenizer

    def listed_tags(self) -> dict[int, str]:
        """The tags of the languages for which fewer ids than all are to be said, by what the header says."""
        if SHORTLIST not in self.files:
            return {}
        path, vocab_size = self.folder / SHORTLIST, self.config.vocab_size
        header = read_header(path)
        check_lists(path, header, self.directions, self.kind, vocab_size)
        shorter = [name for name, info in header.items() if info.shape[0] < vocab_size]
        return {FIRST_TAG + self.languages.index(name): name for name in shorter}


def read_bundle(folder: Path) -> Bundle:
    """Nothing in the folder is believed before its manifest has been checked, and no file is read that is larger than
    it can be: how large the weights can be, the configuration says, which is read first."""
    files, key = check_listing(folder, FILES, [SHORTLIST])
    for name, largest in ((CONFIG, LARGEST_CONFIG), (TOKENIZER, LARGEST_TOKENIZER), (CARD, LARGEST_CARD)):
        check_largest(folder / name, files[name], largest)
    description = read_description(folder / CONFIG, files[CONFIG].sha256)
    config = read_config(folder / CONFIG, description.model)
    if description.alignment:
        check_alignment(folder / CONFIG, description.alignment, config)
    check_largest(folder / WEIGHTS, files[WEIGHTS], largest_weights(folder / CONFIG, config))
    if SHORTLIST in files:
        most = LARGEST_SHORTLIST_HEADER + BYTES_A_NUMBER * config.vocab_size * len(description.languages)
        check_largest(folder / SHORTLIST, files[SHORTLIST], most)
    for name in (TOKENIZER, CARD, WEIGHTS, *({SHORTLIST} & set(files))):
        check_content(folder / name, files[name])
    return Bundle(**vars(description), folder=folder, key=key, config=config, files=files)


def read_config(path: Path, table: dict[str, Any]) -> ModelConfig:
    try:
        return config_from_dict(table)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def largest_weights(path: Path, config: ModelConfig) -> int:
    """Bytes of a file that holds the weights of such a model."""
    count = num_parameters(config)
    if count > MOST_PARAMETERS:
        raise InputError(f"{path} describes a model of {count:,} parameters: expected at most {MOST_PARAMETERS:,}")
    return 8 + LARGEST_HEADER + BYTES_A_NUMBER * count


def read_description(path: Path, sha256: str | None = None) -> Description:
    table: Any = read_json(path, LARGEST_CONFIG, sha256)
    if not isinstance(table, dict) or type(table.get("format")) is not int:
        raise InputError(f"{path} is not the configuration of a model folder: it has no format number")
    if table["format"] != FORMAT:
        made = "was made by a newer attendo" if table["format"] > FORMAT else "is of no attendo"
        raise InputError(f"{path} {made}: format {short_repr(table['format'])}, this version reads {FORMAT}")
    for name in KEYS:
        if name not in table:
            raise InputError(f"{path} has no {name}")
    for name in table:
        if name not in KEYS and name not in OPTIONAL:
            raise InputError(f"{path}: unknown key {short_repr(name)}, known keys are {', '.join((*KEYS, *OPTIONAL))}")
    if not isinstance(table["model"], dict):
        raise InputError(f"{path}: model is {short_repr(table['model'])}, expected an object")
    match table["tokenizer"]:
        case {"kind": str(kind), **rest} if kind in KINDS_IN_FILES and not rest:
            pass
        case _:
            raise InputError(f"{path}: tokenizer is {short_repr(table['tokenizer'])}, expected only its kind")
    languages = read_languages(path, table["languages"])
    directions = read_directions(path, table["directions"], languages, table["model"])
    doubt = read_doubt(path, table["doubt"], languages, directions) if "doubt" in table else None
    stand_ins = table.get("stand_ins", False)
    if type(stand_ins) is not bool:
        raise InputError(f"{path}: stand_ins is {short_repr(stand_ins)}, expected true or false")
    return Description(
        model=table["model"],
        kind=kind,
        languages=languages,
        directions=directions,
        doubt=doubt,
        stand_ins=stand_ins,
        alignment=read_alignment(path, table["alignment"]) if "alignment" in table else None,
    )


def read_languages(path: Path, names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not 1 <= len(names) <= MOST_LANGUAGES:
        raise InputError(f"{path}: languages is {short_repr(names)}, expected a list of 1 to {MOST_LANGUAGES}")
    for index, name in enumerate(names):
        if not isinstance(name, str) or not LANGUAGE.fullmatch(name) or name in names[:index]:
            raise InputError(f"{path}: {short_repr(name)} in languages, expected different names such as zh or pt-BR")
    return tuple(names)


def read_directions(
    path: Path, texts: object, languages: tuple[str, ...], model: dict[str, Any]
) -> tuple[tuple[str, str], ...]:
    """None, of families that can learn it: the model learnt plain text and translates nothing."""
    least, most = 0 if model.get("family") in LEARN_TEXT else 1, len(languages) ** 2
    if (
        not isinstance(texts, list)
        or not least <= len(texts) <= most
        or not all(isinstance(text, str) for text in texts)
    ):
        raise InputError(
            f"{path}: directions is {short_repr(texts)}, expected a list of {least} to {most} such as zh-en"
        )
    try:
        directions = tuple(parse_direction(text, languages) for text in texts)
    except ConfigError as error:
        raise InputError(f"{path}: {error}") from error
    if len(set(directions)) != len(directions):
        raise InputError(f"{path}: a direction is listed twice")
    return directions


def check_lists(
    path: Path,
    header: Mapping[str, TensorInfo],
    directions: Sequence[tuple[str, str]],
    kind: str,
    vocab_size: int,
) -> None:
    """Of a shortlist: one row of ids for some of the languages, none longer than the vocabulary."""
    if kind == "sentencepiece":
        raise InputError(f"{path}: a shortlist is for models whose sources begin with the tag of a language")
    expected, targets = kind_of_ids(vocab_size), {target for _, target in directions}
    for name, info in header.items():
        if name not in targets:
            into = ", ".join(sorted(targets)) or "none"
            raise InputError(f"{path} has a list for {name[:60]!r}: the model translates into {into}")
        if info.dtype != expected or len(info.shape) != 1 or not FIRST_TAG <= info.shape[0] <= vocab_size:
            found = f"{info.dtype} {list(info.shape)}"
            raise InputError(
                f"{path}: the list for {name} is {found}: expected {expected}, {FIRST_TAG} to {vocab_size:,} ids"
            )


def kind_of_ids(vocab_size: int) -> str:
    return "U16" if vocab_size <= SMALL_VOCABULARY else "U32"
