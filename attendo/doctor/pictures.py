"""Two pictures of a corpus: the length of each source against its target's, and how the ratio is spread."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter, SymmetricalLogLocator

from attendo.doctor.examine import Examination
from attendo.doctor.lengths import find_length_outliers, log_ratios
from attendo.errors import DataError

MOST_POINTS = 20_000  # more would only make the picture darker
POINT, OUTLIER = "#3b528b", "#d55e00"  # told apart by colour-blind eyes, and in print


def draw_lengths(examination: Examination, folder: Path) -> list[Path]:
    """Write lengths.png and ratios.png; say where."""
    source, target = examination.source_lengths, examination.target_lengths
    if len(source) == 0:
        return []
    outlier = find_length_outliers(source, target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({"font.size": 9, "axes.titlesize": 10}):
            scatter(examination, outlier).savefig(folder / "lengths.png", dpi=130)
            histogram(examination).savefig(folder / "ratios.png", dpi=130)
    except OSError as error:
        raise DataError(f"cannot write into {folder}: {error.strerror or error}") from error
    return [folder / "lengths.png", folder / "ratios.png"]


def scatter(examination: Examination, outlier: np.ndarray) -> Figure:
    """A point a pair; a shifted or cut corpus shows as a cloud without a diagonal."""
    source, target = examination.source_lengths, examination.target_lengths
    shown = np.linspace(0, len(source) - 1, min(len(source), MOST_POINTS)).astype(np.int64)
    figure = Figure(figsize=(5, 4.6), layout="constrained")
    axis = figure.subplots()
    for flag, colour, label in ((False, POINT, "pairs"), (True, OUTLIER, "length outliers")):
        rows = shown[outlier[shown] == flag]
        if len(rows) == 0:
            continue
        axis.scatter(source[rows], target[rows], s=4, c=colour, alpha=0.4, linewidths=0, label=label)
    axis.set(xscale="symlog", yscale="symlog", title=f"{examination.num_pairs:,} pairs")
    axis.set_xlabel(f"source ({examination.languages[0]}), characters")
    axis.set_ylabel(f"target ({examination.languages[1]}), characters")
    for one in (axis.xaxis, axis.yaxis):  # 10, 20, 50, 100 …, as people count
        one.set_major_locator(SymmetricalLogLocator(base=10, linthresh=2, subs=[1, 2, 5]))
        one.set_major_formatter(ScalarFormatter())
    axis.legend(loc="upper left", markerscale=3)
    return figure


def histogram(examination: Examination) -> Figure:
    """How many target characters a source character becomes."""
    ratios = np.exp(log_ratios(examination.source_lengths, examination.target_lengths))
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axis = figure.subplots()
    axis.hist(np.clip(ratios, 0, 3 * float(np.median(ratios))), bins=80, color=POINT)
    axis.axvline(float(np.median(ratios)), color=OUTLIER, label=f"median {np.median(ratios):.2f}")
    axis.set(title="target length / source length", xlabel="ratio (10 added to both)", ylabel="pairs", yscale="log")
    axis.legend()
    return figure
