"""attendo score: the log-probability of given translations, held against a plain pass through the model."""

import io
import json
import math
import sys
from types import SimpleNamespace

import pytest
import torch

import attendo
from attendo.cli.main import main
from attendo.documents.pipeline import score_lines
from attendo.errors import DataError, InputError
from attendo.model.config import DecoderOnlyConfig, RecurrentConfig
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.translation.options import DEFAULT
from tests.translation.small_translator import save_random

PAIRS = [
    ("我爱机器学习。", "I love machine learning."),
    ("你好吗？", "How are you?"),
    ("I love machine learning. It is fun!", "我爱机器学习。机器学习很有趣！"),
    ("書", "a book of many words, so that lengths differ" * 5),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_random(tmp_path_factory.mktemp("score") / "model", ends=12.0)


@pytest.fixture(scope="module")
def translator(folder):
    return attendo.load(folder, engine="torch", device="cpu", threads=1)


@pytest.fixture
def command(folder, tmp_path, capfdbinary, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(data, *arguments, name="pairs.tsv"):
        if name == "-":
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        else:
            (tmp_path / name).write_bytes(data)
        with pytest.raises(SystemExit) as end:
            main(["score", name, "--model", str(folder), *arguments])
        out, err = capfdbinary.readouterr()
        return end.value.code or 0, out, err

    return run


def plain_pass(folder, source, target, to):
    """log p of each token, from the logits of the model as it is."""
    bundle = read_bundle(folder)
    tokenizer, model = bundle.tokenizer(), load_model(bundle).double()
    source_ids = [tokenizer.tag(to), *tokenizer.encode(source), 2]
    target_ids = [*tokenizer.encode(target), 2]
    with torch.no_grad():
        logits = model(torch.tensor([source_ids]), torch.tensor([[1, *target_ids[:-1]]]))[0]
    return logits.log_softmax(-1)[range(len(target_ids)), target_ids].tolist()


@pytest.mark.parametrize(
    "config",
    [
        None,
        RecurrentConfig(vocab_size=8, d_model=16, encoder_layers=1, decoder_layers=1),
        DecoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=2, num_layers=1),
    ],
    ids=["transformer", "lstm", "decoder-only"],
)
def test_equals_a_plain_pass(folder, config, tmp_path):
    """Whatever the other pairs of a batch are; traditional 書 is read as 书, as a translator reads it."""
    folder = save_random(tmp_path / "model", config) if config else folder
    translator = attendo.load(folder, engine="torch", device="cpu", threads=1)
    answers = translator.score(PAIRS, to="en")
    for (source, target), answer in zip(PAIRS, answers, strict=True):
        wanted = plain_pass(folder, source.replace("書", "书"), target, "en")
        assert answer.token_log_probs == pytest.approx(wanted, abs=1e-4)
        assert answer.log_prob == pytest.approx(sum(wanted), abs=1e-4 * len(wanted))
        assert answer.score == pytest.approx(sum(wanted) / len(wanted), abs=1e-4)


def test_equals_what_the_search_says_of_its_own_best(translator):
    """Teacher-forced and searched are the same model."""
    texts = [source for source, _ in PAIRS] + ["书", "三本书花了元，有趣吗？", "他昨天买了三本书。", "fun", "we"]
    answers = translator.translate(texts, to="en")
    sentences = [sentence for answer in answers for sentence in answer.sentences if sentence.hypothesis]
    assert len(sentences) >= 3
    prepare = translator.preparer.prepare
    asked = [(prepare(one.source, "en", None, DEFAULT).asked[0].request, one.hypothesis.ids) for one in sentences]
    for sentence, again in zip(sentences, translator.engine.score(asked), strict=True):
        assert again.ids == sentence.hypothesis.ids
        assert again.log_prob == pytest.approx(sentence.hypothesis.log_prob, abs=1e-4)
        assert again.token_log_probs == pytest.approx(sentence.hypothesis.token_log_probs, abs=1e-4)


def test_the_order_and_the_chunks_change_nothing(translator, monkeypatch):
    pairs = [(f"{source}{n}", f"{target}{n}") for n in range(10) for source, target in PAIRS]
    data = "".join(f"{source}\t{target}\n" for source, target in pairs).encode()
    together = translator.score(pairs, to="en")
    monkeypatch.setattr(type(translator.engine), "tokens_per_batch", 40)
    apart = list(score_lines(io.BytesIO(data), "pairs", translator, "en"))
    assert [one.ids for one in apart] == [one.ids for one in together]
    assert [one.log_prob for one in apart] == pytest.approx([one.log_prob for one in together], abs=1e-3)


# --- the command


def test_a_line_for_each_line(command, translator):
    data = "\r\n".join(f"{source}\t{target}" for source, target in PAIRS).encode()
    code, out, err = command(data, "--to", "en")
    assert (code, err) == (0, b"")
    rows = [line.split("\t") for line in out.decode().removesuffix("\n").split("\n")]
    answers = translator.score(PAIRS, to="en")
    assert len(rows) == len(PAIRS)
    for (log_prob, tokens, mean), answer in zip(rows, answers, strict=True):
        assert float(log_prob) == pytest.approx(answer.log_prob, abs=1e-3)
        assert int(tokens) == len(answer.ids)
        assert float(mean) == pytest.approx(float(log_prob) / int(tokens), abs=1e-4)
    assert command(data, "--to", "en", name="-")[1] == out
    assert command(b"", "--to", "en") == (0, b"", b"")


def test_json(command):
    code, out, _ = command("我爱你\tI love a\u2028b\n".encode(), "--to", "en", "--json")
    line, end = out.decode().split("\n")
    assert end == ""
    table = json.loads(line)
    assert code == 0
    assert list(table) == ["log_prob", "tokens", "log_prob_per_token", "pieces", "token_log_probs"]
    assert table["tokens"] == len(table["pieces"]) == len(table["token_log_probs"])
    assert table["pieces"][-1] == "</s>"
    assert math.isclose(sum(table["token_log_probs"]), table["log_prob"], rel_tol=1e-9)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b"no tab", "has 1 columns: expected source<TAB>target"),
        (b"", "has 1 columns"),
        (b"a\tb\tc", "has 3 columns"),
        (b"\tb", "the source is empty"),
        (b"a\t \xe3\x80\x80", "the target is empty"),
        (b"a\tb\xff", "character 4 is not UTF-8"),
        (b"a\t\0b", "character 3 is NUL"),
        (b"a\t" + b"b c " * 4_000, "are too many: this model reads 1,024 and says 6,272"),
        (b"a b " * 2_000 + b"\tb", "are too many"),
    ],
)
def test_malformed_lines_are_named(command, bad, words):
    code, _, err = command(b"good\tgood\n" + bad + b"\ngood\tgood\n", "--to", "en")
    assert (code, err.count(b"\n")) == (1, 1)
    assert err.startswith(b"attendo: pairs.tsv, line 2")
    assert words in err.decode()


def test_in_python_too(translator):
    with pytest.raises(DataError, match="pair 2: the target is empty"):
        translator.score([("a", "b"), ("a", "")], to="en")
    with pytest.raises(InputError, match="does not translate into 'fr'"):
        translator.score([], to="fr")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--model", "m"), 2, b"FILE.tsv"),
        (("none.tsv", "--model", "."), 1, b"cannot read none.tsv"),
    ],
)
def test_mistakes_are_one_line(capfdbinary, arguments, code, words):
    with pytest.raises(SystemExit) as end:
        main(["score", *arguments])
    out, err = capfdbinary.readouterr()
    assert (end.value.code, out, err.count(b"\n")) == (code, b"", 1)
    assert words in err
