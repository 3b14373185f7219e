"""shortlist.safetensors, which a model folder may have: for each language the ids that are said in it.

    zh    U16 [7000]    0, 1, 2, 3, … 262, 263, 265, …       in order, none twice; U32 where ids need it
    en    U16 [7000]

A vocabulary is shared by all languages of a model, and an answer in one of them needs less than half of it. To compute
the likelihoods of all pieces takes a good part of the time of a small model, so CTranslate2 computes those on the list
alone. What else is in a batch changes nothing, because the list hangs on the language and on nothing else.

Every list has the four special ids. Who makes one sees to the rest that must be sayable: bytes, digits, punctuation.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.files.tensor_arrays import COUNT_TYPES, each_array
from attendo.files.tensor_file import TensorInfo
from attendo.files.tensor_writing import write_arrays
from attendo.model_folder.bundle import SHORTLIST, Bundle, check_lists, kind_of_ids
from attendo.text.tokenizer import FIRST_TAG

Shortlist = Mapping[str, NDArray[Any]]  # ids, in order, of each language that has a list


def read_shortlist(bundle: Bundle) -> Shortlist:
    """Every id is one of the model's."""
    path, vocab_size, lists = bundle.folder / SHORTLIST, bundle.config.vocab_size, {}

    def check(path: Path, header: Mapping[str, TensorInfo]) -> None:
        check_lists(path, header, bundle.directions, bundle.kind, vocab_size)

    for name, ids in each_array(path, check, COUNT_TYPES, bundle.files[SHORTLIST].sha256):
        check_ids(path, name, ids, vocab_size)
        lists[name] = ids
    return lists


def write_shortlist(path: Path, lists: Shortlist, bundle: Bundle) -> None:
    """For the model of that folder."""
    write_arrays(path, stored_lists(path, lists, bundle.directions, bundle.kind, bundle.config.vocab_size))


def stored_lists(
    path: Path, lists: Shortlist, directions: Sequence[tuple[str, str]], kind: str, vocab_size: int
) -> Shortlist:
    """The tensors of the file, having passed what they will pass when they are read."""
    of_ids = kind_of_ids(vocab_size)
    header = {name: TensorInfo(of_ids, np.shape(ids), 0, 0) for name, ids in lists.items()}
    check_lists(path, header, directions, kind, vocab_size)
    for name, ids in lists.items():
        check_ids(path, name, ids, vocab_size)
    return {name: ids.astype(COUNT_TYPES[of_ids]) for name, ids in lists.items()}


def check_ids(path: Path, name: str, ids: "NDArray[Any]", vocab_size: int) -> None:
    if len(ids) < FIRST_TAG or list(ids[:FIRST_TAG]) != list(range(FIRST_TAG)):
        raise InputError(f"{path}: the list for {name} does not begin with the special ids 0 to {FIRST_TAG - 1}")
    if (ids[1:] <= ids[:-1]).any():
        raise InputError(f"{path}: the ids for {name} are not in order, each once")
    if ids[-1] >= vocab_size:
        raise InputError(f"{path}: the list for {name} has the id {ids[-1]}: expected ids below {vocab_size:,}")
