"""The two-minute recipe: below a trigram model of the same text, and the same by both engines."""

import os
from pathlib import Path

import pytest

from attendo.decoding.options import SamplingOptions
from attendo.evaluation.perplexity import measure_texts
from attendo.generation.load import load_language_model
from attendo.runs.train import train
from benchmarks.trigram import KneserNey, perplexity, read_texts

pytestmark = pytest.mark.slow
RECIPE = Path(__file__).parents[2] / "recipes" / "language-model.toml"


@pytest.mark.skipif(not os.environ.get("ATTENDO_DATA"), reason="needs the corpora of $ATTENDO_DATA")
def test_two_minutes_are_better_than_a_trigram(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    data = Path(os.environ["ATTENDO_DATA"]) / "zh-en"
    model = train(RECIPE, tmp_path / "run", settings=["training.device=cpu"]).model
    texts = read_texts(data / "tatoeba.test.tsv", 2)
    trigram = KneserNey(dict.fromkeys(read_texts(data / "tatoeba.train.tsv.xz", 2)))
    ours, theirs = (load_language_model(model, engine=engine, device="cpu") for engine in ("torch", "ct2"))
    found = measure_texts(ours, texts)
    print(f"per character: {found.per_character:.3f}, the trigram {perplexity(trigram, texts):.3f}")
    assert found.per_character < 0.7 * perplexity(trigram, texts)
    assert measure_texts(theirs, texts).per_character == pytest.approx(found.per_character, rel=1e-5)
    sampling = SamplingOptions(temperature=0.8, seed=1)
    drawn = [[text.text for text in each.generate(samples=50, sampling=sampling)] for each in (ours, theirs)]
    assert sum(one != other for one, other in zip(*drawn, strict=True)) <= 1, "rounding decides a draw, rarely"
