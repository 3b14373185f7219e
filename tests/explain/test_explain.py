"""What explain tells of a sentence: the numbers are the glass', the pair in training, and what a hand changes."""

import math
import subprocess
import sys

import numpy as np
import pytest

from attendo.errors import InputError
from attendo.explain.explain import explain
from attendo.explain.hand_words import HandWords
from attendo.explain.labels import labels_of
from attendo.explain.terminal import explanation_lines
from attendo.explain.terminal_tables import number_text, tensor_lines
from attendo.explain.view import sharpest_head, view_of
from attendo.glass.training_pass import training_pass
from attendo.special_tokens import SPECIAL
from tests.explain.sentences import GLASS, SENTENCE, explained


def test_the_walk_shows_the_numbers_of_the_trace():
    found = explained()
    view = view_of(found, layer=2, head=3, position=2, step=4)
    lines = [line.split() for line in explanation_lines(found, view)]
    trace = found.shown.trace
    for name, row in (
        ("x", trace["source.x"][2]),
        ("Q", trace["encoder.1.self_attention.Q"][2, 2]),
        ("weights", trace["encoder.1.self_attention.weights"][2, 2]),
        ("heads", trace["decoder.1.cross_attention.heads"][2, 3]),
        ("hidden", trace["decoder.1.feed_forward.hidden"][3]),
    ):
        first = [number_text(float(one)) for one in row[:6]]
        assert any(words[:1] == [name] and words[-7:] in ([*first, "…"], [name, *first]) for words in lines), name
    assert lines[0] == f"{SENTENCE} → I love machine learning.".split()


def test_the_walk_in_chinese_has_no_english_sentence():
    found = explained(erase=("机器",))
    for line in explanation_lines(found, view_of(found), "zh"):
        assert not {"the", "looks", "step", "layer", "without"} & set(line.split()), line


def test_a_whole_tensor_is_printed_number_by_number():
    found = explained()
    lines = list(tensor_lines(found, ["encoder.3.self_attention.weights"]))
    assert lines[0] == "encoder.3.self_attention.weights [6, 6, 6]"
    numbers = [float(one) for line in lines[1:] if "[" not in line for one in line.split()[1:]]
    weights = found.shown.trace["encoder.3.self_attention.weights"].ravel()
    np.testing.assert_allclose(numbers, weights, atol=1e-4)
    assert [line for line in lines if line.startswith("  [3, 2] 爱")]
    names = list(tensor_lines(found, ["list"]))
    assert "memory [6, 384]" in names
    assert len(names) == len(found.shown.trace)


def test_ids_and_masks_are_printed_as_whole_numbers():
    found = explained()
    assert list(tensor_lines(found, ["source.ids"]))[-1].split()[1:] == [str(one) for one in found.shown.source]
    (first, *_) = [line for line in tensor_lines(found, ["decoder.0.self_attention.may_attend"]) if "[" not in line]
    assert first.split()[1:] == ["1"] + ["0"] * (len(found.shown.target_in) - 1)


def test_a_tensor_that_is_not_there_gets_a_line():
    with pytest.raises(InputError, match=r"--tensor is 'encoder': expected one of the [0-9]+ names of --tensor list"):
        list(tensor_lines(explained(), ["encoder"]))


def test_the_sharpest_head_is_the_least_spread():
    even, sharp = np.full((3, 4), 0.25, np.float32), np.eye(4, dtype=np.float32)[:3]
    assert sharpest_head(np.stack((even, sharp, even))) == 1


def test_bytes_keep_the_character_that_they_make():
    tokenizer = explained().tokenizer
    assert labels_of(tokenizer.encode("𠮷野"), tokenizer) == ["𠮷₁", "𠮷₂", "𠮷₃", "𠮷₄", "野"]


def test_the_training_pass_is_that_of_the_glass():
    target = "I really love machine learning."
    found = explain(SENTENCE, "en", model=GLASS, target=target)
    witness = training_pass(SENTENCE, target, "en", model=found.shown.glass)
    positions = found.training.positions
    np.testing.assert_allclose([one.loss for one in positions], witness.losses, rtol=1e-6)
    assert [one.answer for one in positions] == list(witness.target_out)
    assert [one.reads for one in positions] == [SPECIAL.bos, *witness.target_out[:-1]]
    assert [one.best for one in positions] == witness.predicted
    assert tuple(one for one, _ in found.training.fed_back) == witness.own
    assert found.training.parts_at == 1  # the model says I love …
    smoothed = -0.9 * witness.log_probs - 0.1 * witness.trace["log_probs"].mean(axis=-1)
    np.testing.assert_allclose([one.smoothed_loss for one in positions], smoothed, rtol=1e-5)


def test_a_translation_of_its_own_is_fed_back_as_it_is():
    found = explained()
    assert not found.training.given
    assert found.training.parts_at is None
    assert math.isclose(found.training.loss, -found.shown.best.log_prob / len(found.shown.best.ids), rel_tol=1e-5)


def test_an_erased_word_is_missed_where_it_was_wanted():
    found = explained(erase=("机器",))
    assert found.shown.hands.erase == {3}
    step = found.touched.parts_at
    assert labels_of(found.plain.best.ids, found.tokenizer)[step] == "␣machine"
    assert found.touched.steps[step].touched_log_prob < found.touched.steps[step].log_prob - 3
    assert all(one.divergence > -1e-6 for one in found.touched.steps)


def test_temperature_changes_every_probability_as_it_must():
    found = explained(temperature=2.0)
    logits = found.plain.trace["logits"] / 2
    expected = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    for step, one in enumerate(found.touched.steps):
        assert math.isclose(one.touched_log_prob, expected[step, one.piece], abs_tol=1e-4)


def test_what_a_search_sees_without_the_mask_is_what_it_said():
    found = explained(causal_mask=False)
    told = [float(row[one]) for row, one in zip(found.log_probs, found.shown.best.ids, strict=True)]
    np.testing.assert_allclose(told, found.shown.best.token_log_probs, atol=1e-4)
    assert list(explanation_lines(found, view_of(found)))


def test_hands_as_people_say_them():
    found = explained(heads_off=("cross:2:3", "encoder:1"), feed_forward_off=("decoder:2",), force=("2=adore",))
    hands = found.shown.hands
    assert hands.heads_off == {("cross", 1, 2), *(("encoder", 0, head) for head in range(6))}
    assert hands.feed_forward_off == {("decoder", 1)}
    assert [piece for _, piece in hands.force] == found.tokenizer.encode(" adore")
    assert [step for step, _ in hands.force] == [2, 3]
    assert explained(force=("3=</s>",)).shown.translation == "I love"


@pytest.mark.parametrize(
    ("hand", "sentence"),
    [
        ({"heads_off": ("cross:3:1",)}, "--head-off is 'cross:3:1': this model has the layers 1 to 2"),
        ({"heads_off": ("cross:1:7",)}, "this model has the heads 1 to 6"),
        ({"heads_off": ("left:1",)}, "expected encoder, decoder or cross"),
        ({"heads_off": ("cross:²",)}, "layers 1 to 2"),
        ({"feed_forward_off": ("cross:1",)}, "expected encoder or decoder"),
        ({"erase": ("狗",)}, "the words of the source are 我, 爱, 机器, 学习"),
        ({"force": ("adore",)}, "expected a step"),
        ({"force": ("0=adore",)}, "expected a step"),
        ({"force": (f"000001{'0' * 5000}=adore",)}, "expected a step"),
        ({"temperature": 0.0}, "temperature"),
    ],
)
def test_a_hand_on_nothing_gets_a_line(hand, sentence):
    with pytest.raises(InputError, match=sentence):
        HandWords(**hand).for_sentence(explained().config, explained().shown.source, explained().tokenizer)


def test_a_view_of_nothing_gets_a_line():
    with pytest.raises(InputError, match="--step is 7: expected 1 to 6 here"):
        view_of(explained(), step=7)


def test_torch_is_not_needed():
    program = (
        "import sys\nsys.modules['torch'] = None\nsys.modules['matplotlib'] = None\n"
        f"sys.argv = ['attendo', 'explain', '{SENTENCE}', '--to', 'en']\n"
        "from attendo.cli.main import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "I love machine learning." in done.stdout
