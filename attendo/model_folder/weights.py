"""Tensors and files: what a model has learnt, written to the disk and read back.

Tensors are read and written as safetensors alone, and a file's header is held against what is expected before anything
is allocated: checkpoints by the library, a model's weights by checked_weights.py, as for the other engines. No other
loader exists, so there is none to fall back to.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from attendo.errors import InputError
from attendo.files.durable import cannot_write
from attendo.files.tensor_file import check_tensors, read_header
from attendo.model.build import Model, build_model
from attendo.model.config import ModelConfig, config_to_dict
from attendo.model_folder.bundle import Bundle
from attendo.model_folder.bundle_writing import write_bundle
from attendo.model_folder.checked_weights import LARGEST_WEIGHT, read_weights
from attendo.model_folder.eight_bits import to_eight_bits
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.model_folder.shortlist import Shortlist
from attendo.text.tokenizer import Tokenizer

DTYPES = {
    "BOOL": torch.bool, "U8": torch.uint8, "I8": torch.int8, "I32": torch.int32, "I64": torch.int64,
    "F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64,
}  # fmt: skip
STORED = (torch.float32, torch.float16, torch.int8)  # of a model folder, see storage.py
OTHER_FILES = 10_000_000  # bytes, about: tokenizer and card

Expected = Mapping[str, tuple[tuple[int, ...], torch.dtype]]


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """The parameters by name, a tied one once, in the model's own memory."""
    named = set(dict(model.named_parameters(remove_duplicate=False)))
    if buffers := sorted(set(model.state_dict()) - named):
        raise InputError(f"{type(model).__name__} keeps {buffers[0]} as a buffer, which no file would hold")
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    try:
        save_file(on_cpu, path)
    except (SafetensorError, OSError) as error:
        raise cannot_write(path, OSError(str(error)), num_bytes(on_cpu)) from error


def num_bytes(tensors: Mapping[str, Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())


def read_tensors(path: Path, expected: Expected) -> dict[str, Tensor]:
    """Exactly these tensors, or an error that says what is different; every number is finite."""
    words = {dtype: word for word, dtype in DTYPES.items()}
    check_tensors(path, read_header(path), {name: (shape, words[dtype]) for name, (shape, dtype) in expected.items()})
    try:
        on_disk = load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    # The library maps the file into memory; a copy does not change when the file does.
    tensors = {name: on_disk[name].clone() for name in expected}
    check_finite(path, tensors)
    return tensors


def check_finite(where: object, tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise InputError(f"{where}: the tensor {name!r} has numbers that are not finite")


def check_largest_weight(where: object, tensors: Mapping[str, Tensor]) -> None:
    """Nothing is written that would not be read."""
    for name, tensor in tensors.items():
        if (largest := float(tensor.abs().max())) > LARGEST_WEIGHT:
            raise InputError(
                f"{where}: the tensor {name!r} has a number of {largest:.3g}: expected at most {LARGEST_WEIGHT:,g}"
            )


def load_weights_(model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Copy the numbers into the parameters, wherever they are."""
    weights = weights_of(model)
    check_fit(model, weights, tensors)
    for name, weight in weights.items():
        weight.copy_(tensors[name])


def check_fit(model: nn.Module, weights: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    kind = type(model).__name__
    if odd := sorted(set(weights) ^ set(tensors)):
        place = "the model" if odd[0] in weights else "the weights"
        raise InputError(f"these weights do not fit the {kind}: {odd[0]!r} is in {place} alone")
    for name, weight in weights.items():
        there, asked = list(tensors[name].shape), list(weight.shape)
        if there != asked:
            raise InputError(f"these weights do not fit the {kind}: {name!r} is {there}, expected {asked}")


def save_model(
    folder: Path,
    model: Model,
    weights: Mapping[str, Tensor],
    tokenizer: Tokenizer,
    directions: Sequence[tuple[str, str]],
    card: str,
    dtype: torch.dtype = torch.float32,
    *,
    stand_ins: bool = False,
    alignment: AlignmentHeads | None = None,
    shortlist: Shortlist | None = None,
) -> None:
    """A model folder with these weights, the model's own or an average of many.

    `dtype`: float32, float16 or int8, see storage.py. `stand_ins`: the model has learnt to keep {1}, {2} … where they
    stand. `alignment`: the heads that tell what a word was made from. `shortlist`: what is said in each language.
    """
    check_fit(model, weights_of(model), weights)
    if model.config.vocab_size != tokenizer.vocab_size:
        known = f"{model.config.vocab_size:,} tokens and the tokenizer {tokenizer.vocab_size:,}"
        raise InputError(f"the model knows {known}")
    written = stored(folder, weights, dtype)
    write_weights = partial(write_tensors, tensors=written)
    table, needs = config_to_dict(model.config), num_bytes(written) + OTHER_FILES
    write_bundle(
        folder, table, tokenizer, directions, card, write_weights, needs,
        stand_ins=stand_ins, alignment=alignment, shortlist=shortlist,
    )  # fmt: skip


def stored(folder: Path, weights: Mapping[str, Tensor], dtype: torch.dtype) -> dict[str, Tensor]:
    """The tensors of the file; in 8 bits a matrix is two of them."""
    if dtype not in STORED:
        kinds = "float32, float16 or int8"
        raise InputError(f"weights cannot be stored in {str(dtype).removeprefix('torch.')}: expected {kinds}")
    kind = torch.float32 if dtype == torch.int8 else dtype
    numbers = {name: weight.detach().to("cpu", kind) for name, weight in weights.items()}
    check_finite(folder, numbers)
    check_largest_weight(folder, numbers)
    if dtype != torch.int8:
        return numbers
    tensors = to_eight_bits({name: number.numpy() for name, number in numbers.items()})
    return {name: torch.from_numpy(tensor) for name, tensor in tensors.items()}


def load_model(bundle: Bundle, device: torch.device | str = "cpu") -> Model:
    """The model of a folder, ready to run. Its configuration is not believed beyond what the weights bear out."""
    weights = read_weights(bundle)  # before a model is even sketched
    model = on_meta(bundle.config)
    give_weights_(model, {name: torch.from_numpy(numbers) for name, numbers in weights.items()})
    return model.to(device).eval()


def on_meta(config: ModelConfig) -> Model:
    """A model with shapes and no memory."""
    with torch.device("meta"):
        return build_model(config)


def give_weights_(model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """A model without memory takes these tensors for its own; what was tied stays tied."""
    own = {parameter: nn.Parameter(tensors[name]) for name, parameter in model.named_parameters()}
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            setattr(module, name, own[parameter])
