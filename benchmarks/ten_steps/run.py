"""Run the cells of a step, one after the other in one namespace, as Jupyter would; keep what they print and draw."""

import io
import runpy
import tempfile
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from PIL import Image  # comes with matplotlib

from benchmarks.ten_steps.source import TenStep

COLOURS = 96  # of a picture: lines, letters and one colour map need no more, and a file has a third of its size
DOTS_PER_INCH = 90


@dataclass
class CellOutput:
    text: str = ""
    pictures: list[bytes] = field(default_factory=list)  # PNG


class CellRecorder(io.TextIOBase):
    """Stands for the screen: what is printed, and what plt.show() would show, goes to the cell that is running."""

    def __init__(self) -> None:
        self.outputs: dict[str, CellOutput] = {}
        self.running = CellOutput()

    def cell_begins(self, name: str) -> None:
        self.running = self.outputs[name] = CellOutput()

    def write(self, text: str) -> int:
        self.running.text += text
        return len(text)

    def show(self) -> None:
        self.running.pictures += [as_png(plt.figure(number)) for number in plt.get_fignums()]
        plt.close("all")


def run_step(step: TenStep) -> dict[str, CellOutput]:
    """What each cell gave. An error, a check that fails among them, is the caller's to see.

    The cells are written to one file that tells, before each, which one comes: a script has one namespace, too.
    """
    screen = CellRecorder()
    codes = [f"cell_begins({name!r})\n{code}\n" for name, code in step.cells.items()]
    plt.switch_backend("agg")
    with tempfile.TemporaryDirectory() as folder, mpl.rc_context(), patch.object(plt, "show", screen.show):
        script = Path(folder) / f"{step.file}.py"
        script.write_text("\n".join(codes), encoding="utf-8")
        try:
            with redirect_stdout(screen):
                runpy.run_path(str(script), init_globals={"cell_begins": screen.cell_begins}, run_name="__main__")
        finally:
            plt.close("all")
    return screen.outputs


def as_png(figure: Figure) -> bytes:
    whole, small = io.BytesIO(), io.BytesIO()
    figure.savefig(whole, format="png", dpi=DOTS_PER_INCH)
    Image.open(whole).convert("RGB").quantize(COLOURS).save(small, format="png", optimize=True)
    return small.getvalue()
