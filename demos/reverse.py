"""Train a small Transformer to reverse sequences, and see that its cross-attention runs backwards too.

python demos/reverse.py --out out
"""

import argparse
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from torch import Tensor

from attendo.data.batch import Batch
from attendo.decoding.greedy import greedy_decode
from attendo.inspection.heat_maps import draw_heads
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, reversal
from attendo.model.config import TransformerConfig
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.training.optimizer import cosine_learning_rate
from attendo.training.step import train_step

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LENGTHS = range(1, 13)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1200, help="updates (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of weights and data (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture (default: %(default)s)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    console, progress_console = Console(), Console(stderr=True)

    torch.manual_seed(options.seed)
    generator = torch.Generator().manual_seed(options.seed)
    model = Transformer(
        TransformerConfig(
            vocab_size=FIRST_SYMBOL + len(LETTERS), d_model=64, d_ff=128, num_heads=4,
            encoder_layers=2, decoder_layers=2, dropout=0.0,
        )
    )  # fmt: skip
    size = sum(parameter.numel() for parameter in model.parameters())
    console.print(f"A Transformer of {size:,} parameters learns to say words backwards.")
    started = time.perf_counter()
    seen = train(model, options.steps, generator, progress_console)
    console.print(f"Trained for {options.steps} steps in {time.perf_counter() - started:.0f} s.")

    model.eval()
    unseen = draw_unseen(1000, seen, generator)
    output = greedy_decode(model, unseen.source, max_length=LENGTHS.stop + 2)
    show_examples(unseen, output, console)
    accuracy = share_exact(output, unseen.target_out)
    console.print(f"Whole words right: {accuracy:.1%} of {len(output)} never seen in training (expected over 99 %)")

    picture = options.out / "reverse-attention.png"
    share = draw_cross_attention(model, "transformers", picture, picture.with_suffix(".zh.png"))
    console.print(f"Attention on the anti-diagonal, best head: {share:.0%}; the picture:", picture, soft_wrap=True)
    return 0 if accuracy > 0.99 and share > 0.5 else 1


def train(model: Transformer, steps: int, generator: torch.Generator, console: Console) -> set[str]:
    """Returns the words it was trained on."""
    seen: set[str] = set()
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("loss {task.fields[loss]:.3f}"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("training", total=steps, loss=float("nan"))
        for step in range(1, steps + 1):
            batch = reversal(64, LENGTHS, len(LETTERS), generator)
            rate = cosine_learning_rate(step, peak=2e-3, warmup_steps=150, max_steps=steps)
            loss = train_step(model, optimizer, [batch], rate).loss
            seen.update(text_of(row) for row in batch.source)
            progress.update(task, advance=1, loss=float(loss))
    return seen


def draw_unseen(count: int, seen: set[str], generator: torch.Generator) -> Batch:
    """Words that training did not hold; of the very short ones there are none left."""
    pairs: list[tuple[list[int], list[int]]] = []
    while len(pairs) < count:
        drawn = reversal(1, LENGTHS, len(LETTERS), generator).source[0]
        if text_of(drawn) not in seen:
            symbols = drawn[:-1].tolist()
            pairs.append((symbols, symbols[::-1]))
    return Batch.from_pairs(pairs)


def share_exact(output: Tensor, expected: Tensor) -> float:
    """Share of rows that agree up to and including </s>."""
    return sum(text_of(ours) == text_of(theirs) for ours, theirs in zip(output, expected, strict=True)) / len(output)


def text_of(row: Tensor) -> str:
    """Ids up to </s> as letters; a dot for anything that is not a letter."""
    letters: list[str] = []
    for token in row.tolist():
        if token == SPECIAL.eos:
            return "".join(letters)
        letters.append(LETTERS[token - FIRST_SYMBOL] if token >= FIRST_SYMBOL else ".")
    return "".join(letters) + "…"


def show_examples(batch: Batch, output: Tensor, console: Console, count: int = 6) -> None:
    table = Table("source", "the model says", "")
    for source, answer, expected in list(zip(batch.source, output, batch.target_out, strict=True))[:count]:
        table.add_row(text_of(source), text_of(answer), "right" if text_of(answer) == text_of(expected) else "wrong")
    console.print(table)


def draw_cross_attention(model: Transformer, word: str, english: Path, chinese: Path) -> float:
    """The heads of the last layer on one word, with words in either language; the mean weight on the anti-diagonal in
    the best of them."""
    symbols = [FIRST_SYMBOL + LETTERS.index(letter) for letter in word]
    batch = Batch.from_pairs([(symbols, symbols[::-1])])
    record = AttentionRecord()
    with torch.inference_mode():
        model(batch.source, batch.target_in, record)
    heads = record.cross[-1][0]  # [heads, target, source]
    on_anti_diagonal = heads[:, : len(word), : len(word)].flip(-1).diagonal(dim1=-2, dim2=-1).mean(-1)
    shares = [f"{share:.0%}" for share in on_anti_diagonal.tolist()]
    rows, columns = [*reversed(word), "</s>"], [*word, "</s>"]
    titles = [f"head {head}: {share}" for head, share in enumerate(shares, start=1)]
    heading = "Cross-attention of the last layer, and how much of it lies on the anti-diagonal"
    draw_heads(heads, rows, columns, titles, heading, english)
    titles = [f"第 {head} 个头：{share}" for head, share in enumerate(shares, start=1)]
    heading = "最后一层的交叉注意力，以及落在反对角线上的比例"
    draw_heads(heads, rows, columns, titles, heading, chinese, "正在写的译文", "被看的源句", language="zh")
    return float(on_anti_diagonal.max())


if __name__ == "__main__":
    raise SystemExit(main())
