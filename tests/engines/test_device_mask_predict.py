"""Mask-predict for a GPU gives the answers of the readable one, and the host waits for the device only twice."""

from itertools import chain

import pytest
import torch

from attendo.decoding.mask_predict import mask_predict_n_best
from attendo.engines.cuda.graphs import Workspace
from attendo.engines.cuda.mask_predict import AnswerLines, AtOnceShape, SourceLines, answer, device_mask_predict
from attendo.engines.cuda.mask_predict import read_source as read_on_device
from attendo.model.config import FURTHEST, NonAutoregressiveConfig
from attendo.model.non_autoregressive import NonAutoregressive
from tests.decoding.families import VOCAB, padded, sentences

SIZES = {
    "vocab_size": VOCAB, "d_model": 16, "d_ff": 24, "num_heads": 2, "dropout": 0.0,
    "encoder_layers": 1, "decoder_layers": 2,
}  # fmt: skip
CPU = torch.device("cpu")


def model_of(**changes):
    torch.manual_seed(0)
    model = NonAutoregressive(NonAutoregressiveConfig(**{**SIZES, **changes})).double().eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    with torch.no_grad():  # lengths near that of the source, as in a trained model
        model.length.bias -= 0.5 * (torch.arange(-FURTHEST, FURTHEST + 1) - 2).abs()
    return model


def assert_equal(found, expected):
    assert [[one.ids for one in each] for each in found] == [[one.ids for one in each] for each in expected]
    for one, other in zip(chain(*found), chain(*expected), strict=True):
        assert one.token_log_probs == pytest.approx(other.token_log_probs)
        assert one.score == pytest.approx(other.score)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_the_same_answers_in_the_same_memory(positions):
    """Whatever stood in it before: batches of all sizes one after the other, as a translator has them."""
    model, workspace = model_of(positions=positions, max_length=14), Workspace(CPU)
    asked = ((9, 4, 5, 3, 1.0), (1, 1, 3, 1, 1.0), (5, 10, 5, 2, 0.6), (3, 3, 1, 1, 0.0))
    for count, passes, lengths, n_best, alpha in asked:
        source = padded(sentences(count, seed=count))
        given = (model, source, passes, lengths, n_best, alpha)
        assert_equal(device_mask_predict(*given, workspace), mask_predict_n_best(*given))


def test_no_sentence_no_answer():
    assert device_mask_predict(model_of(), torch.zeros(0, 3, dtype=torch.long), 4, 5, 1, 1.0, Workspace(CPU)) == []


def test_the_host_waits_for_nothing_within_a_recording():
    """A meta tensor has no numbers: to read one is an error."""
    with torch.device("meta"):
        model = NonAutoregressive(NonAutoregressiveConfig(**SIZES))
        layout = SourceLines.layout(model, AtOnceShape(4, 16, 5))
        lines = SourceLines(**{name: torch.empty(shape, dtype=dtype) for name, (shape, dtype) in layout.items()})
        found = AnswerLines(torch.empty(4, 2, 8, 2, dtype=torch.float64))
        with torch.inference_mode():
            read_on_device(model, lines)
            answer(model, lines, found, passes=4, width=8, alpha=1.0)
        with pytest.raises(RuntimeError, match="meta"):
            int(lines.lengths.max())  # the guard of the guard


class Counting(Workspace):
    """What is recorded on a GPU, by its key."""

    def __init__(self):
        super().__init__(CPU)
        self.keys = []

    def run(self, key, step):
        self.keys.append(key)
        step()


def test_a_search_is_two_recordings_whatever_the_number_of_passes_and_lengths_are_rounded():
    model, workspace = model_of(), Counting()
    for passes in (1, 10):
        workspace.keys.clear()
        device_mask_predict(model, padded(sentences(5)), passes, 5, 1, 1.0, workspace)
        assert [key[0] for key in workspace.keys] == ["read", "answer"]
    workspace.keys.clear()
    for row in sentences(12, seed=1):
        device_mask_predict(model, torch.tensor([row]), 4, 5, 1, 1.0, workspace)
    assert len(set(workspace.keys)) <= 4, "one way to read up to 16 tokens, and 8, 16 or 24 to answer with"
