"""attendo embed: vectors beside a mean by hand, neighbours beside all cosines; the files; what is refused."""

import json
import random

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from attendo.cli.main import run
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.reading.load import load_encoder
from attendo.reading.neighbours import nearest
from attendo.reading.sentence_vectors import SentenceReader
from attendo.special_tokens import SPECIAL
from tests.inspection.small_models import save

TEXTS = ["老师爱饕 24 books.", "书", "  ", "I love machine learning. It is fun!", "我们"]


@pytest.fixture(scope="module", params=["encoder-only", "transformer"])
def folder(request, tmp_path_factory):
    return save(request.param, tmp_path_factory.mktemp("embed") / request.param)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path_factory.getbasetemp() / "reading-cache"))


def to_of(folder):
    return "en" if folder.name == "transformer" else None


def options(folder):
    return ["--model", str(folder), "--device", "cpu", *(["--to", "en"] if to_of(folder) else [])]


def reader_of(folder, engine="ct2", **settings):
    loaded = load_encoder(read_bundle(folder), engine=engine, device="cpu", threads=1)
    return SentenceReader(loaded.tokenizer, loaded.engine, loaded.tag(to_of(folder)), **settings)


@pytest.mark.parametrize("engine", ["torch", "ct2"])
def test_a_vector_is_the_mean_over_the_tokens(folder, engine):
    reader, model = reader_of(folder, engine), load_model(read_bundle(folder))
    vectors = reader.vectors(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        pieces = reader.tokenizer.encode(text)
        tag = [reader.tokenizer.tag("en")] if to_of(folder) else []
        with torch.inference_mode():
            hidden = model.encode(torch.tensor([[*tag, *pieces, SPECIAL.eos]]))[0].tolist()
        if text.strip():
            by_hand = [sum(token[column] for token in hidden) / len(hidden) for column in range(16)]
            assert vector.tolist() == pytest.approx(by_hand, abs=2e-5)
        else:
            assert not vector.any()
    assert (reader.empty, reader.cut) == (1, 0)
    lengths = np.linalg.norm(reader_of(folder, engine, unit=True).vectors(TEXTS), axis=1)
    assert lengths.tolist() == pytest.approx([1, 1, 0, 1, 1], abs=1e-5)
    assert reader.vectors([]).shape == (0, 16)


def test_neighbours_are_those_of_all_cosines(folder):
    rng = random.Random(3)
    lines = ["".join(rng.choice("我爱书老师 abc24") for _ in range(rng.randint(1, 9))) for _ in range(60)]
    lines += ["", lines[7], "   ", lines[9]]
    queries = ["老师", lines[7]]
    reader = reader_of(folder)
    every, asked = reader.vectors(lines), reader.vectors(queries)
    chunks, at = [], 0
    while at < len(lines):
        size = rng.randint(1, 20)
        chunks.append((at + 1, lines[at : at + size]))
        at += size
    for query, found in zip(asked, nearest(queries, chunks, reader, 6), strict=True):
        cosines = {}
        for index, vector in enumerate(every):
            if lines[index].strip() and lines[index] not in cosines:
                cosines[lines[index]] = float(query @ vector / np.linalg.norm(query) / np.linalg.norm(vector))
        expected = sorted(cosines.values(), reverse=True)[:6]
        assert [one.cosine for one in found] == pytest.approx(expected, abs=1e-5)
        for one in found:
            assert lines[one.line_number - 1] == one.text
            assert one.cosine == pytest.approx(cosines[one.text], abs=1e-5)
        assert len({one.text for one in found}) == 6
    assert nearest(queries, [], reader, 6) == [[], []]


# --- the command


def output_of(capsys, *arguments):
    code = run(["embed", *map(str, arguments)], debug=False)
    return code, *capsys.readouterr()


def test_vectors_to_stdout_and_to_files(folder, tmp_path, capsys):
    file = tmp_path / "in.txt"
    file.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    code, out, err = output_of(capsys, "-i", file, "--json", *options(folder))
    assert code == 0
    assert "empty texts, whose vector is 0: 1" in err
    tables = list(map(json.loads, out.splitlines()))
    assert [table["text"] for table in tables] == TEXTS
    _, out, _ = output_of(capsys, *TEXTS, *options(folder))
    printed = [list(map(float, line.split())) for line in out.splitlines()]
    for name in ("v.npy", "v.safetensors"):
        code, out, err = output_of(capsys, "-i", file, "--out", tmp_path / name, *options(folder))
        assert (code, out) == (0, "")
        assert "5 vectors of 16 numbers" in err
        path = tmp_path / name
        vectors = np.load(path, allow_pickle=False) if name == "v.npy" else load_file(path)["vectors"]
        assert vectors.shape == (5, 16)
        np.testing.assert_allclose(vectors, [table["vector"] for table in tables], atol=1e-6)
        np.testing.assert_allclose(vectors, printed, rtol=1e-4, atol=1e-6)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "v.npy", "v.safetensors"]


def test_neighbours_by_the_command(folder, tmp_path, capsys):
    file = tmp_path / "lines.txt"
    file.write_text("书\r\n我们\n老师\n书\n", encoding="utf-8")
    code, out, _ = output_of(capsys, "书", "--neighbours", file, "--top", 2, *options(folder))
    assert code == 0
    query, first, second = out.splitlines()
    assert query == "书"
    assert first.split() == ["1.000", "1", "书"]
    assert second.split()[2] in ("我们", "老师")
    code, out, _ = output_of(capsys, "书", "--neighbours", file, "--json", *options(folder))
    assert json.loads(out)["neighbours"][0]["line"] == 1


def test_a_text_that_was_cut_is_said(folder, tmp_path, capsys):
    reader = reader_of(folder)
    code, out, err = output_of(capsys, "书" * 2_500, "我们", *options(folder))
    assert code == 3
    assert len(out.splitlines()) == 2
    assert f"texts of more than {reader.engine.longest:,} tokens, of which only the beginning was read: 1" in err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["a", "--out", "{}/v.txt"], 2, "expected a name that ends in .npy or .safetensors"),
        (["a", "--out", "{}/none/v.npy"], 2, "expected the name of a file"),
        (["a", "--out", "{}/v.npy", "--json"], 2, "leave out --neighbours and --json"),
        (["a", "--neighbours", "{}/none.txt"], 1, "cannot read"),
        (["a", "--top", "3"], 2, "--top belongs to --neighbours"),
        (["a", "-i", "{}/none.txt"], 2, "TEXT and -i exclude each other"),
        (["-i", "{}/none.txt"], 1, "cannot read"),
        (["a", "--engine", "onnx"], 1, "expected auto, torch or ct2"),
        (["a", "--to", "xx"], None, ""),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, code, words, folder, tmp_path, capsys):
    given = [one.format(tmp_path) for one in arguments]
    ended, _, err = output_of(capsys, *options(folder), *given)
    alone = to_of(folder) is None
    assert ended == ((2 if alone else 1) if code is None else code)
    assert (words or ("leave out --to" if alone else "does not translate into 'xx'")) in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("lines", ["", "\n\n"])
def test_a_file_without_texts_has_no_neighbours(lines, folder, tmp_path, capsys):
    (tmp_path / "empty.txt").write_text(lines, encoding="utf-8")
    code, out, err = output_of(capsys, *options(folder), "a", "--neighbours", tmp_path / "empty.txt")
    assert (code, out) == (1, "")
    assert err == f"attendo: {tmp_path / 'empty.txt'} has no neighbours to find: every line is empty\n"


def test_other_families_and_the_missing_language(tmp_path, capsys):
    code, _, err = output_of(capsys, "a", "--model", save("decoder-only", tmp_path / "model"))
    assert code == 1
    assert "is a decoder-only model: sentence vectors come from the encoder" in err
    code, _, err = output_of(capsys, "a")
    assert code == 2
    assert "say which (--to" in err
