"""Hands: read from plain values, written back, and refused in one line."""

import json

import pytest

from attendo.errors import InputError
from attendo.glass.hands import Hands
from attendo.glass.look import look
from tests.glass.sentences import glass
from tests.glass.torch_witness import EVERY_HAND


@pytest.mark.parametrize("name", EVERY_HAND)
def test_there_and_back_through_json(name):
    hands = EVERY_HAND[name]
    again = Hands.from_dict(json.loads(json.dumps(hands.to_dict())))
    assert again == hands
    assert hash(again) == hash(hands)
    assert Hands() not in (again, hands)


def test_nothing_is_the_default():
    assert Hands().to_dict() == {}
    assert Hands.from_dict({}) == Hands()


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"head_off": []}, "unknown hand 'head_off': expected some of heads_off, causal_mask, positions, "),
        ({"heads_off": [["cros", 0, 0]]}, "heads_off is ['cros', 0, 0]: expected where (encoder, decoder, cross)"),
        ({"heads_off": [["cross", 0]]}, "heads_off is ['cross', 0]: expected where"),
        ({"heads_off": [["cross", 0, -1]]}, "heads_off is ['cross', 0, -1]: expected where"),
        ({"heads_off": [["cross", True, 0]]}, "heads_off is ['cross', True, 0]: expected where"),
        ({"heads_off": "cross"}, "heads_off is 'cross': expected a list"),
        ({"heads_off": [7]}, "heads_off is 7: expected where"),
        ({"heads_off": [[[], 0, 0]]}, "heads_off is [[], 0, 0]: expected where"),
        ({"feed_forward_off": [["cross", 0]]}, "feed_forward_off is ['cross', 0]: expected where (encoder, decoder)"),
        ({"causal_mask": 0}, "causal_mask is 0: expected true or false"),
        ({"positions": "shufled"}, "positions is 'shufled': expected on, off or shuffled"),
        ({"positions": []}, "positions is []: expected on, off or shuffled"),
        ({"seed": 1.5}, "seed is 1.5: expected a whole number from 0"),
        ({"temperature": 0}, "temperature is 0: expected a number from 0.01 to 100"),
        ({"temperature": float("nan")}, "temperature is nan: expected a number"),
        ({"temperature": "hot"}, "temperature is 'hot': expected a number"),
        ({"force": {"0": 7}}, "force is {'0': 7}: expected a piece's id for each step"),
        ({"force": {"1": 1}}, "force is {'1': 1}: expected a piece's id for each step"),
        ({"force": {"one": 7}}, "force is {'one': 7}: expected a piece's id for each step"),
        ({"force": [[float("inf"), 7]]}, "force is [[inf, 7]]: expected a piece's id for each step"),
        ({"force": [[2.5, 7]]}, "force is [[2.5, 7]]: expected a piece's id for each step"),
        ({"force": {"9" * 5000: 7}}, "expected a piece's id for each step"),
        ({"force": 7}, "force is 7: expected a piece's id for each step"),
        ({"erase": [-1]}, "erase is -1: expected the position of a source piece"),
        ({"erase": [[1]]}, "erase is [1]: expected the position of a source piece"),
        ({"erase": {"1": 2}}, "erase is {'1': 2}: expected a list"),
        ([], "the hands are []: expected an object with some of heads_off"),
    ],
)
def test_a_wrong_hand_is_one_line(table, complaint):
    with pytest.raises(InputError) as caught:
        Hands.from_dict(table)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("hands", "complaint"),
    [
        (Hands(heads_off={("encoder", 6, 0)}), "heads_off names layer 6: expected 0 to 5"),
        (Hands(heads_off={("cross", 2, 0)}), "heads_off names layer 2: expected 0 to 1"),
        (Hands(heads_off={("decoder", 1, 6)}), "heads_off names head 6: expected 0 to 5"),
        (Hands(feed_forward_off={("decoder", 2)}), "feed_forward_off names layer 2: expected 0 to 1"),
        (Hands(erase={6}), "erase names position 6: expected 0 to 5"),
        (Hands(force={1: 16_000}), "force names the piece of step 1 16000: expected 0 to 15999"),
    ],
)
def test_a_hand_on_what_is_not_there(hands, complaint):
    with pytest.raises(InputError, match=complaint):
        look("我爱机器学习", "en", model=glass(), hands=hands)
