"""What every notebook begins with; the steps' own code is in the other files. See ../README.md, "How this is made"."""

# %% imports (kept)
import math

import numpy as np

# %% drawing
import matplotlib.pyplot as plt

from attendo.report.fonts import families

plt.rcParams.update({"font.family": families(), "font.size": 11, "axes.titlesize": 11, "figure.dpi": 80})
BLUE, ORANGE = "#3b528b", "#c65102"


def heat_map(axis, weights, rows, columns, title=""):
    blues = plt.get_cmap("Blues").with_extremes(bad="#d9d9d9")
    axis.imshow(weights, cmap=blues, vmin=0, vmax=1)
    for (i, j), weight in np.ndenumerate(weights):
        if not np.isnan(weight):
            axis.text(j, i, f"{weight:.2f}", ha="center", va="center", color="white" if weight > 0.6 else "black")
    axis.set_xticks(range(len(columns)), columns)
    axis.set_yticks(range(len(rows)), rows)
    axis.set_title(title)
