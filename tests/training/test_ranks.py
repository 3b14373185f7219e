"""Several ranks train as one process does: the same steps and, up to rounding, the same weights."""

import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import nn

from attendo.data.batch import Batch
from attendo.errors import ConfigError, TrainingError
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.training import loop as training_loop
from attendo.training.checkpoints import Checkpoints, read_state
from attendo.training.config import TrainingConfig
from attendo.training.gradient_sum import cut
from attendo.training.join import joined
from attendo.training.launch import Launch, launched
from attendo.training.objective import TeacherForcing
from attendo.training.sharded import whole
from attendo.training.share import my_share
from attendo.training.trainer import Trainer
from tests.training.tiny_run import result, run, tiny_recipe
from tests.training.two_ranks import KILLS, ends_of, free_port, in_ranks

# Dropout draws by rank, so the same weights can only come of a model without it. Without biases, because that of keys
# has no gradient but rounding errors, which Adam would blow up to steps of full size.
PLAIN = {"model": {"dropout": 0.0, "bias": False}, "tokenizer": {"bpe_dropout": 0.0}}


WITH_DROPOUT = tiny_recipe(training={"max_steps": 9})  # each rank's generator must come back


def in_two_ranks(folder, recipe, world=2):
    return ends_of(in_ranks(lambda rank: run(folder, recipe)[0], world))[0]


def last_weights(folder):
    checkpoints = Checkpoints(folder / "checkpoints")
    return load_file(checkpoints.path(checkpoints.steps()[-1]) / "model.safetensors")


def farthest(ours, theirs):
    """The largest distance of two tensors of one name, relative to their size."""
    assert ours.keys() == theirs.keys()
    return max(float((ours[name] - theirs[name]).norm() / theirs[name].norm()) for name in theirs)


@given(rows=st.lists(st.integers(1, 5), min_size=1, max_size=6), world=st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_ranks_share_out_every_row_once(rows, world):
    batches = [
        Batch.from_pairs([([5], [10 * number + row + 3]) for row in range(count)]) for number, count in enumerate(rows)
    ]
    shares = [my_share(batches, rank, world) for rank in range(world)]
    assert len({len(share) for share in shares}) == 1, "a rank would wait for one that has less to do"
    said = Counter(int(row[0]) for share in shares for batch in share for row in batch.target_out if row[0])
    assert said == Counter(int(row[0]) for batch in batches for row in batch.target_out)
    assert sum(batch.num_target_tokens for share in shares for batch in share) == 2 * sum(rows)
    assert len(shares[0]) == len(rows) // math.gcd(len(rows), world)


def test_buckets_hold_what_fits_and_one_type():
    weights = [nn.Parameter(torch.zeros(size)) for size in (3, 2, 9, 1)] + [nn.Parameter(torch.zeros(1).double())]
    assert [[len(weight) for weight in bucket] for bucket in cut(weights, 20)] == [[3, 2], [9], [1], [1]]


def test_what_a_launcher_says():
    said = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    assert launched(said) == Launch(3, 4, 1, 2)
    assert launched({"WORLD_SIZE": "4"}) is None
    for wrong in ({"RANK": "x"}, {"RANK": "4"}, {"LOCAL_RANK": "2"}, {"WORLD_SIZE": "-1"}):
        with pytest.raises(ConfigError, match="expected a number"):
            launched(said | wrong)


BATCHES = [
    Batch.from_pairs([([5 + (7 * n + k) % 20, 6 + n], [8 + (5 * k + n) % 17] * (1 + k % 4)) for k in range(3 + n % 3)])
    for n in range(7)
]


def train_in_float64(folder, accumulate, shard=False):
    torch.manual_seed(1)
    sizes = {"vocab_size": 40, "d_model": 16, "d_ff": 32, "num_heads": 2, "encoder_layers": 1, "decoder_layers": 1}
    model = build_model(TransformerConfig(**sizes, dropout=0.0, bias=False)).double()
    config = TrainingConfig(
        max_steps=12, accumulate=accumulate, schedule="cosine", learning_rate=1e-2, warmup_steps=2, device="cpu",
        average_decay=0.9, threads=1, shard=shard,
    )  # fmt: skip
    with joined("cpu") as ranks:
        trainer = Trainer(model, BATCHES, TeacherForcing(0.1), config, ranks=ranks)
        trainer.run()
        weights = {name: whole(weight.detach()).clone() for name, weight in model.named_parameters()}
        averages = {f"{name}/average": whole(weight).clone() for name, weight in trainer.state.average.weights.items()}
    save_file(weights | averages, folder / f"{os.environ.get('RANK', 'alone')}.safetensors")


@pytest.mark.parametrize("accumulate", [1, 3])
def test_two_ranks_end_where_one_process_does(accumulate, tmp_path, evidence):
    """Seven batches of 3 to 5 rows, 1 or 3 a step: rows and epochs that cannot be shared out evenly."""
    train_in_float64(tmp_path, accumulate)
    assert ends_of(in_ranks(lambda rank: train_in_float64(tmp_path, accumulate)))[0] == [0, 0]
    alone, *ranks = (load_file(tmp_path / f"{name}.safetensors") for name in ("alone", 0, 1))
    assert all(torch.equal(ranks[0][name], ranks[1][name]) for name in alone), "the ranks differ among themselves"
    distance = farthest(ranks[0], alone)
    assert distance < 1e-12
    what = f"two ranks beside one process, {accumulate} micro-batch(es) a step, float64: largest relative distance"
    evidence("T16", what, "below 1e-12")


@pytest.mark.slow
def test_two_ranks_give_the_run_of_one(tmp_path, evidence):
    """From recipe to model folder, in float32; what is told of steps and validations is the same, too."""
    recipe = tiny_recipe(**PLAIN, training={"accumulate": 1})
    assert run(tmp_path / "one", recipe)[0] == 0
    assert in_two_ranks(tmp_path / "two", recipe) == [0, 0]
    one, two = result(tmp_path / "one"), result(tmp_path / "two")
    assert [step[0] for step in one["steps"]] == [step[0] for step in two["steps"]]
    for ours, theirs in zip(two["steps"], one["steps"], strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
    assert [samples for *_, samples in one["validations"]] == [samples for *_, samples in two["validations"]]
    distance = farthest(last_weights(tmp_path / "two"), last_weights(tmp_path / "one"))
    assert distance < 1e-5
    evidence("T16", "the same from recipe to checkpoint, 24 steps, float32", "below 1e-5")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    assert in_two_ranks(folder, WITH_DROPOUT) == [0, 0]
    return result(folder)


def test_a_signal_to_one_rank_stops_all_and_resuming_is_exact(tmp_path, undisturbed, evidence):
    def stopped(rank):
        real = training_loop.Loop.take_step

        def take_step(loop, work):
            real(loop, work)
            if rank == 1 and loop.state.progress.step == 7:
                os.kill(os.getpid(), signal.SIGTERM)

        training_loop.Loop.take_step = take_step
        return run(tmp_path, WITH_DROPOUT)[0]

    assert ends_of(in_ranks(stopped))[0] == [143, 143]
    assert Checkpoints(tmp_path / "checkpoints").steps()[-1] == 7
    assert in_two_ranks(tmp_path, WITH_DROPOUT) == [0, 0]
    assert result(tmp_path) == undisturbed
    evidence("T15", "SIGTERM to one of two ranks: exit codes / resumed", "143 and 143 / bit-identical")


@pytest.mark.parametrize("point", KILLS)
def test_a_killed_rank_ends_the_run(point, tmp_path, undisturbed, evidence):
    stamp = tmp_path / "killed"

    def work(rank):
        KILLS[point](rank, stamp)
        try:
            return run(tmp_path, WITH_DROPOUT)[0]
        except TrainingError as error:
            (tmp_path / "said").write_text(str(error))
            return error.exit_code

    codes, _ = ends_of(in_ranks(work))
    seconds = time.time() - stamp.stat().st_mtime
    assert sorted(codes) == [-signal.SIGKILL, 1]
    assert "another process of this run has ended" in (tmp_path / "said").read_text()
    assert seconds < 20
    assert in_two_ranks(tmp_path, WITH_DROPOUT) == [0, 0]
    assert result(tmp_path) == undisturbed
    evidence(
        "T15",
        f"SIGKILL of a rank in {point}: the other ends after",
        "less than 1 s" if seconds < 1 else f"{seconds:.0f} s",
    )
    evidence("T15", f"SIGKILL of a rank in {point}: resumed with two ranks", "bit-identical")


def test_a_rank_with_other_weights_is_found(tmp_path, evidence):
    def broken(rank):
        training_loop.ALIKE_EVERY = 4
        real = training_loop.Loop.take_step

        def take_step(loop, work):
            real(loop, work)
            if rank == 1 and loop.state.progress.step == 6:
                weight = next(loop.state.model.parameters()).data.view(-1)
                largest = weight.argmax()  # in the next steps a small one may be rounded to the same number again
                weight[largest] = torch.nextafter(weight[largest], torch.tensor(9.0))  # the last bit of one number

        training_loop.Loop.take_step = take_step
        try:
            run(tmp_path, tiny_recipe(training={"checkpoint_every": 50}, validation={"every": 50}))
        except Exception as error:
            (tmp_path / f"said-{rank}").write_text(f"{type(error).__name__}: {error}")
            return 1

    assert ends_of(in_ranks(broken))[0] == [1, 1]
    said = [(tmp_path / f"said-{rank}").read_text() for rank in range(2)]
    assert all("TrainingError: after step 8 the ranks disagree: weights " in each for each in said), said
    assert Checkpoints(tmp_path / "checkpoints").steps() == []
    evidence("T16", "last bit of one weight changed on one rank, checked every 4 steps: found after", "2 steps")


# --- slow: more ranks, shards, torchrun itself


@pytest.mark.slow
@pytest.mark.parametrize(("world", "accumulate"), [(3, 1), (4, 2), (7, 1)])
def test_many_ranks_end_where_one_process_does(world, accumulate, tmp_path, evidence):
    """Of batches with 3 to 5 rows some of the seven ranks get none."""
    train_in_float64(tmp_path, accumulate)
    assert ends_of(in_ranks(lambda rank: train_in_float64(tmp_path, accumulate), world))[0] == [0] * world
    alone, *ranks = (load_file(tmp_path / f"{name}.safetensors") for name in ("alone", *range(world)))
    assert all(torch.equal(ranks[0][name], other[name]) for other in ranks for name in alone)
    assert farthest(ranks[0], alone) < 1e-12
    evidence("T16", f"{world} ranks beside one process, float64: largest relative distance", "below 1e-12")


@pytest.mark.slow
@pytest.mark.parametrize("accumulate", [1, 3])
def test_shards_end_where_one_process_does(accumulate, tmp_path, evidence):
    train_in_float64(tmp_path, accumulate)
    work = lambda rank: train_in_float64(tmp_path, accumulate, shard=True)  # noqa: E731
    assert ends_of(in_ranks(work))[0] == [0, 0]
    alone, *ranks = (load_file(tmp_path / f"{name}.safetensors") for name in ("alone", 0, 1))
    assert farthest(ranks[0], alone) < 1e-12
    assert farthest(ranks[1], alone) < 1e-12
    evidence("T16", f"two ranks in shards beside one process, {accumulate} micro-batch(es), float64", "below 1e-12")


@pytest.mark.slow
def test_shards_are_saved_whole_and_resumed_exactly(tmp_path):
    """Stopped in the middle and resumed in shards: to the bit; resumed by one process: up to rounding."""
    recipe = tiny_recipe(**PLAIN, training={"max_steps": 12, "shard": True})
    assert in_two_ranks(tmp_path / "whole", recipe) == [0, 0]

    def stopped(rank, folder):
        real = training_loop.Loop.take_step

        def take_step(loop, work):
            real(loop, work)
            if loop.state.progress.step == 7:
                loop.stop.exit_code = 143

        training_loop.Loop.take_step = take_step
        return run(folder, recipe)[0]

    for name in ("again", "alone"):
        assert ends_of(in_ranks(lambda rank, name=name: stopped(rank, tmp_path / name)))[0] == [143, 143]
    assert in_two_ranks(tmp_path / "again", recipe) == [0, 0]
    assert result(tmp_path / "again") == result(tmp_path / "whole")
    code, said = run(tmp_path / "alone", tiny_recipe(**PLAIN, training={"max_steps": 12}))
    assert code == 0
    assert "ranks (2 then, 1 now); sharded (yes then, no now)" in said
    assert farthest(last_weights(tmp_path / "alone"), last_weights(tmp_path / "whole")) < 1e-4


@pytest.mark.slow
def test_a_run_goes_on_with_more_ranks(tmp_path):
    """R-Drop and dropout; one process, then three: each new one draws by a seed of its own."""
    recipe = tiny_recipe(training={"max_steps": 6, "r_drop": 1.0, "schedule": "noam"})
    assert run(tmp_path, recipe)[0] == 0
    longer = tiny_recipe(training={"max_steps": 12, "r_drop": 1.0, "schedule": "noam"})
    assert in_two_ranks(tmp_path, longer, world=3) == [0, 0, 0]
    states = read_state(Checkpoints(tmp_path / "checkpoints").path(12))[1]
    assert sorted(states) == ["cpu", "cpu/1", "cpu/2"]
    assert len(set(states.values())) == 3


@pytest.mark.slow
@pytest.mark.parametrize("point", KILLS)
def test_torchrun_starts_a_killed_run_again(point, tmp_path, undisturbed, evidence):
    """A rank is killed in the first life of the run; --max-restarts=1 gives it a second."""
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--max-restarts=1",
        f"--master-port={free_port()}", "-m", "tests.training.two_ranks", point, str(tmp_path),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "killed").exists()
    assert result(tmp_path / "run") == undisturbed
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path).encode() in bytes_of(path)]
    assert left == []
    evidence("T15", f"torchrun --max-restarts=1, SIGKILL in {point}: ends / processes left", "bit-identical / 0")


def bytes_of(path):
    try:
        return path.read_bytes()
    except OSError:  # a process that has just ended
        return b""
