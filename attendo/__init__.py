"""attendo: the Transformer of "Attention Is All You Need", to train, run, measure and look into.

    translation = attendo.load().translate("我爱机器学习", to="en")
    print(translation.text, translation.score, translation.ledger)

The names of `dir(attendo)` are the stable API; docs/api.md tells what each is for.
"""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attendo.data.batch import Batch as Batch
    from attendo.decoding.options import SamplingOptions as SamplingOptions
    from attendo.decoding.options import SearchOptions as SearchOptions
    from attendo.doctor.examine import examine as examine
    from attendo.errors import AttendoError as AttendoError
    from attendo.errors import ConfigError as ConfigError
    from attendo.errors import DataError as DataError
    from attendo.errors import InputError as InputError
    from attendo.errors import TrainingError as TrainingError
    from attendo.errors import UsageError as UsageError
    from attendo.errors import WriteError as WriteError
    from attendo.evaluation.compare import compare as compare
    from attendo.evaluation.evaluate import evaluate as evaluate
    from attendo.inspection.inspect import inspect as inspect
    from attendo.model_folder.installed import models as models
    from attendo.runs.train import train as train
    from attendo.training.callback import Callback as Callback
    from attendo.training.callback import ValidationRecord as ValidationRecord
    from attendo.training.config import TrainingConfig as TrainingConfig
    from attendo.training.trainer import Trainer as Trainer
    from attendo.translation.answer import Translation as Translation
    from attendo.translation.glossary import Glossary as Glossary
    from attendo.translation.load import load as load
    from attendo.translation.options import TranslationOptions as TranslationOptions
    from attendo.translation.translator import Translator as Translator

__version__ = "0.3.0"

# Threads of torch (OpenMP, in GCC's library) wait for each other by spinning, for 300,000 turns, which can be 20 ms. On
# a machine that does something else, too, those they wait for have no core meanwhile, and training all but stops. After
# 1,000 turns they sleep instead. The library reads it once, when torch is loaded: hence here, where nothing is loaded
# yet. No number that is computed changes by it. `python -m benchmarks.company` measures it.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

# Where each name lives. It is imported when it is first asked for: `attendo --help` should not wait for torch.
HOMES = {
    "data.batch": ["Batch"],
    "decoding.options": ["SamplingOptions", "SearchOptions"],
    "doctor.examine": ["examine"],
    "errors": [
        "AttendoError", "ConfigError", "DataError", "InputError", "TrainingError", "UsageError", "WriteError",
    ],
    "evaluation.compare": ["compare"],
    "evaluation.evaluate": ["evaluate"],
    "inspection.inspect": ["inspect"],
    "model_folder.installed": ["models"],
    "runs.train": ["train"],
    "training.callback": ["Callback", "ValidationRecord"],
    "training.config": ["TrainingConfig"],
    "training.trainer": ["Trainer"],
    "translation.answer": ["Translation"],
    "translation.glossary": ["Glossary"],
    "translation.load": ["load"],
    "translation.options": ["TranslationOptions"],
    "translation.translator": ["Translator"],
}  # fmt: skip
HOME_OF = {name: f"attendo.{module}" for module, names in HOMES.items() for name in names}
__all__ = [*HOME_OF, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in HOME_OF:
        raise AttributeError(f"module 'attendo' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(HOME_OF[name]), name)
    globals()[name] = value  # found at once from now on
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
