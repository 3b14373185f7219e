"""Translate a few sentences in every direction by the model that came with the package, and show what it looked at.

make demo        or        python demos/translate.py --out out

The light install is enough; where PyTorch and matplotlib are installed, too, the picture of all heads is drawn besides.
"""

import argparse
import time
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

import attendo
from attendo.inspection.links import link_lines, link_picture

SENTENCES = (
    ("zh", "en", "我爱机器学习"),
    ("zh", "en", "机器学习很有趣"),
    ("zh", "en", "你能告诉我最近的地铁站在哪里吗？"),
    ("en", "zh", "Our teacher bought three books in Beijing."),
    ("en", "zh", "Please close the window before you leave."),
    ("de", "en", "Gestern haben wir bis Mitternacht getanzt."),
    ("de", "en", "Wie viel kostet eine Fahrkarte nach Berlin?"),
    ("en", "de", "I have not seen my brother for two years."),
    ("en", "de", "This book is more expensive than that one."),
)
IN_THE_PICTURE = SENTENCES[0]  # in the README
LINKED = SENTENCES[3]  # Chinese puts the place before the verb
NEXT = (
    ('.venv/bin/attendo translate "Guten Morgen!" --to en', "a sentence of your own; -i FILE -o FILE for many lines"),
    ("make install", "once: PyTorch and all that the commands below need"),
    (
        '.venv/bin/attendo inspect "Guten Morgen!" --to en --out look',
        "every head of every layer, every step",
    ),
    (".venv/bin/attendo train recipes/reverse.toml --run-dir runs/reverse", "train a model of your own, in a minute"),
    ("make lab", "what lectures say of the Transformer, put to the test"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="a model folder, or a name (default: the one that came with the package)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the pictures (default: %(default)s)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False, markup=False, soft_wrap=True)

    started = time.perf_counter()
    translator = attendo.load(options.model)
    console.print(f"Loaded in {time.perf_counter() - started:.2f} s: {translator.engine.name}")
    answered = show_translations(translator, console)

    show_links(translator, options.out / "links.svg", console)
    if find_spec("torch") and find_spec("matplotlib"):
        picture = draw_heads_of(options.model, options.out)
        console.print(f"\nWhat each head of the last layer looked at, of {IN_THE_PICTURE[2]}: {picture}")
    console.print("\nWhere to go next:")
    width = max(len(command) for command, _ in NEXT)
    for command, what in NEXT:
        console.print(f"  {command:<{width}}  {what}")
    return 0 if answered else 1


def show_translations(translator: attendo.Translator, console: Console) -> bool:
    """Whether each sentence has an answer; what there is to remark on is told."""
    table = Table("", "source", "translation", "score", "ms")
    for column in table.columns:
        column.overflow = "fold"  # Chinese has no spaces to break a line at, and would be cut
    answers = [translator.translate(text, to=target, from_=source) for source, target, text in SENTENCES]
    for (source, target, text), answer in zip(SENTENCES, answers, strict=True):
        score = "" if answer.score is None else f"{answer.score:.2f}"
        table.add_row(f"{source} → {target}", text, answer.text, score, f"{answer.seconds * 1e3:.0f}")
    console.print(table, soft_wrap=False)
    for answer in answers:
        for remark in answer.remarks:
            console.print(remark)
    unclean = sum(not answer.ledger.is_clean for answer in answers)
    ledger = f"{unclean} worth a look" if unclean else "nothing was cut, lost or repeated"
    console.print(f"The ledger: {len(SENTENCES)} sentences in, {len(answers)} out, {ledger}.")
    console.print("The score is the mean log-probability of a token; ms are milliseconds, the first with the warm-up.")
    return all(answer.text.strip() for answer in answers)


def show_links(translator: attendo.Translator, path: Path, console: Console) -> None:
    """Of one sentence, which source words each word of its translation was made from."""
    source, target, text = LINKED
    options = attendo.TranslationOptions(alignment=True)
    answer = translator.translate(text, to=target, from_=source, options=options)
    if not answer.alignment:
        return
    spans = sorted({(start, end) for word in answer.alignment for start, end, _ in word.sources})
    weights = []
    for word in answer.alignment:
        shares = {(start, end): weight for start, end, weight in word.sources}
        weights.append([shares.get(span, 0.0) for span in spans])
    rows = [answer.text[word.start : word.end] for word in answer.alignment]
    columns = [text[start:end] for start, end in spans]
    console.print(f"\n{text}\nWhich words each word of its translation was made from, by the model's attention:\n")
    for line in link_lines(weights, rows, columns):
        console.print(f"  {line}".rstrip())
    path.write_text(link_picture(weights, rows, columns), encoding="utf-8")
    console.print(f"\nThe same as a picture: {path}")


def draw_heads_of(model: str | None, out: Path) -> Path:
    """The picture of the last cross-attention; that needs the model's inside, and so torch, which is slow to load."""
    from attendo.inspection.heat_maps import draw_maps
    from attendo.inspection.inspect import inspect

    _, target, text = IN_THE_PICTURE
    found = inspect(text, to=target, model=model)
    cross = [maps for maps in found.maps if maps.name == "cross"]
    return list(draw_maps(cross, found.alignment, out))[-1]


if __name__ == "__main__":
    raise SystemExit(main())
