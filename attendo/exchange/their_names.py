"""The weights of a Transformer under the names of Hugging Face's Marian, and of Pegasus, which has its norms before."""

from collections.abc import Iterator

from attendo.inspection.hugging_face import Pair, check_alike, marian, sines_of, weights_of
from attendo.model.config import TransformerConfig


def their_names(config: TransformerConfig) -> dict[str, str]:
    """Theirs -> ours; or one sentence on why there is no such model there."""
    check_alike(config, "Marian", norm="layer", positions=sines_of(config), bias=True, norm_eps=1e-5)
    return weights_of(config, with_last_norms(config))


def with_last_norms(config: TransformerConfig) -> Iterator[Pair]:
    yield from marian(config)
    if config.norm_order == "pre":
        for side in ("encoder", "decoder"):
            yield f"model.{side}.layer_norm", f"{side}.norm"
