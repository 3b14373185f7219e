"""shortlist.safetensors, which a model folder may have: for each language the ids that are said in it.

    zh    U16 [7000]    0, 1, 2, 3, … 262, 263, 265, …       in order, none twice; U32 where ids need it
    en    U16 [7000]

A vocabulary is shared by all languages of a model, and an answer in one of them needs less than half of it. To compute
the likelihoods of all pieces takes a good part of the time of a small model, so CTranslate2 computes those on the list
alone. What else is in a batch changes nothing, because the list hangs on the language and on nothing else.

Every list has the four special ids. Who makes one sees to the rest that must be sayable: bytes, digits, punctuation.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attendo.errors import InputError
from attendo.files.tensor_file import TensorInfo, read_header
from attendo.model_folder.bundle import SHORTLIST, Bundle
from attendo.text.tokenizer import FIRST_TAG

if TYPE_CHECKING:  # numpy takes a while to import, and an engine asks for the languages alone
    from numpy.typing import NDArray

    Shortlist = Mapping[str, NDArray[Any]]  # ids, in order, of each language that has a list

SMALL_VOCABULARY = 2**16  # ids below it fit in 16 bits


def listed_tags(bundle: Bundle) -> dict[int, str]:
    """The tags of the languages for which fewer ids than all are to be said, by what the header says."""
    if SHORTLIST not in bundle.files:
        return {}
    header = read_header(bundle.folder / SHORTLIST)
    check_lists(bundle, bundle.folder / SHORTLIST, header)
    shorter = [name for name, info in header.items() if info.shape[0] < bundle.config.vocab_size]
    return {FIRST_TAG + bundle.languages.index(name): name for name in shorter}


def read_shortlist(bundle: Bundle) -> "Shortlist":
    """Every id is one of the model's."""
    from attendo.files.tensor_arrays import COUNT_TYPES, each_array

    path, lists = bundle.folder / SHORTLIST, {}
    for name, ids in each_array(path, partial(check_lists, bundle), COUNT_TYPES, bundle.files[SHORTLIST].sha256):
        check_ids(path, name, ids, bundle.config.vocab_size)
        lists[name] = ids
    return lists


def write_shortlist(path: Path, lists: "Shortlist", vocab_size: int) -> None:
    from attendo.files.tensor_writing import write_arrays

    for name, ids in lists.items():
        check_ids(path, name, ids, vocab_size)
    write_arrays(
        path, {name: ids.astype("<u2" if vocab_size <= SMALL_VOCABULARY else "<u4") for name, ids in lists.items()}
    )


def check_lists(bundle: Bundle, path: Path, header: Mapping[str, TensorInfo]) -> None:
    """One row of ids for some of the languages, none longer than the vocabulary."""
    if bundle.kind == "sentencepiece":
        raise InputError(f"{path}: a shortlist is for models whose sources begin with the tag of a language")
    kind, most = "U16" if bundle.config.vocab_size <= SMALL_VOCABULARY else "U32", bundle.config.vocab_size
    targets = {target for _, target in bundle.directions}
    for name, info in header.items():
        if name not in targets:
            into = ", ".join(sorted(targets)) or "none"
            raise InputError(f"{path} has a list for {name[:60]!r}: the model translates into {into}")
        if info.dtype != kind or len(info.shape) != 1 or not FIRST_TAG <= info.shape[0] <= most:
            found = f"{info.dtype} {list(info.shape)}"
            raise InputError(f"{path}: the list for {name} is {found}: expected {kind}, {FIRST_TAG} to {most:,} ids")


def check_ids(path: Path, name: str, ids: "NDArray[Any]", vocab_size: int) -> None:
    if len(ids) < FIRST_TAG or list(ids[:FIRST_TAG]) != list(range(FIRST_TAG)):
        raise InputError(f"{path}: the list for {name} does not begin with the special ids 0 to {FIRST_TAG - 1}")
    if (ids[1:] <= ids[:-1]).any():
        raise InputError(f"{path}: the ids for {name} are not in order, each once")
    if ids[-1] >= vocab_size:
        raise InputError(f"{path}: the list for {name} has the id {ids[-1]}: expected ids below {vocab_size:,}")
