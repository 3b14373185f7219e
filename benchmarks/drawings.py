"""The drawings of the README and the lab, in both languages: `attendo draw` of each with nothing asked.

python -m benchmarks.drawings        writes docs/figures/NAME.svg and NAME.zh.svg
"""

from pathlib import Path
from typing import get_args

from attendo.inspection.drawings.draw import draw
from attendo.inspection.drawings.options import DRAWINGS, DrawOptions, picture_name
from attendo.report.language import Language

FIGURES = Path(__file__).parent.parent / "docs" / "figures"


def main() -> None:
    for name in DRAWINGS:
        for language in get_args(Language):
            path = FIGURES / picture_name(name, language)
            draw(name, path, DrawOptions(), language)
            print(path)


if __name__ == "__main__":
    main()
