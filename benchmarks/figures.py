"""The picture of the READMEs, in both languages: what the heads of the default model's last layer look at.

python -m benchmarks.figures        writes docs/figures/demo-attention.png and demo-attention.zh.png
"""

import tempfile
from pathlib import Path
from typing import get_args

import attendo
from attendo.files.durable import write_file
from attendo.inspection.heat_maps import draw_maps
from attendo.report.language import Language

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
TEXT, TARGET = "我爱机器学习", "en"


def main() -> None:
    found = attendo.inspect(TEXT, to=TARGET)
    cross = [maps for maps in found.maps if maps.name == "cross"]
    for language in get_args(Language):
        path = FIGURES / f"demo-attention{'' if language == 'en' else f'.{language}'}.png"
        with tempfile.TemporaryDirectory() as folder:
            *_, last_layer = draw_maps(cross, found.alignment, Path(folder), language)
            write_file(path, last_layer.read_bytes())
        print(path)


if __name__ == "__main__":
    main()
