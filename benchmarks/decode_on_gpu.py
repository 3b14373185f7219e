"""Decoding on a GPU: target tokens a second, our search beside CTranslate2 and Hugging Face Marian's `generate`, with
the same weights, in half precision, on the same sentences, all in one process and in turn.

    python -m benchmarks.decode_on_gpu [--preset base tiny] [--batch 256 1024] [--beam 4 1] [--sentences 4096]

Weights are random, but wired to end when the target is about as long as its source (`benchmarks.ending`); vocabulary
32,000. "like": sentences of like length share a batch; "mixed": they stand in batches as they come. Medians of the
turns; Marian, which is far slower, translates a quarter of the sentences, once. CTranslate2 is left out where it cannot
be loaded on the GPU.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attendo.decoding.options import SearchOptions
from attendo.engines.cuda.graphs import workspace_on
from attendo.engines.cuda.search import device_beam_search
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from benchmarks.decode import ON_GPU, both_models, marian_search, some_batches
from benchmarks.machine import describe_machine

VOCABULARY = 32_000
TURNS = 5
Ids = tuple[int, ...]
Translate = Callable[[Sequence[Tensor]], list[Ids]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", nargs="+", default=["base", "tiny"])
    parser.add_argument("--batch", nargs="+", type=int, default=[256, 1_024])
    parser.add_argument("--beam", nargs="+", type=int, default=[4, 1])
    parser.add_argument("--sentences", type=int, default=4_096)
    options = parser.parse_args()
    device = torch.device("cuda")
    print(f"{describe_machine()}, torch {torch.__version__}, {torch.cuda.get_device_name()}, float16\n")
    print(
        "| preset | batch | lengths | beam | ours, tokens/s | CTranslate2 | ours / it (lowest-highest) | Marian |",
        end="",
    )
    print(" ours / it | equal to CTranslate2's |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for name in options.preset:
        ours, theirs = both_models(name, VOCABULARY, device, torch.float16)
        with tempfile.TemporaryDirectory() as folder:
            rival = ctranslate2_of(ours, Path(folder))
            for batch in options.batch:
                setting = replace(ON_GPU, sentences={batch: options.sentences})
                for lengths in ("like", "mixed"):
                    batches = some_batches(setting, batch, device, lengths == "like")
                    for beam in options.beam:
                        row = compare(our_search(ours, beam), rival, marian_search(theirs, beam), batches, beam)
                        print(f"| `{name}` | {batch} | {lengths} | {beam} | {' | '.join(row)} |", flush=True)


def compare(ours: Translate, rival: Any, marian: Any, batches: list[Tensor], beam: int) -> list[str]:
    sides: dict[str, Translate] = {"ours": ours}
    if rival is not None:
        sides["rival"] = rival_search(rival, beam, batches)
    rates: dict[str, list[float]] = {name: [] for name in sides}
    found: dict[str, list[Ids]] = {}
    for translate in sides.values():
        translate(batches)
        translate(batches)  # what is recorded is recorded at the second meeting
    for _ in range(TURNS):
        for name, translate in sides.items():
            torch.cuda.synchronize()
            began = time.perf_counter()
            found[name] = translate(batches)
            torch.cuda.synchronize()
            rates[name].append(sum(map(len, found[name])) / (time.perf_counter() - began))
    our_rate = statistics.median(rates["ours"])
    cells = [f"{our_rate:,.0f}"]
    if rival is None:
        cells += ["-", "-"]
    else:
        ratios = [one / other for one, other in zip(rates["ours"], rates["rival"], strict=True)]
        cells += [f"{statistics.median(rates['rival']):,.0f}"]
        cells += [f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"]
    some = batches[:: max(1, len(batches) // max(1, len(batches) // 4))][: max(1, len(batches) // 4)]
    marian(some[0][:8], 40)
    torch.cuda.synchronize()
    began = time.perf_counter()
    tokens = sum(len(ids) for batch in some for ids in marian(batch, longest(batch)))
    torch.cuda.synchronize()
    marian_rate = tokens / (time.perf_counter() - began)
    equal = "-" if rival is None else str(sum(a == b for a, b in zip(found["ours"], found["rival"], strict=True)))
    return [*cells, f"{marian_rate:,.0f}", f"{our_rate / marian_rate:.1f}", f"{equal} of {len(found['ours'])}"]


def longest(batch: Tensor) -> int:
    return 2 * batch.shape[1] + 10


def our_search(model: Transformer, beam: int) -> Translate:
    options, workspace = SearchOptions(beam_size=beam, stop="early"), workspace_on(model.embedding.weight.device)

    def translate(batches: Sequence[Tensor]) -> list[Ids]:
        found = (device_beam_search(model, batch, longest(batch), options, workspace) for batch in batches)
        return [answers[0].ids for of_one in found for answers in of_one]

    return translate


def ctranslate2_of(model: Transformer, folder: Path) -> Any:
    """The same weights on the same GPU; None where it is not to be had."""
    weights = {name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()}
    bias = weights.pop("output.bias")
    try:
        import ctranslate2

        from attendo.engines.ct2.spec import specification

        spec = specification(model.config, weights)
        spec.decoder.projection.bias = bias
        spec.validate()
        spec.optimize("float16")
        spec.save(str(folder))
        return ctranslate2.Translator(str(folder), device="cuda", compute_type="float16")
    except (ImportError, RuntimeError, ValueError) as error:
        print(f"(CTranslate2 cannot be run here: {error})\n")
        return None


def rival_search(translator: Any, beam: int, batches: Sequence[Tensor]) -> Translate:
    """Tokens are made into its names beforehand."""
    named = [
        ([[str(one) for one in row if one != SPECIAL.pad] for row in batch.tolist()], longest(batch))
        for batch in batches
    ]

    def translate(_: Sequence[Tensor]) -> list[Ids]:
        found: list[Ids] = []
        for rows, most in named:
            results = translator.translate_batch(
                rows, beam_size=beam, length_penalty=1.0, max_decoding_length=most, max_input_length=0,
                return_end_token=True, suppress_sequences=[[str(SPECIAL.pad)], [str(SPECIAL.bos)]],
            )  # fmt: skip
            found += [tuple(map(int, result.hypotheses[0])) for result in results]
        return found

    return translate


if __name__ == "__main__":
    main()
