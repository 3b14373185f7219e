"""L9 and L39, which look into the model that came with the package: what must be exact, and rules that can say no."""

import pytest
import torch

from attendo.lab.attention import l39_source_word
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.tools import default_model as inside
from attendo.lab.tools import it_sentences
from attendo.lab.tools.default_model import default_model
from attendo.lab.tools.hand_aligned import AlignedPair, AlignedSentence, hand_aligned, in_pieces
from attendo.special_tokens import SPECIAL
from tests.lab.planted import small_runs, verdict


@pytest.fixture(scope="module")
def model():
    return default_model()[0]


@pytest.fixture(scope="module")
def tokenizer():
    return default_model()[1]


# --- L39


def test_l39_rows_are_shares_and_one_row_reads_what_the_row_before_said(model, tokenizer):
    pair = hand_aligned()["de"][1]  # Das Tier war müde. / The animal was tired.
    seen = inside.cross_attention_of_words(model, tokenizer, pair)
    heads = inside.num_heads(model.config)
    assert seen.shape == (2, heads + model.config.decoder_layers + 1, 5, 7)
    assert torch.allclose(seen.sum(-1), torch.ones((), dtype=seen.dtype), atol=1e-5)
    assert torch.allclose(seen[:, -1], seen[:, :heads].mean(1))
    assert [unit.count for unit in in_pieces(pair.target, tokenizer).units][:2] == [1, 1]
    assert torch.allclose(seen[0, :, 0], seen[1, :, 1])  # reading the first word, the second is said


def test_l39_counts_by_hand(model, tokenizer, monkeypatch):
    words = ("a", "b", "c")
    pair = AlignedPair(
        AlignedSentence("en", words),
        AlignedSentence("de", words),
        frozenset({(0, 0), (1, 1)}),
        frozenset({(0, 0), (1, 1), (2, 1), (2, 2)}),
    )
    # The first word looks at itself, the second at a possible partner; the third, without a sure one, is not asked.
    seen = torch.tensor([[0.5, 0.4, 0.1, 0.0, 0.0], [0.1, 0.1, 0.1, 0.6, 0.1], [0.0, 1.0, 0.0, 0.0, 0.0]])
    monkeypatch.setattr(
        "attendo.lab.tools.default_model.cross_attention_of_words", lambda *_: seen.double().expand(2, 11, 3, 5)
    )
    tallied = inside.tally(model, tokenizer, pair)
    assert tallied.shape == (7, 2, 11)
    assert tallied[:, 0, 0].tolist() == pytest.approx([2, 1, 0.7, 2, 2, 1 / 3 + 2 / 3, 2])
    assert inside.share(tallied, "right")[0, 0] == 1
    assert inside.error_rate(tallied)[0, 0] == pytest.approx(1 - (1 + 2) / (2 + 2))


def test_l39_chooses_among_heads_and_among_layers(model):
    heads = inside.num_heads(model.config)
    right = torch.zeros(heads + model.config.decoder_layers + 1)
    right[3], right[heads + 1], right[-1] = 0.5, 0.7, 0.9
    assert inside.best_views(right, model.config) == {"mean": -1, "layer": heads + 1, "head": 3}


def test_l39_can_say_all():
    ways = [f"{way}_{row}_all" for way in l39_source_word.WAYS for row in inside.ROWS]
    low = dict.fromkeys(ways, 0.2) | {"diagonal": 0.4}
    assert verdict("L39", **low) == "does not hold"
    assert verdict("L39", **{**low, "mean_reads_all": 0.9}) == "holds"
    assert verdict("L39", **{**low, "mean_says_all": 0.9}) == "holds only if"
    assert verdict("L39", **{**low, "head_reads_all": 0.6, "diagonal": 0.7}) == "does not hold"
    assert verdict("L39", **{**low, "mean_reads_all": 0.9}, most=0.95) == "does not hold"
    first, second = ({**low, "mean_reads_all": value, "most": 0.5} for value in (0.2, 0.9))
    assert l39_source_word.judge([first, second]) == "undecided"


# --- L9

L9 = EXPERIMENTS["L9"]


def test_l9_distances_by_hand():
    one, other = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
    assert inside.divergence(one, other) == pytest.approx(1)
    assert inside.divergence(one, one) == 0
    assert inside.divergence(one, (one + other) / 2) == pytest.approx(0.3113, abs=1e-4)
    heads = torch.stack((one, one, other))[None]  # of three pairs two are one bit apart
    assert inside.between_heads(heads).tolist() == pytest.approx([2 / 3])
    sentences = torch.stack((one, other)).view(2, 1, 1, 2)
    assert inside.between_sentences(sentences).tolist() == pytest.approx([1])


def test_l9_profiles_by_hand():
    maps = torch.eye(4).roll(1, dims=1)[None, None]  # each looks at the one behind; the last but one at </s>
    share = dict(zip(inside.WHERE, inside.profile(maps)[0, 0].tolist(), strict=True))
    assert share == {"tag": 0, "end": 0.5, "itself": 0, "before": 0, "behind": 0.5, "elsewhere": 0}
    even = inside.profile(torch.full((2, 3, 5, 5), 0.2))
    assert even.shape == (2, 3, 6)
    assert even.sum(-1).flatten().tolist() == pytest.approx([1] * 6)


def test_l9_maps_are_of_the_encoder(model, tokenizer):
    maps = inside.encoder_maps(model, tokenizer, "你好", "zh")
    tokens = 2 + len(tokenizer.encode("你好"))
    assert maps.shape == (model.config.encoder_layers, model.config.num_heads, tokens, tokens)
    assert SPECIAL.eos not in tokenizer.encode("你好")


def test_l9_pronouns():
    assert it_sentences.pronoun("Das Tier überquerte die Straße nicht, weil es zu müde war.") == "es"
    assert it_sentences.pronoun("Es ist da, weil dieser Weg zu breit war.") == ""
    pairs = it_sentences.it_pairs()[:2]
    assert it_sentences.of_pronouns(pairs, [["es", "sie"], ["es", "es"]]) == {
        "notes_pronoun_changes": 1.0, "pronoun_changes": 0.5, "pronouns_right": 0.5,
    }  # fmt: skip


def test_l9_what_moves_and_what_does_not():
    always_first = torch.tensor([[[0.9, 0.0, 0.1]], [[0.9, 0.0, 0.1]]])
    assert it_sentences.toward(always_first).tolist() == [0]
    follows = torch.tensor([[[0.8, 0.1, 0.1]], [[0.1, 0.8, 0.1]]])
    assert it_sentences.toward(follows).tolist() == pytest.approx([0.7])
    one_head = torch.tensor([[[0.5, 0.0, 0.5], [0.1, 0.0, 0.2]]] * 2)  # the first does both: that is not two heads
    assert it_sentences.both_at_once(one_head) == pytest.approx(0.2)


def test_l9_can_say_all():
    good = {
        "trained_maps": 0.4, "untrained_maps": 0.1, "trained_heads": 0.3, "trained_sentences": 0.1,
        "both": 0.4,
    }  # fmt: skip
    assert verdict("L9", **good) == "holds"
    assert verdict("L9", **good, moves=0.0) == "holds"  # that a head resolves "it" is not what the notes say
    assert verdict("L9", **{**good, "both": 0.1}) == "holds only if"
    assert verdict("L9", **good, focus=0.5) == "holds only if"
    assert verdict("L9", **{**good, "trained_heads": 0.1}) == "does not hold"
    assert verdict("L9", **{**good, "trained_maps": 0.05}) == "does not hold"
    apart = [{**run, **good, "trained_maps": maps} for run, maps in zip(small_runs(L9), (0.05, 0.4), strict=True)]
    assert L9.judge(apart) == "undecided"


@pytest.mark.parametrize("name", ["L9", "L39"])
def test_parts_of_a_run_differ(name):
    first, second = small_runs(EXPERIMENTS[name])
    assert first.keys() == second.keys()
    assert first != second
