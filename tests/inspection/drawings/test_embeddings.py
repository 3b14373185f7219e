"""The map and the neighbours of words, against loops over the shipped table."""

import math
import re

import numpy as np
import pytest

from attendo.errors import InputError
from attendo.inspection.drawings.draw import embeddings_of
from attendo.inspection.drawings.embeddings import NEAREST, common_words, embedding_map
from attendo.inspection.drawings.embeddings_page import write_embeddings_page
from attendo.inspection.drawings.options import DrawOptions
from attendo.inspection.drawings.slide import slide_style
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.checked_weights import read_weights
from tests.inspection.small_models import model, save, tokenizer


@pytest.fixture(scope="module")
def shipped():
    bundle = read_bundle(model_folder(None))
    return read_weights(bundle)["embedding.weight"], bundle.tokenizer()


@pytest.fixture(scope="module")
def shown(shipped):
    return embedding_map(*shipped, ["学习", "water"], count=20)


def test_neighbours_are_those_of_a_loop(shipped, shown):
    table, tokenizer = shipped
    for one in shown.near:
        row = table[one.token].astype(float)
        others = [token for token in range(tokenizer.layout.first_piece, len(table)) if token != one.token]
        products = {token: float(table[token].astype(float) @ row) for token in others}
        cosines = {
            token: product / math.sqrt(float((table[token].astype(float) ** 2).sum()) * float(row @ row))
            for token, product in products.items()
        }
        for found, numbers in ((one.by_product, products), (one.by_cosine, cosines)):
            best = sorted(numbers.values(), reverse=True)[:NEAREST]
            assert [number for _, number in found] == pytest.approx(best, rel=1e-4)
    first = {one.label: one.by_cosine[0][0] for one in shown.near} | {"": shown.near[1].by_cosine[1][0]}
    assert first["␣water"] == "water"  # at the start of a text and after a space it is two pieces
    assert "Wasser" in first[""]  # one table for all languages


def test_the_plane_is_that_of_the_largest_variance(shipped, shown):
    """The eigenvalues of the covariance, which another routine finds."""
    table, _ = shipped
    rows = table[[one.token for one in shown.words]].astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    variances = np.sort(np.linalg.eigvalsh(np.cov(rows.T)))[::-1]
    places = np.array([(one.x, one.y) for one in shown.words])
    assert places.var(0, ddof=1) == pytest.approx(variances[:2], rel=1e-5)
    assert shown.explained == pytest.approx(variances[:2] / variances.sum(), rel=1e-5)


def test_common_words_are_the_first_whole_ones_of_each_language(shipped):
    _, tokenizer = shipped
    found = common_words(tokenizer, 20)
    assert [sum(one[1] == language for one in found) for language in ("zh", "en", "de")] == [20, 20, 20]
    by_language = {language: [word for word, other, _ in found if other == language] for language in ("zh", "en", "de")}
    assert {"我们", "可以"} <= set(by_language["zh"])
    assert {"the", "and", "you"} <= set(by_language["en"])
    assert {"und", "ist", "nicht"} <= set(by_language["de"])
    for words in by_language.values():
        assert all(tokenizer.decode([token]).strip() == word for word, _, token in found if word in words)
    tokens = [token for _, language, token in found if language == "de"]
    assert tokens == sorted(tokens)  # in the order of the vocabulary


def test_the_page_holds_every_neighbour_and_asks_for_nothing(shown, tmp_path):
    with slide_style():
        write_embeddings_page(shown, tmp_path / "page.html", "zh")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    numbers = re.findall(r'class="number">([-\d.]+)<', page)
    assert numbers == [
        f"{number:.3f}" for one in shown.near for near in (one.by_cosine, one.by_product) for _, number in near
    ]
    assert "<svg" in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert "<script" not in page


@pytest.mark.parametrize("name", ["transformer", "decoder-only", "encoder-only", "non-autoregressive", "lstm"])
def test_every_family_has_a_table(name, tmp_path):
    table = {one: tensor for one, tensor in model(name).named_parameters() if one.endswith("embedding.weight")}
    words = ("老师", "书")
    shown = embeddings_of(DrawOptions(model=str(save(name, tmp_path / "model")), words=words))
    (expected,) = table.values()
    assert shown.near == embedding_map(expected.detach().numpy(), tokenizer(), words).near


def test_a_word_must_be_one_piece(shipped):
    with pytest.raises(InputError, match="'qzxv' is not one piece"):
        embedding_map(*shipped, ["qzxv"])
    with pytest.raises(InputError, match="21 words: expected at most 20"):
        embedding_map(*shipped, ["我"] * 21)
