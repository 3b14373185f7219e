"""attendo: the Transformer of "Attention Is All You Need", to train, run, measure and look into.

translation = attendo.load("run/model").translate("我爱机器学习。", to="en")
print(translation.text, translation.score, translation.ledger)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attendo.translation.answer import Translation as Translation
    from attendo.translation.load import load as load
    from attendo.translation.translator import Translator as Translator

__version__ = "0.1.0"
__all__ = ["Translation", "Translator", "__version__", "load"]

HOMES = {
    "load": "attendo.translation.load",
    "Translator": "attendo.translation.translator",
    "Translation": "attendo.translation.answer",
}


def __getattr__(name: str) -> Any:
    """Found when first asked for: `attendo --help` should not wait for what it does not use."""
    if name not in HOMES:
        raise AttributeError(f"attendo has no {name}")
    from importlib import import_module

    return getattr(import_module(HOMES[name]), name)
