"""A tour of the Python API, with the default model: python demos/tour.py

Everything here is a name of `import attendo`, typed: `make check` holds this file against mypy's strict rules.
"""

import tempfile
from pathlib import Path

import attendo


class Tracker(attendo.Callback):
    """Where an experiment tracker would be told of scores."""

    def __init__(self) -> None:
        self.scores: list[dict[str, float]] = []

    def on_validation(self, record: attendo.ValidationRecord) -> None:
        self.scores.append(record.scores)


def translate() -> None:
    translator: attendo.Translator = attendo.load("default", threads=1)
    answer: attendo.Translation = translator.translate("我爱机器学习", to="en")
    print(answer.text, answer.score, answer.ledger.is_clean)

    options = attendo.TranslationOptions(search=attendo.SearchOptions(beam_size=2), keep=False)
    answers: list[attendo.Translation] = translator.translate(["你好", "Guten Tag!"], to="en", options=options)
    print([one.text for one in answers])
    print([one.text for one in translator.translate_lines(iter(["早上好。"]), to="en")])
    print("".join(translator.stream("你好。我是学生。", to="en")))
    print([round(one.score, 2) for one in translator.score([("你好", "Hello."), ("你好", "Rain.")], to="en")])


def train(recipe: Path, run_dir: Path) -> float | None:
    tracker = Tracker()
    settings = ["training.max_steps=2", "training.warmup_steps=1", "training.tokens_per_batch=400"]
    try:
        result = attendo.train(recipe, run_dir, settings=settings, callbacks=[tracker])
    except attendo.TrainingError as error:
        raise SystemExit(str(error)) from error
    print(result.finished, result.model.name, len(tracker.scores))
    return result.best_score


def measure(folder: Path) -> None:
    scores = attendo.evaluate(hypotheses=["A dog runs."], references=["A dog is running."], to="en", samples=0)
    print(scores.to_dict()["chrf"]["score"])
    a, b = ["A dog runs.", "It rains."], ["A dog is running.", "It rains."]
    print(list(attendo.compare(a, b, references=b, to="en", samples=100, trials=100).to_dict()))
    corpus = folder / "corpus.tsv"
    corpus.write_text("Guten Morgen!\tGood morning!\n" * 3, encoding="utf-8")
    print([finding.kind for finding in attendo.examine(corpus, languages=("de", "en")).findings])


def main() -> None:
    print([model.name for model in attendo.models()])
    translate()
    print(attendo.inspect("机器学习很有趣", to="en").translation)
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder))
        train(Path(__file__).parent.parent / "recipes" / "reverse.toml", Path(folder) / "run")


if __name__ == "__main__":
    main()
