"""One line and an exit code for whatever goes wrong; the traceback only when asked for."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attendo.cli import describe as describe_command
from attendo.cli.main import main
from attendo.errors import ConfigError


def attendo(*arguments, capsys):
    """Exit code, stdout and stderr of a command, run in this process."""
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    out, err = capsys.readouterr()
    return end.value.code or 0, out, err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--wrong"], 2, "No such option: --wrong"),
        (["describe", "base", "--vocab"], 2, "--vocab"),
        (["describe", "base", "--vocab", "many"], 2, "--vocab"),
        (["describe"], 2, "PRESET"),
        (["descrobe", "base"], 2, "No such command"),
        (["describe", "bsae"], 2, "there is no preset 'bsae'; did you mean 'base'?"),
        (["describe", "missing.json"], 1, "cannot read missing.json: No such file"),
        (["describe", "base", "--vocab", "-1"], 1, "vocab_size in TransformerConfig is -1"),
    ],
)
def test_mistakes_get_one_line(arguments, code, words, capsys):
    ended, out, err = attendo(*arguments, capsys=capsys)
    assert (ended, out) == (code, "")
    assert err.startswith("attendo: ")
    assert words in err
    assert err.count("\n") == 1


def test_debug_shows_the_traceback(capsys):
    with pytest.raises(ConfigError):
        main(["describe", "base", "--vocab", "-1", "--debug"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[1, 2]", "expected an object"),
        ("[" * 100_000, "is not JSON"),
        ('{"vocab_size": ' + "9" * 5000 + "}", "is not JSON"),
        ('{"vocab_size": 100, "d_model": 1000000000}', "from 1 to 65,536"),
        ('{"vocab_size": 100, "d_mdoel": 64}', "did you mean 'd_model'?"),
        (" " * 1_000_001, "at most 1,000,000"),
        ('{"vocab_size": 100, "dropout": ' + "1" * 401 + "}", "a number of about"),
    ],
)
def test_hostile_configurations_get_one_line(text, words, tmp_path, capsys):
    (tmp_path / "config.json").write_text(text)
    ended, out, err = attendo("describe", str(tmp_path / "config.json"), capsys=capsys)
    assert (ended, out, err.count("\n")) == (1, "", 1)
    assert words in err


def test_a_device_without_end_is_not_read_to_its_end(capsys):
    code, _, err = attendo("describe", "/dev/zero", capsys=capsys)
    assert code == 1
    assert "too large" in err


def test_ctrl_c_is_130(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(describe_command, "preset", interrupted)
    assert attendo("describe", "base", capsys=capsys) == (130, "", "attendo: interrupted\n")


def test_a_real_ctrl_c_leaves_no_traceback():
    """SIGINT to a real process in the middle of a command."""
    code = (
        "import time\n"
        "from attendo.cli import describe, main\n"
        "describe.preset = lambda *_: (print('busy', flush=True), time.sleep(30))\n"
        "main.main(['describe', 'base'])\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "busy\n"
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (130, "attendo: interrupted\n")


def test_version_and_bare_call(capsys):
    assert attendo("--version", capsys=capsys)[1].startswith("attendo 0.")
    code, out, err = attendo(capsys=capsys)
    assert (code, err) == (0, "")
    assert "Usage: attendo" in out


def test_describe_text(capsys):
    code, out, err = attendo("describe", "base", "--vocab", "37000", capsys=capsys)
    assert (code, err) == (0, "")
    assert "(0-5): 6 x EncoderLayer(  # 3,152,384 each" in out
    assert "(inner): Linear(512 -> 2048)" in out
    assert "in all              63,082,496" in out


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("llama-7b", 6_738_415_616),
        ("llama-30b", 32_528_943_616),
        ("llama-2-70b", 68_976_648_192),
        ("base", 63_082_496),
        ("bert-base", 109_514_298),
    ],
)
def test_describe_json_counts(name, parameters, capsys):
    """Llama's and BERT's counts are the published ones; the paper says 65 million for its base model."""
    code, out, _ = attendo("describe", name, "--json", capsys=capsys)
    answer = json.loads(out)
    assert code == 0
    assert answer["parameters"] == parameters == sum(answer["by_part"].values())
    assert answer["feed_forward_share"] == pytest.approx(answer["by_part"]["feed_forward"] / parameters)


def test_describe_reads_a_configuration_it_printed(tmp_path, capsys):
    config = json.loads(attendo("describe", "tiny", "--json", capsys=capsys)[1])["config"]
    (tmp_path / "config.json").write_text(json.dumps({"format": 1, "model": config}))
    answer = json.loads(attendo("describe", str(tmp_path / "config.json"), "--json", capsys=capsys)[1])
    assert answer["config"] == config
    assert answer["parameters"] == 16_317_440


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_llama_is_described_in_little_time_and_memory():
    """Under 1 GB of resident memory, though its weights would be 276 GB."""
    code = (
        "from pathlib import Path; from attendo.cli.main import run\n"
        "assert run(['describe', 'llama-2-70b', '--json'], debug=True) == 0\n"
        "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert '"parameters": 68976648192' in done.stdout
    assert int(done.stdout.split()[-1]) < 1_000_000  # kilobytes


def test_a_closed_pipe_is_no_traceback():
    read_end, write_end = os.pipe()
    os.close(read_end)
    child = subprocess.run(
        [sys.executable, "-m", "attendo", "describe", "base"], stdout=write_end, stderr=subprocess.PIPE, check=False
    )
    os.close(write_end)
    assert (child.returncode, child.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("wb") as full:
        child = subprocess.run(
            [sys.executable, "-m", "attendo", "describe", "base"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert child.returncode == 1
    assert child.stderr.startswith(b"attendo: ")
    assert child.stderr.count(b"\n") == 1
