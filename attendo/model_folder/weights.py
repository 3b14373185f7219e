"""Tensors and files: what a model has learnt, written to the disk and read back.

Only the safetensors library reads and writes tensors, and a file's header is held against what is expected before
anything is allocated. No other loader exists, so there is none to fall back to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from attendo.errors import ConfigError, InputError
from attendo.files.durable import cannot_write
from attendo.files.tensor_file import TensorInfo, read_header
from attendo.model.build import Model, build_model
from attendo.model.config import ModelConfig, config_from_dict, config_to_dict
from attendo.model_folder.bundle import CONFIG, Bundle, write_bundle
from attendo.text.tokenizer import Tokenizer

DTYPES = {
    "BOOL": torch.bool, "U8": torch.uint8, "I32": torch.int32, "I64": torch.int64,
    "F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64,
}  # fmt: skip
STACKS = ("encoder_layers", "decoder_layers", "num_layers")
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
    check_header(path, read_header(path), expected)
    try:
        on_disk = load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    # The library maps the file into memory; a copy does not change when the file does.
    tensors = {name: on_disk[name].clone() for name in expected}
    check_finite(path, tensors)
    return tensors


def check_header(path: Path, header: Mapping[str, TensorInfo], expected: Expected) -> None:
    differences = [f"{name!r} is missing" for name in expected if name not in header]
    differences += [f"{name[:60]!r} is not expected" for name in header if name not in expected]
    for name, (shape, dtype) in expected.items():
        found = header.get(name)
        if found and (found.shape, DTYPES.get(found.dtype)) != (shape, dtype):
            wanted = next(word for word, kind in DTYPES.items() if kind == dtype)
            there, asked = f"{found.dtype} {list(found.shape)}", f"{wanted} {list(shape)}"
            differences.append(f"{name!r} is {there} where {asked} is expected")
    if differences:
        more = f", and {len(differences) - 3} more differences" if len(differences) > 3 else ""
        raise InputError(f"{path} does not hold the tensors it should: {', '.join(differences[:3])}{more}")


def check_finite(where: object, tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise InputError(f"{where}: the tensor {name!r} has numbers that are not finite")


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
) -> None:
    """A model folder with these weights, the model's own or an average of many; in float16 it is half as large."""
    check_fit(model, weights_of(model), weights)
    if model.config.vocab_size != tokenizer.vocab_size:
        known = f"{model.config.vocab_size:,} tokens and the tokenizer {tokenizer.vocab_size:,}"
        raise InputError(f"the model knows {known}")
    written = {name: weight.detach().to("cpu", dtype) for name, weight in weights.items()}
    check_finite(folder, written)
    write_weights = partial(write_tensors, tensors=written)
    table = config_to_dict(model.config)
    write_bundle(folder, table, tokenizer, directions, card, write_weights, num_bytes(written) + OTHER_FILES)


def load_model(bundle: Bundle, device: torch.device | str = "cpu") -> Model:
    """The model of a folder, ready to run. Its configuration is not believed beyond what the weights bear out."""
    try:
        config = config_from_dict(bundle.model)
    except ConfigError as error:
        raise ConfigError(f"{bundle.folder / CONFIG}: {error}") from error
    header = read_header(bundle.weights)
    check_size(bundle, config, header)
    model = on_meta(config)
    # All weights are float32, or all are float16; where they are neither, float32 is what is missed.
    dtype = torch.float16 if {info.dtype for info in header.values()} == {"F16"} else torch.float32
    expected = {name: (tuple(weight.shape), dtype) for name, weight in weights_of(model).items()}
    weights = read_tensors(bundle.weights, expected)
    give_weights_(model, {name: weight.float() for name, weight in weights.items()})
    return model.to(device).eval()


def check_size(bundle: Bundle, config: ModelConfig, header: Mapping[str, TensorInfo]) -> None:
    """As many tensors and numbers in the weights as the configuration asks for, before a model is even sketched."""
    there = len(header), sum(prod(info.shape) for info in header.values())
    asked = size_of(config)
    if there != asked:
        raise InputError(
            f"{bundle.folder}: {CONFIG} describes a model of {asked[1]:,} parameters in {asked[0]:,} tensors, "
            f"{bundle.weights.name} holds {there[1]:,} in {there[0]:,}"
        )


def size_of(config: ModelConfig) -> tuple[int, int]:
    """Tensors and parameters of a model, however deep, from sketches of shallow ones: layers are alike.

    Each stack is sketched with two layers, then with three; what the third adds, every further layer adds.
    """
    depths = {name: getattr(config, name) for name in STACKS if hasattr(config, name)}
    any_family: Any = config
    shallow = replace(any_family, **dict.fromkeys(depths, 2))
    tensors, parameters = base = count(shallow)
    for name, depth in depths.items():
        deeper = count(replace(shallow, **{name: 3}))
        tensors += (depth - 2) * (deeper[0] - base[0])
        parameters += (depth - 2) * (deeper[1] - base[1])
    return tensors, parameters


def count(config: ModelConfig) -> tuple[int, int]:
    sizes = [weight.numel() for weight in on_meta(config).parameters()]
    return len(sizes), sum(sizes)


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
