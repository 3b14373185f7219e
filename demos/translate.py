"""Translate a few sentences in every direction by the model that came with the package, and draw what it looked at.

make demo        or        python demos/translate.py --out out
"""

import argparse
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

import attendo

SENTENCES = (
    ("zh", "en", "我爱机器学习"),
    ("zh", "en", "机器学习很有趣"),
    ("zh", "en", "你能告诉我最近的地铁站在哪里吗？"),
    ("en", "zh", "She wrote a letter to her old teacher."),
    ("en", "zh", "Close the window before you leave, please."),
    ("de", "en", "Gestern haben wir bis Mitternacht getanzt."),
    ("de", "en", "Wie viel kostet eine Fahrkarte nach Berlin?"),
    ("en", "de", "I have not seen my brother for two years."),
    ("en", "de", "This book is more expensive than that one."),
)
LOOKED_INTO = SENTENCES[0]
NEXT = """Where to go next:
  {attendo} translate "Guten Morgen!" --to en          a sentence of your own; -i FILE -o FILE for many lines
  {attendo} inspect 机器学习很有趣 --to en --out look      every head of every layer, every step of the search
  {attendo} train recipes/reverse.toml --run-dir runs/reverse    train a model of your own, in a minute
  make lab                                             what lectures say of the Transformer, put to the test"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="a model folder, or a name (default: the one that came with the package)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the pictures (default: %(default)s)")
    options = parser.parse_args()
    console = Console()

    started = time.perf_counter()
    translator = attendo.load(options.model)
    console.print(f"Loaded in {time.perf_counter() - started:.2f} s: {translator.engine.name}")
    complete = show_translations(translator, console)

    picture = look_into(options.model, options.out)
    source, target, text = LOOKED_INTO
    console.print(f"\nWhat each head looked at while it said {text} ({source} → {target}):", picture, soft_wrap=True)
    console.print("\n" + NEXT.format(attendo=".venv/bin/attendo"), soft_wrap=True, highlight=False, markup=False)
    return 0 if complete else 1


def show_translations(translator: attendo.Translator, console: Console) -> bool:
    """Whether each has an answer with nothing to remark on."""
    table = Table("", "source", "translation", "ms")
    clean = True
    for source, target, text in SENTENCES:
        answer = translator.translate(text, to=target, from_=source)
        clean = clean and bool(answer.text.strip()) and answer.ledger.is_clean
        table.add_row(f"{source} → {target}", text, answer.text, f"{answer.seconds * 1e3:.0f}")
    console.print(table)
    return clean


def look_into(model: str | None, out: Path) -> Path:
    """The picture of the last cross-attention; that needs the model's inside, and so torch, which is slow to load."""
    from attendo.inspection.heat_maps import draw_maps
    from attendo.inspection.inspect import inspect

    _, target, text = LOOKED_INTO
    found = inspect(text, to=target, model=model)
    cross = [maps for maps in found.maps if maps.name == "cross"]
    out.mkdir(parents=True, exist_ok=True)
    return list(draw_maps(cross, found.alignment, out))[-1]


if __name__ == "__main__":
    raise SystemExit(main())
