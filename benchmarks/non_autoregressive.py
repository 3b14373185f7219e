"""A translator that gives all words at once beside its teacher, which gives them in turn: BLEU and time.

python -m benchmarks.non_autoregressive                           all of it, on a GPU if there is one: 4 minutes (H200)
python -m benchmarks.non_autoregressive --work try --small        everything once, on a CPU: a minute
python -m benchmarks.non_autoregressive --page docs/results.md    only the table into the page, from what is kept

Multi30k, English to German, by recipes/non_autoregressive: the teacher is trained, translates the training sources
(beam 4), and the student learns from that. Then both translate test2016 as `attendo translate` does, and the time of
a search is taken, from the ids of the sources to the ids of the answers, with 1 and with 32 sentences at a time, in the
same engine (torch) and precision. Searches take turns; a time is the median over turns, a ratio the median of the
ratios within a turn. Every stage leaves its result in the work folder, so that a second call goes on after it.

--student NAME with --set TABLE.KEY=VALUE … trains another student beside the first, for comparison, and with
--from-nothing one that begins with random weights instead of its teacher's.
"""

import argparse
import json
import logging
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

import attendo
from attendo.data.corpus import CorpusFile, Pair
from attendo.data.lines import ignore
from attendo.decoding.length import group_by_length
from attendo.decoding.options import SearchOptions
from attendo.device import choose_device
from attendo.engines.engine import Request
from attendo.evaluation.metrics import SAMPLES, bleu, chrf
from attendo.translation.translator import Translator
from benchmarks.machine import ROOT, data_folder, describe_machine
from benchmarks.non_autoregressive_page import table_of, write_into
from recipes.non_autoregressive.distil import distil

RECIPES = ROOT / "recipes" / "non_autoregressive"
TRAINING, TEST = "en-de/multi30k.train.tsv.xz", "en-de/multi30k.test2016.tsv"
SEARCHES = {
    "greedy": SearchOptions(beam_size=1), "beam4": SearchOptions(beam_size=4),
    "k1": SearchOptions(passes=1), "k4": SearchOptions(passes=4), "k10": SearchOptions(passes=10),
    "k4l3": SearchOptions(passes=4, lengths=3), "k10l3": SearchOptions(passes=10, lengths=3),
}  # fmt: skip
BATCH_SIZES = {1: 50, 32: 500}  # sentences at a time -> of how many the time is taken
TURNS = 7
TOKENS_TOGETHER = 4_000  # of sources that are translated together where no time is taken
SMALL_MODEL = ["model.d_model=32", "model.d_ff=64", "model.encoder_layers=1", "model.decoder_layers=1"]
SMALL_RUN = [
    "training.max_steps=60", "training.warmup_steps=20", "training.tokens_per_batch=1500",
    "training.checkpoint_every=30", "validation.every=60", "validation.max_pairs=30",
]  # fmt: skip
SMALL_PAIRS, SMALL_TEST = 600, 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=ROOT / "runs" / "non-autoregressive")
    parser.add_argument("--small", action="store_true", help="a tiny model for a few steps: to see that it runs")
    parser.add_argument("--student", default="student", metavar="NAME", help="the folder of this student")
    parser.add_argument("--set", action="append", default=[], metavar="TABLE.KEY=VALUE", dest="settings")
    parser.add_argument("--from-nothing", action="store_true", help="a student that does not begin as its teacher")
    parser.add_argument("--page", type=Path, help="write the table of the kept results into this page, and do no more")
    options = parser.parse_args()
    results = options.work / f"results.{options.student}.json"
    if options.page:
        write_into(options.page, table_of(json.loads(results.read_text(encoding="utf-8"))))
        return
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    options.work.mkdir(parents=True, exist_ok=True)
    stages = Stages(results, options.work / "seconds.json")
    device = choose_device("auto", "device").type

    teacher, student, distilled = (options.work / name for name in ("teacher", options.student, "distilled.tsv"))
    corpus = data_folder() / TRAINING
    small_settings: list[str] = []
    if options.small:
        corpus = first_lines(corpus, options.work / "training.tsv", SMALL_PAIRS)
        small_settings = [*SMALL_RUN, f"data.corpora.0.file={json.dumps(str(corpus))}"]
    stages.keep(
        "teacher", lambda: train(RECIPES / "teacher.toml", teacher, small_settings + SMALL_MODEL * options.small)
    )
    stages.keep("distil", lambda: distil(teacher / "model", corpus, ("en", "de"), distilled, device))
    if options.from_nothing:
        recipe = student_from_nothing(options.work / f"{options.student}.toml", teacher / "model" / "tokenizer.json")
        start = SMALL_MODEL if options.small else []
    else:
        recipe, start = RECIPES / "student.toml", [f"model.init_from={json.dumps(str(teacher / 'model'))}"]
    own = [f"data.corpora.0.file={json.dumps(str(distilled))}", *start, *SMALL_RUN * options.small, *options.settings]
    stages.keep(options.student, lambda: train(recipe, student, own))

    pairs = list(CorpusFile(data_folder() / TEST).pairs(ignore))[: SMALL_TEST if options.small else None]
    translators = {
        "teacher": attendo.load(teacher / "model", engine="torch", device=device),
        "student": attendo.load(student / "model", engine="torch", device=device),
    }
    found = {
        "machine": describe_machine(), "device": torch.cuda.get_device_name() if device == "cuda" else "CPU",
        "torch": torch.__version__, "precision": "float16" if device == "cuda" else "float32",
        "small": options.small, "settings": options.settings, "from_nothing": options.from_nothing,
        "seconds": stages.seconds,
        "parameters": {name: parameters_of(one) for name, one in translators.items()},
        "distilled_pairs": sum(1 for _ in distilled.open(encoding="utf-8")),
        "steps": {name: progress_of(options.work / folder) for name, folder in
                  (("teacher", "teacher"), ("student", options.student))},
    }  # fmt: skip
    stages.write(found)
    stages.keep("quality", lambda: stages.write({"quality": quality_of(translators, pairs)}), always=True)
    sources = [pair.source for pair in pairs]
    stages.keep("times", lambda: stages.write({"times": times_of(translators, sources, options.small)}), always=True)
    stages.write({"seconds": stages.seconds})
    print(table_of(stages.found))


class Stages:
    """What was done stays done; how long each stage took is told beside it."""

    def __init__(self, results: Path, seconds: Path) -> None:
        self.results, self.path = results, seconds
        self.found: dict[str, Any] = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
        self.seconds: dict[str, float] = json.loads(seconds.read_text(encoding="utf-8")) if seconds.exists() else {}

    def keep(self, name: str, work: Callable[[], object], *, always: bool = False) -> None:
        if name in self.seconds and not always:
            return
        print(f"--- {name}", file=sys.stderr, flush=True)
        started = time.perf_counter()
        work()
        self.seconds[name] = round(time.perf_counter() - started, 1)
        self.path.write_text(json.dumps(self.seconds, indent=1) + "\n", encoding="utf-8")
        print(f"--- {name}: {self.seconds[name]} s", file=sys.stderr, flush=True)

    def write(self, more: dict[str, Any]) -> None:
        self.found |= more
        self.results.write_text(json.dumps(self.found, indent=1) + "\n", encoding="utf-8")


def student_from_nothing(path: Path, tokenizer: Path) -> Path:
    """The student's recipe with the sizes of the teacher's in the place of its weights."""
    teacher, student = ((RECIPES / name).read_text(encoding="utf-8") for name in ("teacher.toml", "student.toml"))
    sizes = teacher.partition("[model]\n")[2].partition("\n\n")[0]
    lines = [line for line in student.split("\n") if not line.startswith(("init_from", "dropout"))]
    text = "\n".join(lines).replace("[model]\n", f"[model]\n{sizes}\n")
    path.write_text(f"{text}\n[tokenizer]\nfile = {json.dumps(str(tokenizer.resolve()))}\n", encoding="utf-8")
    return path


def train(recipe: Path, folder: Path, settings: Sequence[str]) -> None:
    """A run that was cut off is taken up again."""
    result = attendo.train(recipe, folder, settings=settings)
    if not result.finished:
        raise SystemExit(f"{folder} was stopped after step {result.step}: the same command goes on")
    print(f"{folder.name}: best step {result.best_step}, BLEU {result.best_score}", file=sys.stderr)


def first_lines(corpus: Path, path: Path, count: int) -> Path:
    pairs = list(CorpusFile(corpus).pairs(ignore))[:count]
    path.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs), encoding="utf-8")
    return path


def parameters_of(translator: Translator) -> int:
    from attendo.model.shapes import num_parameters

    return num_parameters(translator.bundle.config)


def progress_of(run: Path) -> dict[str, float]:
    """Of the run's log: its last step, and the validated scores."""
    lines = [json.loads(line) for line in (run / "log.jsonl").open(encoding="utf-8")]
    scores = {f"bleu after {one['step']}": one["validation"]["bleu"] for one in lines if "validation" in one}
    return {"steps": max(line["step"] for line in lines if "step" in line), **scores}


def owner_of(name: str) -> str:
    return "student" if SEARCHES[name].passes else "teacher"


def quality_of(translators: dict[str, Translator], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Of what the search itself gives; and of what `attendo translate` makes of it, which decodes some lines again."""
    found: dict[str, Any] = {}
    references = [[pair.target for pair in pairs]]
    for name, search in SEARCHES.items():
        translator = translators[owner_of(name)]
        texts = searched(translator, [pair.source for pair in pairs], search)
        options = attendo.TranslationOptions(search=search)
        answers = translator.translate([pair.source for pair in pairs], "de", "en", options)
        score = bleu(texts, references, samples=SAMPLES)
        words = [word for text in texts for word in zip(text.split(), text.split()[1:], strict=False)]
        found[name] = {
            "bleu": score.to_dict() | {"length_ratio": score.length_ratio},
            "chrf": chrf(texts, references).to_dict(),
            "percent_repeated_words": 100 * sum(first == second for first, second in words) / max(1, len(words)),
            "bleu_translated": bleu([answer.to_line() for answer in answers], references).score,
            "decoded_again": sum(answer.ledger.repeated > 0 for answer in answers),
            "recovered": sum(answer.recovered for answer in answers),
            "untranslated": sum(answer.ledger.untranslated > 0 for answer in answers),
        }
        print(f"{name}: BLEU {score.score:.2f}", file=sys.stderr, flush=True)
    return found


def searched(translator: Translator, sources: Sequence[str], search: SearchOptions) -> list[str]:
    requests = [request_of(translator, source) for source in sources]
    texts = [""] * len(requests)
    for indices in group_by_length([len(request.ids) for request in requests], TOKENS_TOGETHER):
        answers = translator.engine.search([requests[index] for index in indices], search)
        for index, (best, *_) in zip(indices, answers, strict=True):
            texts[index] = translator.tokenizer.decode(best.ids)
    return texts


def times_of(translators: dict[str, Translator], sources: Sequence[str], small: bool) -> dict[str, Any]:
    """By sentences at a time and search: milliseconds a sentence, and how many times as fast as greedy search.

    "engine": from ids to ids. "whole": from text to text, cutting, checking and retries included.
    """
    requests = [request_of(translators["teacher"], source) for source in sorted(sources, key=len)]
    found: dict[str, Any] = {}
    for together, count in BATCH_SIZES.items():
        some = requests[:: max(1, len(requests) // (4 if small else count))]
        batches = [some[at : at + together] for at in range(0, len(some), together)]
        texts = [[request.text for request in batch] for batch in batches]
        turns = 2 if small else TURNS

        def engine(name: str, batches: Sequence[Sequence[Request]] = batches) -> None:
            for batch in batches:
                list(translators[owner_of(name)].engine.search(batch, SEARCHES[name]))  # ids that the host has

        def whole(name: str, texts: Sequence[Sequence[str]] = texts) -> None:
            options = attendo.TranslationOptions(search=SEARCHES[name])
            for batch in texts:
                translators[owner_of(name)].translate(list(batch), "de", "en", options)

        found[str(together)] = {
            "sentences": len(some),
            "engine": in_turns(engine, len(some), turns),
            "whole": in_turns(whole, len(some), max(2, turns // 2)),
        }
    return found


def request_of(translator: Translator, source: str) -> Request:
    """The whole source as one sentence."""
    preparer = translator.preparer
    return preparer.request(source, preparer.languages(source, "de", "en"))[0]


def in_turns(work: Callable[[str], None], sentences: int, turns: int) -> dict[str, Any]:
    """Each once or more before the clock starts: recordings are made at the second call."""
    times: dict[str, list[float]] = {name: [] for name in SEARCHES}
    for turn in range(-3, turns):
        for name in SEARCHES:
            started = time.perf_counter()
            work(name)
            if turn >= 0:
                times[name].append(1000 * (time.perf_counter() - started) / sentences)
    return {
        name: {
            "ms": statistics.median(each),
            "all_ms": [round(one, 4) for one in each],
            "times_as_fast": statistics.median(a / b for a, b in zip(times["greedy"], each, strict=True)),
        }
        for name, each in times.items()
    }


if __name__ == "__main__":
    main()
