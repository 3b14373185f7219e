"""Model folders, recipes and checkpoints that were written before recurrent models had cells and attentions."""

from functools import partial

import torch

from attendo.model.build import build_model
from attendo.model.config import RecurrentConfig, config_to_dict
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.bundle_writing import write_bundle
from attendo.model_folder.weights import load_model, weights_of, write_tensors
from attendo.recipe.recipe import recipe_from_dict
from attendo.training.fingerprint import as_today, differences, facts_of_model
from tests.golden.make_model import tiny_tokenizer

DATA = {"languages": ["ab", "ba"], "directions": ["ab-ba"], "corpora": [{"task": "reverse", "pairs": 9}]}


def test_an_old_folder_loads_with_its_weights(tmp_path):
    tokenizer = tiny_tokenizer()
    old = {"family": "lstm", "vocab_size": tokenizer.vocab_size, "d_model": 8, "encoder_layers": 1}
    old |= {"decoder_layers": 2, "dropout": 0.1, "tied_output": True}
    for context, attention in (("attention", "additive"), ("fixed", "none")):
        torch.manual_seed(3)
        sizes = {name: value for name, value in old.items() if name != "family"}
        model = build_model(RecurrentConfig(**sizes, attention=attention)).eval()

        weights = {name: weight.detach() for name, weight in weights_of(model).items()}
        write, folder = partial(write_tensors, tensors=weights), tmp_path / context
        write_bundle(folder, {**old, "context": context}, tokenizer, [("en", "pt-BR")], "# old\n", write, 0)
        loaded = load_model(read_bundle(folder))
        assert loaded.config == model.config
        source, target_in = torch.tensor([[5, 6, 2], [7, 2, 0]]), torch.tensor([[1, 8], [1, 9]])
        assert torch.equal(loaded(source, target_in), model(source, target_in))


def test_old_recipes_are_read():
    def config_of(table):
        return recipe_from_dict({"data": DATA, "model": table}).model.config(50)

    assert config_of({"family": "lstm", "context": "fixed"}) == RecurrentConfig(vocab_size=50, attention="none")
    assert config_of({"preset": "lstm", "context": "attention"}) == RecurrentConfig(vocab_size=50)
    assert config_of({"preset": "gru", "attention": "dot"}) == RecurrentConfig(
        vocab_size=50, cell="gru", attention="dot"
    )


def test_an_old_checkpoint_is_of_the_same_model():
    now = facts_of_model(RecurrentConfig(vocab_size=50, attention="none")) | {"data": "x"}
    old = {
        name: value for name, value in now.items() if name.split(".")[-1] not in ("cell", "attention", "input_feeding")
    }
    old |= {"model.family": "lstm", "model.context": "fixed"}
    same = as_today(old)
    assert {name: same[name] for name in now} == now
    assert differences(as_today({**old, "model.context": "attention"}), same) == [
        "model.attention (additive then, none now)"
    ]
    assert as_today(old)["training.r_drop"] == "0.0"  # a setting that it did not know yet
    assert as_today(old | {"training.r_drop": "5.0"})["training.r_drop"] == "5.0"
    odd = {**old, "model.family": "zzz"}
    assert as_today(odd) == odd
    assert config_to_dict(RecurrentConfig(vocab_size=50))["family"] == "recurrent"
