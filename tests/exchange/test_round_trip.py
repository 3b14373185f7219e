"""There and back: our models for `transformers`, imported again; an imported model trained on."""

import json

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from attendo import load, train
from attendo.exchange.export_hugging_face import export_hugging_face
from attendo.exchange.import_model import import_model
from attendo.model_folder.bundle import model_folder, read_bundle
from tests.exchange.foreign_folders import save_marian, sentences

RECIPE = """
[data]
languages = ["en", "fr"]
directions = ["en-fr"]
validation = "dev.tsv"
[[data.corpora]]
file = "train.tsv"
[model]
init_from = "ours"
[training]
seed = 1
max_steps = 30
warmup_steps = 5
learning_rate = 0.003
tokens_per_batch = 600
checkpoint_every = 30
[validation]
every = 10
"""


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    save_marian(folder / "en-fr")
    import_model(folder / "en-fr", folder / "ours")
    return folder


def test_an_imported_model_goes_back_to_transformers(imported):
    """The same logits there as here; and the way back gives the same file."""
    bundle = read_bundle(imported / "ours")
    export_hugging_face(bundle, imported / "hf")
    theirs, report = AutoModelForSeq2SeqLM.from_pretrained(imported / "hf", output_loading_info=True)
    assert type(theirs).__name__ == "MarianMTModel"
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    tokenizer, own = AutoTokenizer.from_pretrained(imported / "hf"), bundle.tokenizer()
    texts = sentences("en", 10, seed=8)
    assert [tokenizer(text)["input_ids"] for text in texts] == [list(own.source_ids(text, "fr")) for text in texts]
    import_model(imported / "hf", imported / "again")
    again = read_bundle(imported / "again")
    assert again.files["model.safetensors"] == bundle.files["model.safetensors"]
    assert again.files["tokenizer.json"] == bundle.files["tokenizer.json"]


@pytest.mark.slow
def test_the_default_model_there_and_back(tmp_path):
    """Its norms stand before: Pegasus at Hugging Face. The same ids, and the same translations but for rounding."""
    default = read_bundle(model_folder(None))
    export_hugging_face(default, tmp_path / "hf")
    import_model(tmp_path / "hf", tmp_path / "again")
    texts = ["我爱机器学习。", "今天天气很好，我们去公园吧。", "他指出了遵守法律的重要性。", "这本书多少钱？"]
    first, again = load(engine="torch", device="cpu"), load(tmp_path / "again", engine="torch", device="cpu")
    for text in texts:
        assert first.translate(text, to="en").text == again.translate(text, to="en").text
    theirs = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "hf").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "hf")
    source = tokenizer([f">>en<< {text}" for text in texts], return_tensors="pt", padding=True)
    assert source["input_ids"][0].tolist()[: len(first.tokenizer.source_ids(texts[0], "en"))] == list(
        first.tokenizer.source_ids(texts[0], "en")
    )
    with torch.no_grad():
        found = tokenizer.batch_decode(theirs.generate(**source), skip_special_tokens=True)
    assert sum(one == first.translate(text, to="en").text for one, text in zip(found, texts, strict=True)) >= 3


def test_an_imported_model_is_trained_on(imported, monkeypatch):
    """It learns: the loss on lines that it has not seen falls, and the folder that comes out translates."""
    pairs = list(zip(sentences("en", 200, seed=1), sentences("fr", 200, seed=1), strict=True))
    for name, rows in (("train", pairs[:180]), ("dev", pairs[180:])):
        (imported / f"{name}.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows))
    (imported / "recipe.toml").write_text(RECIPE)
    monkeypatch.chdir(imported)
    result = train("recipe.toml", run_dir="run")
    assert result is not None
    bundle = read_bundle(imported / "run" / "model")
    assert bundle.kind == "sentencepiece"
    assert bundle.config == read_bundle(imported / "ours").config
    logged = [json.loads(line) for line in (imported / "run" / "log.jsonl").read_text().splitlines()]
    losses = [entry["validation"]["loss"] for entry in logged if "validation" in entry]
    assert len(losses) == 3
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.2
    assert load(imported / "run" / "model", threads=1).translate("The cat sees a dog.", to="fr").text
