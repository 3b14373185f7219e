"""How fast a model learns: target tokens a second (padding not counted), ours beside Hugging Face Marian of the same
size on the same sentences in the same run; and how much of the bare step's speed a real run from a recipe keeps.

python -m benchmarks.train                       the paper's base on a GPU, `tiny` on a CPU
python -m benchmarks.train --only recipe         the second table alone
python -m benchmarks.train --only rival --precision bfloat16        both in that precision
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.data.batches import Batches, Position, WeightedCorpus
from attendo.data.corpus import CorpusFile
from attendo.data.encoded import EncodedSide, encode_corpus
from attendo.data.filters import FilterConfig
from attendo.data.lines import ignore
from attendo.engines.cpu.training import lean_if_possible
from attendo.files.cache_folder import cache_folder
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model.presets import preset
from attendo.recipe.read import read_recipe
from attendo.recipe.recipe import Recipe
from attendo.runs.build_trainer import build_trainer, objective_of, training_batches
from attendo.runs.live_view import TrainingScreen
from attendo.runs.prepare import Prepared, prepare
from attendo.runs.train import train
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from attendo.training.callback import Callback, StepRecord
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine, choose_machine, set_up
from attendo.training.objective import Objective
from attendo.training.trainer import Trainer
from benchmarks.machine import ROOT, data_folder, describe_machine

SMOOTHING = 0.1


@dataclass(frozen=True)
class Setting:
    """What is measured where."""

    preset: str
    vocabulary: int
    tokens: int
    steps: int
    warm_up: int
    repeats: int


ON_GPU = Setting("base", 32_000, 25_000, steps=60, warm_up=12, repeats=3)
ON_CPU = Setting("tiny", 8_000, 1_000, steps=8, warm_up=1, repeats=7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", default="auto", choices=["auto", "float32", "bfloat16"])
    parser.add_argument("--threads", type=int, default=0, help="of a CPU; 0: one for each core")
    parser.add_argument("--data", nargs="+", default=["tatoeba", "multi30k", "synthetic"])
    parser.add_argument("--only", choices=["rival", "recipe"], help="one of the two tables")
    parser.add_argument("--rival", nargs="+", default=None, choices=list(RIVALS), help="how Marian is run")
    options = parser.parse_args()
    training = TrainingConfig(device=options.device, precision=options.precision, threads=options.threads)
    machine = choose_machine(training, preset("base"))
    set_up(machine)
    on_gpu = machine.device.type == "cuda"
    setting = ON_GPU if on_gpu else ON_CPU
    where = ", ".join(f"{name} {value}" for name, value in machine.to_dict().items())
    print(f"<!-- python -m benchmarks.train; {describe_machine()}, {where} -->\n", flush=True)
    if options.only != "recipe":
        rivals = options.rival or (["compiled", "compiled by width"] if on_gpu else ["eager"])
        table_of_rivals(options.data, rivals, machine, setting)
    if options.only != "rival":
        table_of_recipe(options.device, machine, setting)


# --- beside a rival


def table_of_rivals(names: list[str], rivals: list[str], machine: Machine, setting: Setting) -> None:
    columns = " | ".join(f"Marian, {rival}" for rival in rivals)
    what = f"`{setting.preset}`, vocabulary {setting.vocabulary:,}, about {setting.tokens:,} tokens a batch"
    print(f"Target tokens a second, {what}:\n")
    print(f"| sentences | ours | {columns} | ours / best Marian |")
    print(f"|---|---:|{'---:|' * len(rivals)}---:|", flush=True)
    for name in names:
        part = sentences(name, setting.vocabulary)
        runners = {"ours": our_runner(part, machine, setting)}
        runners |= {rival: marian_runner(part, machine, setting, rival) for rival in rivals}
        rates: dict[str, list[float]] = {runner: [] for runner in runners}
        for _ in range(setting.repeats):  # in turn, so that a slow moment of the machine falls on all
            for runner, run in runners.items():
                rates[runner].append(run())
        middle = {runner: statistics.median(each) for runner, each in rates.items()}
        spread = {
            runner: f"{middle[runner]:,.0f} ± {(max(each) - min(each)) / 2:,.0f}" for runner, each in rates.items()
        }
        best = max(middle[rival] for rival in rivals)
        cells = " | ".join(spread[rival] for rival in rivals)
        print(f"| {name} | {spread['ours']} | {cells} | {middle['ours'] / best:.2f} |", flush=True)


def sentences(name: str, vocabulary: int) -> WeightedCorpus:
    if name == "synthetic":
        return synthetic(100_000, mean=24, vocabulary=vocabulary)
    path, languages = {
        "tatoeba": ("zh-en/tatoeba.train.tsv.xz", ("zh", "en")),
        "multi30k": ("en-de/multi30k.train.tsv.xz", ("en", "de")),
    }[name]
    corpus = CorpusFile(data_folder() / path)
    texts = [text for pair in corpus.pairs(ignore) for text in (pair.source, pair.target)]
    tokenizer = train_tokenizer(lambda: texts, languages, TokenizerConfig(vocabulary))
    with tempfile.TemporaryDirectory() as cache:  # the files stay mapped after the folder is gone
        encoded = encode_corpus(corpus, tokenizer, languages, FilterConfig(), Path(cache))
    return WeightedCorpus(encoded.source, encoded.target, tokenizer.tag(languages[1]))


def synthetic(pairs: int, mean: float, vocabulary: int) -> WeightedCorpus:
    """Log-normal lengths, both sides of like length, ids drawn evenly."""
    rng = np.random.default_rng(1)
    sigma = 0.5
    length = rng.lognormal(np.log(mean) - sigma**2 / 2, sigma, pairs)
    lengths = [np.clip(np.round(length * rng.uniform(0.85, 1.15, pairs)), 1, 200).astype(np.int64) for _ in range(2)]
    sides = [
        EncodedSide(rng.integers(300, vocabulary, each.sum()).astype(np.uint16), np.concatenate(([0], np.cumsum(each))))
        for each in lengths
    ]
    return WeightedCorpus(sides[0], sides[1], tag=4)


def our_runner(corpus: WeightedCorpus, machine: Machine, setting: Setting) -> Callable[[], float]:
    config = preset(setting.preset, setting.vocabulary)
    torch.manual_seed(1)
    batches = list(some(Batches([corpus], setting.tokens, seed=1, packed=machine.packed), setting))
    training = TrainingConfig(label_smoothing=SMOOTHING)
    machine = lean_if_possible(machine, config, training)
    objective = objective_of(training, config, machine)
    return runner(Trainer(build_model(config), batches, objective, training, machine=machine), batches, setting)


def some(batches: Batches, setting: Setting) -> Iterator[Batch]:
    return (batch for batch, _ in islice(batches.stream(Position()), setting.warm_up + setting.steps))


def runner(trainer: Trainer, batches: list[Batch], setting: Setting) -> Callable[[], float]:
    """Batches lie on the device already: what is measured is the step, and nothing else."""
    machine = trainer.machine
    here = [batch.to(machine.device) for batch in batches]
    warm = not machine.compiled
    trainer.state.model.train()

    def run() -> float:
        nonlocal warm
        if not warm:
            for batch in {batch.source.shape + batch.target_in.shape: batch for batch in here}.values():
                trainer.update([batch], 1e-4)  # so that nothing is compiled later
            warm = True
        for batch in here[: setting.warm_up]:
            trainer.update([batch], 1e-4)
        wait_for(machine)
        started = time.perf_counter()
        for batch in here[setting.warm_up :]:
            trainer.update([batch], 1e-4)
        wait_for(machine)
        tokens = sum(batch.num_target_tokens for batch in here[setting.warm_up :])
        return tokens / (time.perf_counter() - started)

    return run


def wait_for(machine: Machine) -> None:
    if machine.device.type == "cuda":
        torch.cuda.synchronize()


# Marian cannot pack, so it gets one pair a row, like lengths together, as `Batches` plans for recurrent models. Its
# compiled forms: one graph for all shapes, or one for each of a few widths to which sentences are padded.
RIVALS = {"eager": None, "compiled": None, "compiled by width": (8, 16, 24, 32, 48, 64, 96, 128, 208)}


def marian_runner(
    corpus: WeightedCorpus, machine: Machine, setting: Setting, how: str, side: "MarianSide | None" = None
) -> Callable[[], float]:
    """`side`: where several settings share a model, it is compiled once."""
    model, objective = side or marian_side(machine, setting, how)
    batches = list(some(Batches([corpus], setting.tokens, seed=1, packed=False), setting))
    if widths := RIVALS[how]:
        batches = [padded_to(batch, widths, setting.tokens) for batch in batches]
    # Its precision and its compiler are its own.
    bare = replace(machine, packed=False, precision=torch.float32, compiled=False)
    return runner(Trainer(model, batches, objective, TrainingConfig(), machine=bare), batches, setting)


MarianSide = tuple[nn.Module, Any]  # a model, and its objective


def marian_side(machine: Machine, setting: Setting, how: str) -> MarianSide:
    model = marian(preset(setting.preset, setting.vocabulary)).to(machine.device)
    objective: Any = MarianLoss()
    if machine.precision != torch.float32:
        objective = Lowered(objective, machine)
    if how != "eager":
        torch._dynamo.config.cache_size_limit = 64
        objective = torch.compile(objective, dynamic=RIVALS[how] is None)
    return model, objective


def marian(config: Any) -> nn.Module:
    from transformers import MarianConfig, MarianMTModel

    assert isinstance(config, TransformerConfig)
    model: nn.Module = MarianMTModel(
        MarianConfig(
            vocab_size=config.vocab_size, d_model=config.d_model, encoder_layers=config.encoder_layers,
            decoder_layers=config.decoder_layers, encoder_attention_heads=config.num_heads,
            decoder_attention_heads=config.num_heads, encoder_ffn_dim=config.d_ff, decoder_ffn_dim=config.d_ff,
            activation_function="relu", scale_embedding=True, max_position_embeddings=512, dropout=config.dropout,
            attention_dropout=0.0, activation_dropout=0.0, pad_token_id=0, eos_token_id=2, bos_token_id=1,
            decoder_start_token_id=1, share_encoder_decoder_embeddings=True, tie_word_embeddings=True,
        )
    )  # fmt: skip
    return model


class MarianLoss:
    """The same objective as ours: cross entropy with label smoothing over the real tokens."""

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        logits = model(
            input_ids=batch.source, attention_mask=batch.source != 0, decoder_input_ids=batch.target_in, use_cache=False
        ).logits
        return F.cross_entropy(
            logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=0, label_smoothing=SMOOTHING, reduction="sum"
        )


@dataclass(frozen=True)
class Lowered:
    objective: Objective
    machine: Machine

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        # cuDNN's attention plans anew for every shape: without it Marian is faster.
        with (
            torch.autocast(self.machine.device.type, self.machine.precision),
            torch.nn.attention.sdpa_kernel(
                [
                    torch.nn.attention.SDPBackend.FLASH_ATTENTION,
                    torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION,
                    torch.nn.attention.SDPBackend.MATH,
                ]
            ),
        ):
            return self.objective(model, batch)


def padded_to(batch: Batch, widths: tuple[int, ...], tokens: int) -> Batch:
    """The next of a few widths for both sides, and the number of rows that goes with it."""
    width = next(one for one in widths if one >= max(batch.source.shape[1], batch.target_in.shape[1]))
    rows = tokens // width

    def fit(tensor: Tensor) -> Tensor:
        return F.pad(tensor[:rows], (0, width - tensor.shape[1], 0, max(0, rows - len(tensor))))

    fitted = batch.each(fit)
    return Batch(fitted.source, fitted.target_in, fitted.target_out, int((fitted.target_out != 0).sum()))


# --- a real run beside the bare step


def table_of_recipe(device: str, machine: Machine, setting: Setting, turns: int = 3) -> None:
    """Multi30k by its recipe, but with this preset and batch: data, log, view, checkpoints and all."""
    steps = 700 if machine.device.type == "cuda" else 30  # on a GPU enough for a checkpoint on the way, and the last
    recipe = read_recipe(
        ROOT / "recipes" / "multi30k-en-de.toml",
        [
            f"model.preset={setting.preset}", f"training.tokens_per_batch={setting.tokens}",
            f"training.max_steps={steps}", f"training.device={device}",
            f"validation.every={10 * steps}", "validation.max_pairs=0", "validation.metric=loss",
        ],
    )  # fmt: skip
    bare, real = [], []
    for _ in range(turns):
        real.append(real_run(recipe))
        bare.append(bare_run(recipe, prepare(recipe, cache_folder()), setting))
    middle = statistics.median(each / other for each, other in zip(real, bare, strict=True))
    print(
        f"\n`recipes/multi30k-en-de.toml` with `{setting.preset}`, {setting.tokens:,} tokens a batch, {steps} steps:\n"
    )
    print("| target tokens a second | median | spread |")
    print("|---|---:|---:|")
    for name, each in (
        ("bare step, batches ready on the device", bare),
        ("real run: data, log, view, checkpoints", real),
    ):
        print(f"| {name} | {statistics.median(each):,.0f} | ± {(max(each) - min(each)) / 2:,.0f} |")
    print(f"| kept | {middle:.1%} | |", flush=True)


class Stopwatch(Callback):
    """Notes when each step was reported."""

    def __init__(self) -> None:
        self.steps: list[tuple[float, int]] = []  # when, and the step's target tokens

    def on_step(self, record: StepRecord) -> None:
        self.steps.append((time.perf_counter(), record.target_tokens))

    def rate(self) -> float:
        """Target tokens a second over the last three quarters of the run, whatever the time was spent on."""
        first = len(self.steps) // 4
        # A GPU's steps are read in groups: begin at the end of one.
        while self.steps[first + 1][0] - self.steps[first][0] < 1e-3:
            first += 1
        tokens = sum(count for _, count in self.steps[first + 1 :])
        return tokens / (self.steps[-1][0] - self.steps[first][0])


def real_run(recipe: Recipe) -> float:
    watch = Stopwatch()
    console = Console(stderr=True, quiet=True)
    with tempfile.TemporaryDirectory() as folder, TrainingScreen(console, "") as screen:
        train(recipe, folder, callbacks=[screen, watch])
    return watch.rate()


def bare_run(recipe: Recipe, prepared: Prepared, setting: Setting) -> float:
    trainer = build_trainer(recipe, prepared)
    batches = training_batches(recipe, prepared, trainer.machine)
    each = [batch for batch, _ in islice(batches.stream(Position()), recipe.training.max_steps)]
    whole = Setting(setting.preset, setting.vocabulary, setting.tokens, len(each) - setting.warm_up, setting.warm_up, 1)
    return runner(trainer, each, whole)()


if __name__ == "__main__":
    main()
