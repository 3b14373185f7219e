"""Imported models against the programs that they come from: the numbers of docs/models.md.

    python -m benchmarks.real_models FOLDER [--opus-lines 60] [--ted-lines 400] [--tatoeba-lines 500]

FOLDER holds models that were downloaded, at any depth: folders of Hugging Face with a Marian model of en-fr or fr-en,
unpacked Argos packages zh-en. Each is imported into a temporary folder, with the clock running, and translates lines of
the corpora beside its own program:

argos   CTranslate2 with the package's own files, in 8 bits, and SentencePiece; and both against the references, in BLEU
opus    `transformers`, in float32. The lines are English ones of Tatoeba; fr-en gets what en-fr made of them

All of them with a beam of 4 and the same length penalty. How many answers are the same, to the letter, is printed.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ctranslate2
import sacrebleu
import sentencepiece

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.decoding.options import SearchOptions
from attendo.engines.ct2.conversion import Quantization
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.engines.engine import Request
from attendo.exchange.import_model import import_model
from attendo.model_folder.bundle import read_bundle
from benchmarks.machine import data_folder, describe_machine

LONGEST = 256  # tokens of an answer
THREADS = 2
TOGETHER = 20  # sentences that transformers gets at once
PIECES = "sentencepiece.model"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--opus-lines", type=int, default=60)
    parser.add_argument("--ted-lines", type=int, default=400)
    parser.add_argument("--tatoeba-lines", type=int, default=500)
    options = parser.parse_args()
    print(describe_machine())
    for folder in sorted(path.parent for path in options.folder.rglob("metadata.json")):
        if (folder / PIECES).is_file():
            compare_argos(folder, {"tatoeba.test.tsv": options.tatoeba_lines, "ted.test.tsv.xz": options.ted_lines})
    texts = [target for _, target in pairs("tatoeba.test.tsv", options.opus_lines)]
    models = {
        pair: path for path in sorted(options.folder.rglob("config.json")) if (pair := opus_direction(path.parent))
    }
    for pair in (("en", "fr"), ("fr", "en")):
        if pair in models:
            texts = compare_opus(models[pair].parent, pair, texts)


def pairs(name: str, count: int) -> list[tuple[str, str]]:
    found = CorpusFile(data_folder() / "zh-en" / name).pairs(ignore)
    return [(pair.source, pair.target) for pair, _ in zip(found, range(count), strict=False)]


def opus_direction(folder: Path) -> tuple[str, str] | None:
    """Of a folder of Hugging Face with files for its tokenizer; none of any other."""
    if not (folder / "source.spm").is_file() or not (folder / "tokenizer_config.json").is_file():
        return None
    table: dict[str, Any] = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    return (table["source_lang"], table["target_lang"]) if {"source_lang", "target_lang"} <= set(table) else None


def imported(folder: Path, out: Path) -> None:
    start = time.perf_counter()
    import_model(folder, out)
    size = (out / "model.safetensors").stat().st_size
    print(f"import            {time.perf_counter() - start:.1f} s, {size / 1e6:.0f} MB", flush=True)


def answers(
    model: Path, texts: Sequence[str], to: str, quantization: Quantization, options: SearchOptions
) -> list[str]:
    bundle = read_bundle(model)
    tokenizer = bundle.tokenizer()
    requests = [Request(tokenizer.source_ids(text, to), LONGEST) for text in texts]
    found = load_ct2_engine(bundle, THREADS, quantization).search(requests, options)
    return [tokenizer.decode(hypotheses[0].ids) for hypotheses in found]


def same(ours: Sequence[str], theirs: Sequence[str]) -> str:
    return f"{sum(one == other for one, other in zip(ours, theirs, strict=True))} of {len(ours)} answers the same"


def compare_argos(folder: Path, files: dict[str, int]) -> None:
    print(f"\nArgos, {folder.name}")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / PIECES))
    engine = ctranslate2.Translator(str(folder / "model"), compute_type="int8", intra_threads=THREADS)
    with tempfile.TemporaryDirectory(prefix="attendo-real-") as temporary:
        model = Path(temporary) / "model"
        imported(folder, model)
        for name, count in files.items():
            sources, references = zip(*pairs(name, count), strict=True)
            ours = answers(model, sources, "en", "int8", SearchOptions(beam_size=4, length_penalty=1.0))
            said = engine.translate_batch(
                [pieces.encode(text, out_type=str) for text in sources],
                beam_size=4, length_penalty=1.0, max_decoding_length=LONGEST, max_batch_size=32, max_input_length=0,
            )  # fmt: skip
            theirs = ["".join(one.hypotheses[0]).replace("▁", " ").removeprefix(" ") for one in said]
            scores = [sacrebleu.corpus_bleu(list(side), [list(references)]).score for side in (ours, theirs)]
            print(f"{name:<18}{same(ours, theirs)}; BLEU {scores[0]:.2f}, its own engine {scores[1]:.2f}", flush=True)


def compare_opus(folder: Path, pair: tuple[str, str], texts: list[str]) -> list[str]:
    """What came out of ours."""
    import torch
    from transformers import MarianMTModel, MarianTokenizer

    print(f"\nOPUS-MT, {'-'.join(pair)}")
    tokenizer: Any = MarianTokenizer.from_pretrained(folder)
    model: Any = MarianMTModel.from_pretrained(folder)
    model.train(False)
    theirs: list[str] = []
    for start in range(0, len(texts), TOGETHER):
        batch = tokenizer(texts[start : start + TOGETHER], return_tensors="pt", padding=True)
        with torch.inference_mode():
            rows = model.generate(
                **batch, num_beams=4, max_length=LONGEST, early_stopping=True, length_penalty=1.0,
                forced_eos_token_id=None,
            )  # fmt: skip
        theirs += tokenizer.batch_decode(rows, skip_special_tokens=True)
    with tempfile.TemporaryDirectory(prefix="attendo-real-") as temporary:
        imported(folder, Path(temporary) / "model")
        options = SearchOptions(beam_size=4, length_penalty=1.0, stop="early")
        ours = answers(Path(temporary) / "model", texts, pair[1], "float32", options)
    print(f"tatoeba.test.tsv  {same(ours, theirs)}", flush=True)
    return ours


if __name__ == "__main__":
    main()
