"""How fast a model translates: target tokens a second, our search beside Hugging Face Marian's `generate`, with the
same weights on the same sentences in the same process.

python -m benchmarks.decode                                  `tiny`, `deep-shallow` and `base` on a CPU
python -m benchmarks.decode --preset tiny --only 1x1 32x4    batch 1 with beam 1, and batch 32 with beam 4
python -m benchmarks.decode --like-lengths                   sentences of like length share a batch
python -m benchmarks.decode --threads 1                      and by CPU time, which a busy machine disturbs less
python -m benchmarks.decode --device cuda                    `base` in half precision, batch 256, beam 4

Both do the same work: score = log-probability / length; a sentence is done with its beam_size-th finished hypothesis;
padding and <s> are never said. The last column tells how many translations are equal to the last token. Weights are
random, but wired to end when the target is about as long as its source (`benchmarks.ending`). Sources have log-normal
lengths and stand in batches as they come. The two take turns, and each turn gives a ratio.

From text to text, with CTranslate2: benchmarks.text.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attendo.data.batch import padded
from attendo.decoding.beam import beam_search
from attendo.decoding.options import SearchOptions
from attendo.engines.cuda.search import device_beam_search
from attendo.engines.torch_cpu import PartwiseEncoding, lay_out_for_decoding
from attendo.model.config import TransformerConfig
from attendo.model.positions import sinusoidal_encoding
from attendo.model.presets import preset
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from benchmarks.ending import model_that_ends, sources
from benchmarks.machine import describe_machine
from benchmarks.train import marian

Ids = tuple[int, ...]
Translate = Callable[[Tensor, int], list[Ids]]  # sources [batch, source], maximum length -> targets, </s> included


@dataclass(frozen=True)
class Setting:
    """What is measured where."""

    presets: tuple[str, ...]
    vocabulary: int
    sizes: tuple[tuple[int, int], ...]  # sentences of a batch, beam
    sentences: dict[int, int]  # how many are translated in batches of this size
    precision: torch.dtype
    repeats: int = 3


ON_CPU = Setting(
    ("tiny", "deep-shallow", "base"), 8_000, ((1, 1), (1, 4), (32, 1), (32, 4)), {1: 10, 32: 32}, torch.float32
)
ON_GPU = Setting(("base",), 32_000, ((256, 4),), {256: 1_024}, torch.float16)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], epilog="From text to text, with CTranslate2: benchmarks.text."
    )
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--preset", nargs="+", default=None)
    parser.add_argument("--only", nargs="+", default=None, metavar="BATCHxBEAM")
    parser.add_argument("--like-lengths", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device = torch.device(options.device)
    setting = ON_GPU if device.type == "cuda" else ON_CPU
    where = torch.cuda.get_device_name() if device.type == "cuda" else f"threads {options.threads}"
    print(f"<!-- python -m benchmarks.decode; {describe_machine()}, torch {torch.__version__}, {where} -->\n")
    by_cpu_time = device.type == "cpu" and options.threads == 1
    columns = ["preset", "batch", "beam", "ours, tokens/s", "Marian, tokens/s", "ours / Marian (lowest-highest)"]
    columns += ["by CPU time"] * by_cpu_time + ["tokens a sentence", "equal"]
    print(f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}", flush=True)
    for name in options.preset or setting.presets:
        ours, theirs = both_models(name, setting.vocabulary, device, setting.precision)
        for batch, beam in setting.sizes:
            if not options.only or f"{batch}x{beam}" in options.only:
                duel = Duel(our_search(ours, beam), marian_search(theirs, beam))
                duel.fight(some_batches(setting, batch, device, options.like_lengths), setting.repeats)
                print(f"| `{name}` | {batch} | {beam} | {' | '.join(duel.cells(by_cpu_time))} |", flush=True)


def some_batches(setting: Setting, batch: int, device: torch.device, like_lengths: bool) -> list[Tensor]:
    """[batch, source] each."""
    count = setting.sentences[batch]
    rows = sources(32 * count if like_lengths else count, setting.vocabulary, seed=1)
    if like_lengths:  # as from a large file: of all batches in the order of length, those in the middle of each part
        rows.sort(key=len)
        parts = count // batch
        rows = [row for part in range(parts) for row in rows[(2 * part + 1) * len(rows) // (2 * parts) :][:batch]]
    return [padded(rows[first : first + batch]).to(device) for first in range(0, len(rows), batch)]


# --- two models with the same weights


def both_models(
    name: str, vocabulary: int, device: torch.device, precision: torch.dtype
) -> tuple[Transformer, nn.Module]:
    torch.manual_seed(1)
    config = preset(name, vocabulary)
    assert isinstance(config, TransformerConfig)
    ours = model_that_ends(replace(config, tied_output=False))  # </s> is wired as something to say, not to read
    theirs: Any = marian(config).eval()
    theirs.lm_head.weight = nn.Parameter(torch.empty_like(ours.output.weight))
    with torch.no_grad():
        for our_name, parameter in ours.named_parameters():
            if our_name != "output.bias":
                theirs.get_parameter(marian_name(our_name)).copy_(parameter)
        theirs.final_logits_bias.copy_(ours.output.bias)
        for stack in (theirs.model.encoder, theirs.model.decoder):  # Marian has all sines first, ours alternate
            table = stack.embed_positions.weight
            table.copy_(sinusoidal_encoding(torch.arange(len(table))[None], config.d_model)[0])
    ours.to(device, precision)
    lay_out_for_decoding(ours)
    return ours, theirs.to(device, precision)


def marian_name(name: str) -> str:
    """decoder.layers.1.around_feed_forward.norm.gain -> model.decoder.layers.1.final_layer_norm.weight"""
    if not name.startswith(("encoder", "decoder")):
        return {"embedding.weight": "model.shared.weight", "output.weight": "lm_head.weight"}[name]
    for ours, theirs in {
        "around_self_attention.norm": "self_attn_layer_norm", "around_feed_forward.norm": "final_layer_norm",
        "around_cross_attention.norm": "encoder_attn_layer_norm", "self_attention": "self_attn",
        "cross_attention": "encoder_attn", "feed_forward.inner": "fc1", "feed_forward.outer": "fc2", "query": "q_proj",
        "key": "k_proj", "value": "v_proj", "output": "out_proj", "gain": "weight",
    }.items():  # fmt: skip
        name = name.replace(ours, theirs)
    return f"model.{name}"


# --- two searches


def our_search(model: Transformer, beam: int) -> Translate:
    options = SearchOptions(beam_size=beam, stop="early")

    def translate(source: Tensor, max_length: int) -> list[Ids]:
        if source.is_cuda:
            found = device_beam_search(model, source, max_length, options)
        else:
            found = beam_search(PartwiseEncoding(model), source, max_length, options)
        return [answers[0].ids for answers in found]

    return translate


def marian_search(model: Any, beam: int) -> Translate:
    alike = {"length_penalty": 1.0, "early_stopping": True} if beam > 1 else {}

    @torch.inference_mode()
    def translate(source: Tensor, max_length: int) -> list[Ids]:
        outputs = model.generate(
            source, attention_mask=(source != SPECIAL.pad).long(), num_beams=beam, do_sample=False,
            max_new_tokens=max_length, forced_eos_token_id=None, **alike,
        )  # fmt: skip
        rows = [tuple(row[1:]) for row in outputs.tolist()]  # after <s>
        return [row[: row.index(SPECIAL.eos) + 1] if SPECIAL.eos in row else row for row in rows]

    return translate


# --- in turn


@dataclass(frozen=True)
class Took:
    tokens: int
    wall: float
    cpu: float


class Duel:
    """The same batches for both."""

    def __init__(self, ours: Translate, theirs: Translate) -> None:
        self.sides = {"ours": ours, "theirs": theirs}
        self.took: dict[str, list[Took]] = {name: [] for name in self.sides}
        self.outputs: dict[str, list[Ids]] = {}

    def fight(self, batches: list[Tensor], repeats: int) -> None:
        for translate in self.sides.values():  # on a GPU all shapes once; a CPU is warm after a sentence
            run(translate, batches if batches[0].is_cuda else [batches[0][:1]])
        for _ in range(repeats):
            for name, translate in self.sides.items():
                took, self.outputs[name] = run(translate, batches)
                self.took[name].append(took)

    def cells(self, by_cpu_time: bool) -> list[str]:
        sentences = len(self.outputs["ours"])
        rates = [statistics.median(took.tokens / took.wall for took in turns) for turns in self.took.values()]
        ratios = [self.ratios(lambda took: took.wall)] + [self.ratios(lambda took: took.cpu)] * by_cpu_time
        tokens = dict.fromkeys(f"{turns[0].tokens / sentences:.1f}" for turns in self.took.values())
        equal = sum(one == other for one, other in zip(*self.outputs.values(), strict=True))
        return [*(f"{rate:,.0f}" for rate in rates), *ratios, " and ".join(tokens), f"{equal} of {sentences}"]

    def ratios(self, seconds: Callable[[Took], float]) -> str:
        """Of tokens a second: the median, the lowest and the highest."""
        of_turns = [
            ours.tokens / seconds(ours) / (theirs.tokens / seconds(theirs))
            for ours, theirs in zip(*self.took.values(), strict=True)
        ]
        return f"{statistics.median(of_turns):.2f} ({min(of_turns):.2f}-{max(of_turns):.2f})"


def run(translate: Translate, batches: list[Tensor]) -> tuple[Took, list[Ids]]:
    outputs: list[Ids] = []
    wait_for(batches[0])
    wall, cpu = time.perf_counter(), time.process_time()
    for source in batches:
        outputs += translate(source, 2 * source.shape[1] + 10)
    wait_for(batches[0])
    return Took(sum(map(len, outputs)), time.perf_counter() - wall, time.process_time() - cpu), outputs


def wait_for(batch: Tensor) -> None:
    if batch.is_cuda:
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
