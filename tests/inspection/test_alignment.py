"""Maps and alignment: what is shown adds up to what the model looked at."""

import pytest
import torch

from attendo.decoding.beam import beam_search
from attendo.decoding.length import longest_output
from attendo.errors import InputError
from attendo.inspection.alignment import join_tokens
from attendo.inspection.inspect import LONGEST_SOURCE, inspect_text
from attendo.inspection.readable import Unit, pieces, words
from attendo.model.record import AttentionRecord
from tests.inspection.small_models import DIRECTIONS, FAMILIES, TEXT, inspection, model, tokenizer

every_family = pytest.mark.parametrize("family", FAMILIES)


def maps_of(family):
    return {one.name: one for one in inspection(family).maps}


@every_family
def test_the_translation_is_that_of_beam_search(family):
    found = inspection(family)
    source = torch.tensor([[tokenizer().tag("en"), *tokenizer().encode(TEXT), 2]])
    expected = beam_search(model(family, 7.0), source, longest_output(source.shape[1], "bpe"), found.options)[0][0]
    assert found.best == expected
    assert found.source == tuple(source[0].tolist())
    assert found.steps[-1].finished[0] == expected


@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("transformer", ["encoder-self", "decoder-self", "cross"]),
        ("decoder-only", ["self"]),
        ("lstm", ["cross"]),
        ("gru, dot, fed", ["cross"]),
        ("rnn, general", ["cross"]),
    ],
)
def test_every_row_of_every_head_sums_to_one(family, names):
    maps = maps_of(family)
    assert list(maps) == names
    for one in maps.values():
        assert one.weights.shape[-2:] == (len(one.rows), len(one.columns))
        torch.testing.assert_close(one.weights.sum(-1), torch.ones(one.weights.shape[:-1]))
        assert (one.weights >= 0).all()


def test_bytes_are_one_column_which_is_their_sum_and_one_row_which_is_their_mean():
    found, maps = inspection("transformer"), maps_of("transformer")
    columns = maps["encoder-self"].columns
    assert columns.count("饕") == 1
    assert len(found.source) == len(columns) + 2
    index = columns.index("饕")
    raw = found.record.encoder_self[1][0]  # [heads, source, source]
    joined = maps["encoder-self"].weights[1]
    torch.testing.assert_close(joined[:, 0, index], raw[:, 0, index : index + 3].sum(-1))
    torch.testing.assert_close(joined[:, index, 0], raw[:, index : index + 3, 0].mean(-1))
    torch.testing.assert_close(joined[:, 0, -1], raw[:, 0, -1])


def test_rows_bear_what_is_produced_and_self_attention_what_is_read():
    maps, best = maps_of("transformer"), inspection("transformer").best
    assert maps["cross"].rows[-1] == "</s>"
    assert maps["decoder-self"].rows[0] == maps["decoder-self"].columns[0] == "<s>"
    assert "</s>" not in maps["decoder-self"].rows
    assert best.ended
    above = maps["decoder-self"].weights.triu(diagonal=1)
    assert (above == 0).all()


def test_a_decoder_alone_reads_source_and_target_as_one_text():
    one = maps_of("decoder-only")["self"]
    assert one.rows == one.columns
    assert one.rows[0] == ">>en<<"
    assert "<s>" in one.rows[1:]
    assert (one.weights.triu(diagonal=1) == 0).all()


@every_family
def test_the_alignment_is_the_mean_by_hand(family):
    """Written out: for every two words the sum over one's tokens and the mean over the other's, layers and heads."""
    found = inspection(family)
    aligned = found.alignment
    record = AttentionRecord()
    with torch.inference_mode():
        model(family, 7.0)(torch.tensor([found.source]), torch.tensor([found.target_in]), record)
    layers = record.cross or record.decoder_self
    skipped = 0 if record.cross else len(found.source)
    rows, columns = (words(pieces(ids, tokenizer())) for ids in (found.best.ids, found.source))
    query = skipped
    for row, unit in enumerate(rows):
        key = 0
        for column, other in enumerate(columns):
            total = 0.0
            for layer in layers:
                for head in layer[0]:
                    block = head[query : query + unit.count, key : key + other.count]
                    total += float(block.sum()) / unit.count / len(layers) / len(layer[0])
            assert float(aligned.weights[row, column]) == pytest.approx(total, abs=1e-6)
            key += other.count
        query += unit.count
    if record.cross:
        torch.testing.assert_close(aligned.weights.sum(-1), torch.ones(len(aligned.rows)))
    else:
        assert (aligned.weights.sum(-1) < 1).all()
    assert aligned.columns == (">>en<<", "老师", "爱", "饕", "24", "books", ".", "</s>")


def test_a_single_word_is_aligned_piece_by_piece():
    aligned = inspection("transformer", "languages").alignment
    assert len(aligned.columns) > 3
    assert "".join(aligned.columns[1:-1]) == "languages"


def test_joining_loses_no_mass():
    weights = torch.rand(3, 5, 7).softmax(-1)
    rows, columns = ([Unit("x", count) for count in counts] for counts in ([2, 1, 2], [1, 4, 2]))
    joined = join_tokens(weights, rows, columns)
    assert joined.shape == (3, 3, 3)
    back = (joined * torch.tensor([2, 1, 2])[:, None]).sum((-2, -1))
    torch.testing.assert_close(back, weights.sum((-2, -1)))
    torch.testing.assert_close(
        joined[:, 1], torch.stack([part.sum(-1) for part in weights[:, 2].split([1, 4, 2], -1)], -1)
    )


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("transformer", " \n\t ", "no text"),
        ("transformer", "爱" * LONGEST_SOURCE, f"has {LONGEST_SOURCE + 2} tokens"),
        ("learned", "x" * 20, "22 tokens, too many for the 12 learned positions"),
        ("decoder-only, learned", "x" * 10, "12 tokens, too many for the 12 learned positions"),
        ("encoder-only", "爱", "an encoder alone cannot translate"),
        ("lstm, no attention", "爱", "has no attention to show"),
    ],
)
def test_what_cannot_be_looked_into_is_said_in_words(name, text, words):
    with pytest.raises(InputError, match=words):
        inspect_text(model(name), tokenizer(), text, DIRECTIONS)


@pytest.mark.parametrize("name", ["learned", "decoder-only, learned"])
def test_a_translation_keeps_to_the_table_of_positions(name):
    found = inspect_text(model(name), tokenizer(), "爱书", DIRECTIONS)
    assert len(found.best.ids) <= 12
