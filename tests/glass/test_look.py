"""What a look gives, the training pass, and what is refused: other families, damaged folders, too much text."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from attendo.decoding.scoring import score_targets
from attendo.errors import AttendoError, InputError, UsageError
from attendo.glass.hands import Hands
from attendo.glass.look import first_difference, look
from attendo.glass.reading import open_glass
from attendo.glass.training_pass import training_pass
from tests.glass.sentences import glass, torch_model
from tests.inspection.small_models import save

ROOM = Path(__file__).parents[2] / "attendo" / "glass"
TEXT = "我爱机器学习"


def test_a_look():
    found = look(TEXT, "en", model=glass())
    assert found.translation == "I love machine learning."
    assert found.source_pieces == [">>en<<", "我", "爱", "机器", "学习", "</s>"]
    assert found.target_pieces == ["I", " love", " machine", " learning", ".", "</s>"]
    assert found.trace["log_probs"].shape == (6, 16_000)
    rows = found.trace["log_probs"][np.arange(6), found.best.ids]
    assert rows == pytest.approx(found.best.token_log_probs, abs=1e-5)  # the cache and the whole pass agree
    assert found.remarks == ()


def test_a_step_is_a_row_of_the_trace_unless_the_mask_is_off():
    name = "decoder.1.cross_attention.weights"
    found = look(TEXT, "en", model=glass())
    assert np.abs(found.at_step(3)[name][:, 2] - found.trace[name][:, 2]).max() <= 1e-5
    assert found.at_step(3)[name].shape == (6, 3, 6)
    with pytest.raises(UsageError, match="step is 7: expected a whole number from 1 to 6"):
        found.at_step(7)
    without = look(TEXT, "en", model=glass(), hands=Hands(causal_mask=False))
    assert np.abs(without.at_step(3)[name][:, 2] - without.trace[name][:, 2]).max() > 1e-3


def test_an_erased_piece_gives_nothing_and_is_looked_at_as_before():
    plain, erased = (look(TEXT, "en", model=glass(), hands=hands) for hands in (Hands(), Hands(erase={2})))
    assert (erased.trace["encoder.5.self_attention.V"][:, 2] == 0).all()
    assert (erased.trace["decoder.0.cross_attention.V"][:, 2] == 0).all()
    first = "encoder.0.self_attention.weights"
    assert (erased.trace[first] == plain.trace[first]).all()
    assert "love" not in erased.translation
    assert first_difference(plain, erased) == 2
    assert first_difference(plain, plain) is None


def test_the_training_pass():
    target = "I really like machine learning."
    found = training_pass(TEXT, target, "en", model=glass())
    theirs = score_targets(torch_model(), torch.tensor([found.read.request.ids]), torch.tensor([found.target_out]))[0]
    assert found.log_probs == pytest.approx(theirs.token_log_probs, abs=1e-5)
    assert found.loss == pytest.approx(-theirs.log_prob / len(found.target_out), abs=1e-5)
    assert found.target_in == (1, *found.target_out[:-1])
    assert found.glass.tokenizer.decode(found.target_out) == target
    assert found.may_attend.tolist() == [[key <= query for key in range(7)] for query in range(7)]
    assert found.own == look(TEXT, "en", model=glass(), beam=1).best.ids
    # As long as it has written what the target has, it reads the same, and expects the same.
    same = next(n for n, (ours, right) in enumerate(zip(found.own, found.target_out, strict=False)) if ours != right)
    fed_back = found.fed_back_log_probs
    assert fed_back[: same + 1] == pytest.approx(found.log_probs[: same + 1], abs=1e-5)
    assert fed_back[same + 1] < found.log_probs[same + 1] - 1
    assert found.predicted[:same] == list(found.own[:same])


def test_several_sentences_and_none():
    assert "shown as one text" in look("Hi there. How are you?", "de", "en", glass()).remarks[0]
    assert "would not ask the model" in look("42", "de", "en", glass()).remarks[0]
    with pytest.raises(InputError, match="there is no text to look at"):
        look("  \n", "de", "en", glass())
    with pytest.raises(InputError, match="the given translation is empty"):
        training_pass(TEXT, " ", "en", model=glass())
    with pytest.raises(InputError, match="has 602 tokens: the glass shows at most 512"):
        look("1" * 600, "de", "en", glass())


@pytest.mark.parametrize(
    ("name", "family"),
    [("lstm", "recurrent"), ("decoder-only", "decoder-only"), ("encoder-only", "encoder-only")],
)
def test_other_families_are_refused(name, family, tmp_path):
    with pytest.raises(InputError) as caught:
        open_glass(save(name, tmp_path / "model"))
    assert f"a model of the family {family}: the glass shows encoder-decoder Transformers alone" in str(caught.value)


def test_learned_positions_bound_both_sides(tmp_path):
    opened = open_glass(save("learned", tmp_path / "model"))
    assert len(look("老师", "en", "zh", opened).best.ids) <= 12
    with pytest.raises(InputError, match="the glass shows at most 12"):
        look("老师爱饕饕饕饕饕饕", "en", "zh", opened)


def test_a_damaged_folder_is_one_line(tmp_path):
    folder = save("transformer", tmp_path / "model")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
    with pytest.raises(AttendoError, match="is not what its manifest says"):
        open_glass(folder)


def test_the_glass_does_not_know_torch():
    code = (
        "import sys\n"
        "from attendo.glass.look import look\n"
        "from attendo.glass.training_pass import training_pass\n"
        f"found = look({TEXT!r}, 'en')\n"
        "assert found.translation == 'I love machine learning.', found.translation\n"
        f"assert training_pass({TEXT!r}, 'I love it.', 'en', model=found.glass).loss > 0\n"
        "heavy = {'torch', 'matplotlib', 'ctranslate2', 'transformers', 'safetensors'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_file_is_short():
    lengths = {path.name: path.read_text(encoding="utf-8").count("\n") for path in ROOM.glob("*.py")}
    assert len(lengths) > 15
    assert max(lengths.values()) < 150, lengths


def test_the_parts_have_the_names_of_the_model():
    named = {path.name for path in (ROOM.parent / "model").glob("*.py")}
    ours = {path.name for path in ROOM.glob("*.py")}
    paper = {"attention", "multi_head", "masks", "embeddings", "positions", "norms", "add_and_norm", "feed_forward"}
    assert {f"{name}.py" for name in (*paper, "encoder", "decoder", "cache", "transformer")} <= named & ours
