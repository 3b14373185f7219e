"""attendo fill: candidates beside a slow softmax over the model's logits; how masks are read; what is refused."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from attendo.cli.main import run
from attendo.errors import ConfigError, InputError
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.reading.fill import fill_masks
from attendo.reading.load import load_encoder
from attendo.reading.masked_text import read_masked
from attendo.special_tokens import MASK, SPECIAL
from tests.engines.test_encoders import BERT
from tests.inspection.small_models import save
from tests.translation.small_translator import save_random, small_tokenizer

TEXTS = ["老师[MASK]饕 24 books.", "[MASK][MASK] 书", "I love [MASK] learning. It is [MASK]!", "x[MASK]"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save("encoder-only", tmp_path_factory.mktemp("fill") / "model")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path_factory.getbasetemp() / "reading-cache"))


def slow_softmax(logits):
    largest = max(logits)
    powers = [math.exp(logit - largest) for logit in logits]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("engine", ["torch", "ct2"])
def test_candidates_are_those_of_a_slow_softmax_over_the_logits(folder, engine):
    bundle = read_bundle(folder)
    loaded, model = load_encoder(bundle, engine=engine, device="cpu", threads=1), load_model(bundle)
    asked = [read_masked(text, loaded.tokenizer) for text in TEXTS]
    for text, filled in zip(asked, fill_masks(asked, loaded.tokenizer, loaded.engine, 7), strict=True):
        with torch.inference_mode():
            logits = model(torch.tensor([text.ids]))[0].tolist()  # alone, so no padding
        assert len(filled.masks) == len(text.positions)
        for position, candidates in zip(text.positions, filled.masks, strict=True):
            expected = slow_softmax(logits[position])
            assert len(candidates) == 7
            assert [one.probability for one in candidates] == pytest.approx(sorted(expected)[:-8:-1], rel=1e-3)
            for one in candidates:
                assert one.probability == pytest.approx(expected[one.id], rel=1e-3)


def test_more_candidates_than_tokens_are_all_tokens(folder):
    loaded = load_encoder(read_bundle(folder), engine="torch", device="cpu")
    asked = [read_masked("书[MASK]", loaded.tokenizer)]
    ((candidates,),) = [one.masks for one in fill_masks(asked, loaded.tokenizer, loaded.engine, 10_000)]
    assert sorted(one.id for one in candidates) == list(range(loaded.tokenizer.vocab_size))
    assert sum(one.probability for one in candidates) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("kind", ["bpe", "char", "unigram"])
@pytest.mark.parametrize("text", [*TEXTS, "[MASK]", " [MASK]  a [MASK]", "机器[MASK]习很有趣", "[MASK]我<unk>爱"])
def test_a_mask_is_one_hidden_token_and_nothing_else_is(kind, text):
    tokenizer = small_tokenizer(kind)
    found = read_masked(text, tokenizer)
    assert [index for index, one in enumerate(found.ids) if one == MASK] == list(found.positions)
    assert len(found.positions) == text.count("[MASK]")
    assert found.ids[-1] == SPECIAL.eos
    assert found.text == " ".join(text.split())
    # Between the masks stands the text, whole.
    visible = [one for one in found.ids if one != MASK]
    assert tokenizer.decode(visible) == "".join(found.around)


def test_the_space_before_a_mask_is_part_of_what_is_hidden():
    tokenizer = small_tokenizer("bpe")
    hidden = read_masked("I love [MASK] learning.", tokenizer)
    whole = tokenizer.encode("I love machine learning.")
    before, after = tokenizer.encode("I love"), tokenizer.encode(" learning.")
    assert whole[: len(before)] == before
    assert whole[-len(after) :] == after
    assert hidden.ids == (*before, MASK, *after, SPECIAL.eos)
    assert hidden.with_tokens({0: " machine"}) == "I love machine learning."
    assert hidden.text == "I love [MASK] learning."
    characters = read_masked("I love [MASK]x", small_tokenizer("char"))
    assert characters.spaces == ("",)
    assert characters.with_tokens({0: "y"}) == "I love yx"


@pytest.mark.parametrize(
    ("text", "mask", "words"),
    [
        ("老师", "[MASK]", "has no mask: expected [MASK]"),
        ("", "[MASK]", "has no mask"),
        ("a <mask> b", "[MASK]", "has '<mask>', which is no mask"),
        ("a [mask] b", "[MASK]", "has '[mask]', which is no mask"),
        ("a [MASK] b", "___", "has no mask: expected ___"),
        ("a [MASK] b", " ", "the mask is empty"),
    ],
)
def test_a_text_without_a_mask_is_refused(text, mask, words):
    with pytest.raises(InputError) as refused:
        read_masked(text, small_tokenizer(), mask)
    assert words in str(refused.value)


# --- the command


def output_of(capsys, *arguments):
    code = run(["fill", *map(str, arguments)], debug=False)
    return code, *capsys.readouterr()


def test_the_command_for_people_and_programs(folder, capsys):
    code, out, err = output_of(capsys, "老师[MASK]书", "[MASK]和[MASK]", "--model", folder, "--top", 2)
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 1 + 2 + 1 + 2 * (1 + 2)
    assert lines[0] == "老师[MASK]书"
    assert "%  老师" in lines[1]
    assert "side by side" in err  # said once, and only where there are several
    code, out, err = output_of(capsys, "老师[MASK]书", "--model", folder, "--top", 3, "--json", "--engine", "torch")
    (table,) = map(json.loads, out.splitlines())
    assert (code, err) == (0, "")
    assert table["text"] == "老师[MASK]书"
    assert table["best"] == table["masks"][0][0]["text"]
    assert [len(one) for one in table["masks"]] == [3]
    assert table["best"] == f"老师{table['masks'][0][0]['token']}书"


def test_lines_of_a_file(folder, tmp_path, capsys):
    file = tmp_path / "in.txt"
    file.write_text("a ___ b\n___\r\n书\n___ c\n", encoding="utf-8")
    code, out, err = output_of(capsys, "-i", file, "--model", folder, "--json", "--mask", "___", "--top", 1)
    assert code == 1
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["a ___ b", "___"]  # what came before is there
    assert err.strip() == f"attendo: {file}, line 3: the text has no mask: expected ___ where a token is to be guessed"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["a[MASK]"], 2, "--model is missing"),
        (["a[MASK]", "--model", "default"], 1, "is an encoder-decoder: hidden tokens are guessed by an encoder-only"),
        (["a[MASK]", "--model", "nowhere"], 1, "there is no model folder nowhere"),
        (["a", "--model", "{}"], 1, "the text has no mask"),
        (["a[MASK]", "b", "--model", "{}"], 1, "text 2: the text has no mask"),
        (["[MASK]" + "书" * 600, "--model", "{}"], 1, "tokens: this model reads at most 512"),
        (["a[MASK]", "-i", "b", "--model", "{}"], 2, "TEXT and -i exclude each other"),
        (["-i", "none.txt", "--model", "{}"], 1, "cannot read none.txt"),
        (["a[MASK]", "--model", "{}", "--engine", "onnx"], 1, "expected auto, torch or ct2"),
        (["a[MASK]", "--model", "{}", "--engine", "ct2", "--device", "cuda"], 1, "CTranslate2 runs on the CPU here"),
        (["a[MASK]", "--model", "{}", "--top", "0"], 2, "'--top'"),
        (["a[MASK]", "--model", "{}", "--mask", ""], 2, "the mask is empty"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, code, words, folder, capsys):
    ended, _, err = output_of(capsys, *(one.format(folder) for one in arguments))
    assert ended == code
    assert words in err
    assert err.count("\n") == 1


def test_other_families_are_told_what_they_are(tmp_path, capsys):
    for name, family in (("decoder-only", "decoder-only"), ("lstm", "recurrent")):
        code, _, err = output_of(capsys, "a[MASK]", "--model", save(name, tmp_path / name))
        assert code == 1
        assert f"is a {family} model: hidden tokens" in err


def test_no_torch_is_needed(folder):
    program = (
        "import sys; from attendo.cli.main import run\n"
        f"for words in (['fill', 'a[MASK]'], ['embed', 'a']):\n"
        f"    assert run([*words, '--model', {str(folder)!r}, '--device', 'cpu'], debug=True) == 0\n"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_ctranslate2_cannot_run_torch_does(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model", config=replace(BERT, compatibility="additive")))
    assert load_encoder(bundle, device="cpu").engine.name.startswith("torch")
    with pytest.raises(ConfigError, match="cannot be run by CTranslate2: its attention compares by dot products"):
        load_encoder(bundle, engine="ct2")
    bundle = read_bundle(save_random(tmp_path / "other", config=BERT))
    assert load_encoder(bundle, device="cpu").engine.name.startswith("CTranslate2")
