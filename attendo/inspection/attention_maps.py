"""The maps of a sentence as PNG files: the alignment, and for each layer one with all its heads."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from attendo.inspection.alignment import Alignment, AttentionMaps
from attendo.inspection.heat_map import draw_heads

USES = {  # what each is called, who looks, and at whom
    "encoder-self": ("Encoder self-attention", "source, looking", "source, looked at"),
    "decoder-self": ("Decoder self-attention", "target as read, looking", "target as read, looked at"),
    "cross": ("Cross-attention", "target, being said", "source, looked at"),
    "self": ("Self-attention", "source and target, looking", "source and target, looked at"),
}
ALIGNMENT = "alignment.png"


def draw_maps(maps: Sequence[AttentionMaps], aligned: Alignment, folder: Path) -> Iterator[Path]:
    """Files are named as they are written, so that the caller can show how far it is."""
    heading = "Alignment: the mean over all layers and heads"
    draw_heads(aligned.weights[None], aligned.rows, aligned.columns, [""], heading, folder / ALIGNMENT)
    yield folder / ALIGNMENT
    for one in maps:
        use, looking, looked_at = USES[one.name]
        layers, heads = one.weights.shape[:2]
        titles = [f"head {number}" for number in range(1, heads + 1)]
        for layer, weights in enumerate(one.weights, start=1):
            path = folder / f"{one.name}-layer-{layer}.png"
            heading = f"{use}, layer {layer} of {layers}"
            draw_heads(weights, one.rows, one.columns, titles, heading, path, looking, looked_at)
            yield path
