"""Recipes in tests leave nothing outside their own folder."""

import pytest

from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from tests.text.conftest import synthetic_texts


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ATTENDO_DATA", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def bpe():
    return train_tokenizer(synthetic_texts, ["zh", "en"], TokenizerConfig(vocab_size=500))
