"""What older recipes and model folders call something that has another name today; the one place that knows.

The recurrent family had one cell and was called "lstm"; its attention, which is additive, was context = "attention",
and none was context = "fixed". Weights have kept their names.
"""

from collections.abc import Mapping
from typing import Any

from attendo.errors import ConfigError
from attendo.files.tables import short_repr

ATTENTION_OF = {"attention": "additive", "fixed": "none"}


def in_todays_words(table: Mapping[str, Any]) -> dict[str, Any]:
    """A [model] table of a recipe, or the configuration of a model folder.

    {"family": "lstm", "context": "fixed"} -> {"family": "recurrent", "attention": "none"}
    """
    words = dict(table)
    if words.get("family") == "lstm":
        words["family"] = "recurrent"
    if "context" in words and (words.get("family") == "recurrent" or words.get("preset") == "lstm"):
        context = words.pop("context")
        if "attention" in words:
            raise ConfigError("context is the earlier name of attention: expected one of the two")
        if not isinstance(context, str) or context not in ATTENTION_OF:
            raise ConfigError(
                f"context is {short_repr(context)}: expected attention or fixed, which are called "
                f"attention = 'additive' and attention = 'none' today"
            )
        words["attention"] = ATTENTION_OF[context]
    return words
