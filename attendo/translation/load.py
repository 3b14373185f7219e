"""From the name or folder of a model to a translator."""

from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from attendo.engines.ct2.conversion import Quantization, obstacle
from attendo.engines.engine import Engine
from attendo.errors import ConfigError, InputError
from attendo.files.arguments import check_argument, check_path
from attendo.files.tables import short_repr
from attendo.model.config import EncoderOnlyConfig
from attendo.model_folder.bundle import Bundle, model_folder, read_bundle
from attendo.translation.translator import Translator

EngineName = Literal["auto", "torch", "ct2"]
MOST_THREADS = 256
NEEDS_TORCH = "needs torch: pip install 'attendo[train]' (in a clone: make install)"


def load(
    model: str | Path | None = None,
    *,
    engine: EngineName = "auto",
    device: str = "auto",
    threads: int | None = None,
    full_vocabulary: bool = False,
) -> Translator:
    """A translator from a model folder, or from a model of the package by its name; without either, the default one.

    >>> translator = attendo.load(threads=2)  # or attendo.load("runs/mine/model", engine="torch", device="cpu")
    >>> translator.translate("我爱机器学习", to="en").text
    'I love machine learning.'

    The engine is CTranslate2 on a CPU, where it knows the model, and torch elsewhere; ct2 on cuda computes in half
    precision, where CTranslate2's CUDA libraries are there. `device` is auto, cpu or cuda; `threads` are the CPU's.
    With `full_vocabulary` a shortlist of the model is not used: slower, and an answer may be any row of its pieces.
    """
    if model is not None:
        check_path("model", model, ", or the name of a model")
    check_argument("device", device, str, "auto, cpu or cuda")
    if threads is not None:
        check_argument("threads", threads, int, f"a whole number from 1 to {MOST_THREADS}, or None")
    check_argument("full_vocabulary", full_vocabulary, bool, "True or False")
    if not isinstance(engine, str):
        raise ConfigError(f"engine is {short_repr(engine)}: expected auto, torch or ct2")
    folder = model_folder(model)
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise ConfigError(f"threads = {short_repr(threads)}: expected 1 to {MOST_THREADS}")
    bundle = read_bundle(folder)
    check_translates(bundle)
    tokenizer = bundle.tokenizer()
    match engine:
        case "torch":
            return Translator(bundle, tokenizer, torch_engine(bundle, device, threads))
        case "ct2":
            pass
        case "auto":
            # On a GPU our own search is the faster one (docs/performance.md); who has no torch has CTranslate2's.
            if obstacle(bundle.config) or (wants_gpu(device) and find_spec("torch") is not None):
                return Translator(bundle, tokenizer, torch_engine(bundle, device, threads))
        case _:
            raise ConfigError(f"engine is {short_repr(engine)}: expected auto, torch or ct2")
    where = "cpu" if device == "auto" else device
    return Translator(bundle, tokenizer, ct2_engine(bundle, threads, device=where, full_vocabulary=full_vocabulary))


def check_translates(bundle: Bundle) -> None:
    """A model of plain text has no directions."""
    if not bundle.directions:
        encoder = isinstance(bundle.config, EncoderOnlyConfig)
        what, command = ("an encoder alone", "fill") if encoder else ("a language model", "generate")
        raise InputError(
            f"{bundle.folder} is {what}, trained on plain text, and translates nothing: use attendo {command}"
        )


def torch_engine(bundle: Bundle, device: str, threads: int | None) -> Engine:
    if find_spec("torch") is None:
        raise ConfigError(f"{bundle.folder} with these options {NEEDS_TORCH}")
    from attendo.engines.torch_engine import load_torch_engine

    return load_torch_engine(bundle, device, threads)


def ct2_engine(
    bundle: Bundle,
    threads: int | None = None,
    quantization: Quantization = "int8",
    device: str = "cpu",
    *,
    full_vocabulary: bool = False,
) -> Engine:
    from attendo.engines.ct2.engine import load_ct2_engine

    return load_ct2_engine(bundle, threads, quantization, device, full_vocabulary=full_vocabulary)


def uses_gpu(engine: str, device: str) -> bool:
    """Whether `load` will decode on a GPU, for who has to know before it does; of a model that CTranslate2 can run."""
    return device not in ("auto", "cpu") if engine == "ct2" else wants_gpu(device)


def wants_gpu(device: str) -> bool:
    """Asked for, or there to be used; torch is the one to use it, and it is not asked, as that takes a second."""
    if device != "auto":
        return device != "cpu"
    import ctranslate2

    return find_spec("torch") is not None and ctranslate2.get_cuda_device_count() > 0
