"""The rooms of the package and who imports whom: the one-way rule, as data, and the drawing of what is.

    python -m benchmarks.rooms [--out docs/figures/rooms.svg]

Prints how many files each room has and draws the imports between rooms, from the files themselves.
`tests/test_imports.py` holds every file against the rule.
"""

import argparse
import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.machine import ROOT

PACKAGE = ROOT / "attendo"

# From left to right: a file imports from its own room and from what stands before it.
ORDER = [
    {"errors", "special_tokens"}, {"device", "files"}, {"text"}, {"data"}, {"model"}, {"model_folder"}, {"decoding"},
    {"training"}, {"engines"}, {"translation"}, {"generation"}, {"reading"}, {"glass"}, {"report"}, {"documents"},
    {"evaluation"}, {"inspection"}, {"explain"}, {"exchange"}, {"doctor"}, {"recipe"}, {"runs"}, {"lab"},
    {"server"}, {"bulk"}, {"cli"},
]  # fmt: skip
RANK = {name: index for index, names in enumerate(ORDER) for name in names}


def source_files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py"))


def room_and_file(path: Path) -> tuple[str, str]:
    """attendo/model/masks.py -> ("model", "masks"); attendo/errors.py -> ("errors", "")."""
    names = path.relative_to(PACKAGE).with_suffix("").parts
    return names[0], ".".join(names[1:])


def imported_modules(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Every module a file names in an import, and whether the import is at the top of the file."""
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            yield node.module or "", id(node) in top
            # `from attendo.model import masks` names the file attendo.model.masks
            yield from ((f"{node.module}.{alias.name}", id(node) in top) for alias in node.names)


def imports_between_rooms() -> Counter[tuple[str, str]]:
    """(importing room, imported room) -> how many files of the one import from the other."""
    found: Counter[tuple[str, str]] = Counter()
    for path in source_files():
        room, _ = room_and_file(path)
        names = {name for name, _ in imported_modules(ast.parse(path.read_text(encoding="utf-8")))}
        rooms = {name.split(".")[1] for name in names if name.startswith("attendo.")}
        found.update((room, other) for other in rooms & set(RANK))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "figures" / "rooms.svg")
    options = parser.parse_args()
    files = Counter(room_and_file(path)[0] for path in source_files())
    rooms = [room for rank in ORDER for room in sorted(rank) if room in files]
    for room in rooms:
        print(f"{room:14} {files[room]:3} files")
    draw_imports(rooms, files, imports_between_rooms(), options.out)
    print(f"wrote {options.out}")


def draw_imports(rooms: list[str], files: Counter[str], imports: Counter[tuple[str, str]], path: Path) -> None:
    """A square for each room (row) that imports another (column); imports that point one way lie below the line."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "attendo"  # the same picture is the same file
    count = len(rooms)
    figure = Figure(figsize=(7.5, 6.5), layout="constrained")
    axes = figure.subplots()
    axes.plot([-0.5, count - 0.5], [-0.5, count - 0.5], color="0.75", linewidth=1)
    for (room, other), number in imports.items():
        row, column = rooms.index(room), rooms.index(other)
        own = room == other
        axes.scatter(column, row, s=28 + 7 * number, marker="s", color="0.82" if own else "#2f6f9f")
        axes.annotate(
            str(number), (column, row), ha="center", va="center", fontsize=6, color="0.35" if own else "white"
        )
    axes.set_xticks(range(count), rooms, rotation=60, ha="left", rotation_mode="anchor", fontsize=8)
    axes.set_yticks(range(count), [f"{room} ({files[room]})" for room in rooms], fontsize=8)
    axes.xaxis.tick_top()
    axes.invert_yaxis()
    axes.set_xlabel("imported room", fontsize=8)
    axes.set_ylabel("importing room, with its number of files", fontsize=8)
    for side in ("right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
