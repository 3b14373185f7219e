"""Directions, also of languages whose names hold a hyphen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendo.errors import ConfigError
from attendo.text.scripts import parse_direction

LANGUAGES = ["en", "de", "zh", "pt-BR", "pt-PT", "zh-Hant"]


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("en-de", ("en", "de")),
        ("pt-BR-en", ("pt-BR", "en")),
        ("en-pt-BR", ("en", "pt-BR")),
        ("pt-BR-pt-PT", ("pt-BR", "pt-PT")),
        ("zh-zh-Hant", ("zh", "zh-Hant")),
        ("en-en", ("en", "en")),
    ],
)
def test_two_languages(text, pair):
    assert parse_direction(text, LANGUAGES) == pair


@pytest.mark.parametrize(
    "text",
    ["", "-", "en", "en-", "-en", "en--de", "en-fr", "fr-en", "en_de", "EN-de", "pt-en", "en-de-zh", "en-de\n",
     "-" * 10**6],
)  # fmt: skip
def test_anything_else_is_one_sentence(text):
    with pytest.raises(ConfigError, match="SOURCE-TARGET with two of the languages en, de, zh") as caught:
        parse_direction(text, LANGUAGES)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_what_can_be_read_in_two_ways_is_refused():
    with pytest.raises(ConfigError, match="'pt-en-de' can be read as pt to en-de or pt-en to de"):
        parse_direction("pt-en-de", ["pt", "pt-en", "de", "en-de"])


# Few and alike, so that some texts can be read in two ways.
codes = st.sampled_from(["pt", "en", "de", "pt-en", "en-de", "pt-de", "de-de", "pt-BR", "zh-Hant", "zh"])


@given(st.lists(codes, min_size=1, max_size=6, unique=True), st.data())
def test_every_pair_comes_back_or_is_ambiguous(languages, data):
    source, target = data.draw(st.sampled_from(languages)), data.draw(st.sampled_from(languages))
    text = f"{source}-{target}"
    splits = {(first, second) for first in languages for second in languages if f"{first}-{second}" == text}
    if len(splits) == 1:
        assert parse_direction(text, languages) == (source, target)
    else:
        with pytest.raises(ConfigError, match="can be read as"):
            parse_direction(text, languages)
