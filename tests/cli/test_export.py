"""attendo export: the files of the fast engine, and how far translations move."""

import pytest

from attendo.cli.main import run


def test_a_model_of_the_package_by_its_name(tmp_path, capsys):
    assert run(["export", "default", str(tmp_path / "ct2"), "--to", "ct2"], debug=False) == 0
    assert (tmp_path / "ct2" / "model.bin").stat().st_size > 10_000_000
    assert "bytes, int8" in capsys.readouterr().out


def test_how_far_translations_move(tmp_path, capsys):
    sentences = tmp_path / "in.txt"
    sentences.write_text("我爱机器学习\n你好\n\n", encoding="utf-8")
    folder = str(tmp_path / "ct2")
    assert (
        run(["export", "default", folder, "--to", "ct2", "--check", str(sentences), "--check-to", "en"], debug=False)
        == 0
    )
    assert "of 2 translations are the same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["none-such", "{}/ct2", "--to", "ct2"], 1, "there is no model folder none-such"),
        (["default", "{}", "--to", "ct2"], 2, "is already there"),
        (["default", "{}/ct2", "--to", "onnx"], 2, "--to is 'onnx': expected ct2"),
        (["default", "{}/ct2", "--to", "ct2", "--quantization", "int3"], 2, "expected int8 or float32"),
        (["default", "{}/ct2", "--to", "ct2", "--check", "{}/none.txt"], 1, "cannot read"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, code, words, tmp_path, capsys):
    assert run(["export", *(argument.format(tmp_path) for argument in arguments)], debug=False) == code
    message = capsys.readouterr().err.strip()
    assert words in message
    assert "\n" not in message


def test_an_encoder_is_exported_for_ctranslate2s_encoder(tmp_path, capsys):
    import ctranslate2

    from tests.inspection.small_models import save

    model, sentences = save("encoder-only", tmp_path / "model"), tmp_path / "in.txt"
    sentences.write_text("我爱机器学习\n", encoding="utf-8")
    command = ["export", str(model), str(tmp_path / "ct2"), "--to", "ct2", "--quantization", "float32"]
    assert run([*command, "--check", str(sentences)], debug=False) == 2
    assert "--check translates" in capsys.readouterr().err
    assert run(command, debug=False) == 0
    encoder = ctranslate2.Encoder(str(tmp_path / "ct2"), device="cpu")
    assert encoder.forward_batch([[5, 7, 2]]).last_hidden_state.shape == [1, 3, 16]
