import pytest

from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from tests.text.conftest import synthetic_texts


@pytest.fixture(scope="session")
def bpe():
    return train_tokenizer(synthetic_texts, ["zh", "en"], TokenizerConfig(vocab_size=500))


@pytest.fixture
def corpus_file(tmp_path):
    texts = list(synthetic_texts(700, seed=3))
    lines = [f"{zh}\t{en}" for zh, en in zip(texts[::2], texts[1::2], strict=True)]
    lines[10] = "\tno source"
    lines[20] = "长" * 400 + "\ttoo long"
    path = tmp_path / "corpus.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
