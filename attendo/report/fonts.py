"""Letters in pictures: an installed font that has Chinese, and code points for what no font has."""

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from matplotlib import font_manager
from matplotlib.font_manager import FontProperties

LATIN = "DejaVu Sans"  # comes with matplotlib
# Families with Chinese, as their names begin: those of Linux, macOS and Windows. The first that is installed is taken;
# that of the package zhplot comes first, so that pictures look the same on every machine that has it.
CHINESE = (
    "Noto Sans SC", "Noto Sans CJK SC", "Noto Sans CJK", "Source Han Sans SC", "Source Han Sans", "Sarasa", "PingFang",
    "Hiragino Sans GB", "Heiti SC", "STHeiti", "Microsoft YaHei", "SimHei", "WenQuanYi", "Droid Sans Fallback",
    "Noto Serif CJK", "Source Han Serif", "Songti SC", "SimSun", "AR PL", "Arial Unicode MS", "Unifont",
)  # fmt: skip
SAMPLE = "的"


@cache
def families() -> tuple[str, ...]:
    """For matplotlib's font.family: a character is taken from the first that has it."""
    if carried := carried_font():
        font_manager.fontManager.addfont(carried)
    installed = sorted({font.name for font in font_manager.fontManager.ttflist})
    for beginning in CHINESE:
        for name in installed:
            if name.startswith(beginning) and ord(SAMPLE) in characters(name):
                return (LATIN, name)
    return (LATIN,)


def carried_font() -> Path | None:
    """Noto Sans SC, which the package zhplot brings along: a machine for computing seldom has Chinese letters."""
    package = find_spec("zhplot")
    if package is None or package.origin is None:
        return None
    font = Path(package.origin).parent / "fonts" / "NotoSansSC-Regular.ttf"
    return font if font.is_file() else None


@cache
def characters(family: str) -> frozenset[int]:
    path = font_manager.findfont(FontProperties(family=[family]))
    return frozenset(font_manager.get_font(path).get_charmap())


@cache
def characters_of_all(names: tuple[str, ...]) -> frozenset[int]:
    """Of these families together: put together once, as every label of a picture asks."""
    return frozenset().union(*map(characters, names))


def drawable(label: str) -> str:
    """The label, or its code points where a character has no glyph: 我们 -> U+6211·4EEC, if no font has Chinese."""
    if not missing([label]):
        return label
    return "U+" + "·".join(f"{ord(character):04X}" for character in label)


def missing(labels: Iterable[str]) -> list[str]:
    """The characters that no font can draw, in the order of their code points."""
    known = characters_of_all(families())
    return sorted({character for label in labels for character in label if ord(character) not in known})
