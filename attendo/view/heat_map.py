"""A matrix of attention weights as a picture: rows look, columns are looked at."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from torch import Tensor


def draw_heads(
    weights: Tensor, rows: Sequence[str], columns: Sequence[str], titles: Sequence[str], heading: str, path: Path
) -> None:
    """weights [pictures, rows, columns], each in [0, 1] -> one picture a title, side by side, written as PNG."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 10}):
        cell = 0.26
        size = (len(titles) * (len(columns) * cell + 0.7) + 0.9, len(rows) * cell + 1.5)
        figure = Figure(figsize=size, layout="constrained")
        figure.suptitle(heading)
        axes = figure.subplots(1, len(titles), squeeze=False, sharey=True)[0]
        for axis, matrix, title in zip(axes, weights, titles, strict=True):
            # viridis reads the same to most colour-blind eyes, and in print
            image = axis.imshow(matrix.tolist(), vmin=0.0, vmax=1.0, cmap="viridis")
            axis.set_title(title)
            axis.set_xticks(range(len(columns)), labels=columns)
            axis.set_yticks(range(len(rows)), labels=rows)
            axis.tick_params(length=0)
            axis.set_xlabel("source, looked at")
        axes[0].set_ylabel("target, looking")
        figure.colorbar(image, ax=list(axes), label="attention weight", shrink=0.8)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
