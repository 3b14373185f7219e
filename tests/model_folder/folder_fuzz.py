"""What each engine makes of drawn model folders, in forked children under limits of memory and time."""

import json
import os
import random
import resource
import select
import shutil
import signal
import time
from functools import partial
from math import isfinite
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open

from attendo.decoding.options import SearchOptions
from attendo.engines.ct2.conversion import obstacle
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.engines.engine import Request
from attendo.engines.torch_engine import load_torch_engine
from attendo.errors import AttendoError
from attendo.model.build import build_model
from attendo.model.config import config_from_dict
from attendo.model_folder.bundle import read_bundle
from tests.forked import forked
from tests.model_folder.drawn_folders import VOCAB, draw, write

SECONDS, ADDRESSES = 60, 3 * 2**29  # of a case; beyond what the child had when it was forked


def run_case(seed, scratch):
    """What came of it: accepted or refused by which engine; `wrong` is what must not be."""
    folder = draw(seed)
    path = scratch / f"{seed}"
    write(folder, path)
    wrong, outcomes, scores = [], {}, {}
    for name, load in ENGINES.items():
        try:
            scores[name] = answer(load(path), seed)
            outcomes[name] = "accepted"
        except AttendoError as error:
            sentence = str(error)
            outcomes[name] = "refused"
            if not sentence.isprintable() or len(sentence) > 600:
                wrong.append(f"{name} refuses by {sentence!r}")
        except MemoryError:
            outcomes[name] = "memory"
            wrong.append(f"{name} takes too much memory")
        except BaseException as error:  # a traceback
            wrong.append(f"{name}: {error!r}")
    if "accepted" in outcomes.values():
        if not is_as_described(path):
            wrong.append("accepted with other tensors than the configuration says")
        config = read_bundle(path).config
        if set(outcomes.values()) != {"accepted"} and not obstacle(config):
            wrong.append(f"the engines do not accept the same: {outcomes}")
    if (
        "torch" in scores
        and "ct2" in scores
        and (difference := disagreement(path, seed, scores["torch"], scores["ct2"]))
    ):
        wrong.append(difference)
    shutil.rmtree(path)
    return {"seed": seed, "outcomes": outcomes, "wrong": wrong, "steps": folder.steps}


def torch_engine(path):
    bundle = read_bundle(path)
    bundle.tokenizer()
    return load_torch_engine(bundle, "cpu", 1)


def ct2_engine(path, quantization="float32"):
    bundle = read_bundle(path)
    bundle.tokenizer()
    return load_ct2_engine(bundle, 1, quantization)


ENGINES = {"torch": torch_engine, "ct2": ct2_engine, "ct2 in int8": partial(ct2_engine, quantization="int8")}


def pairs_of(seed):
    rng = random.Random(seed)
    ids = [(5, *(rng.randrange(6, VOCAB) for _ in range(n)), 2) for n in (1, 4)]
    return [(Request(source, 6), (rng.randrange(6, VOCAB), rng.randrange(6, VOCAB), 2)) for source in ids]


def answer(engine, seed):
    pairs = pairs_of(seed)
    found = [hypothesis.token_log_probs for hypothesis in engine.score(pairs)]
    for hypotheses in engine.search([request for request, _ in pairs], SearchOptions(beam_size=2, stop="early")):
        assert all(0 <= token < VOCAB for token in hypotheses[0].ids)
    return found


def is_as_described(path):
    """By other witnesses than the check itself: the library's reader, and the model that torch builds."""
    table = json.loads((path / "config.json").read_text())
    with torch.device("meta"):
        model = build_model(config_from_dict(table["model"]))
    expected = {name: list(weight.shape) for name, weight in model.named_parameters()}
    with safe_open(path / "model.safetensors", "np") as file:
        found = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118 - it is no dict
        kinds = {name: file.get_slice(name).get_dtype() for name in found}
    if "I8" in kinds.values():
        whole = {name for name, sides in expected.items() if len(sides) == 2 and "positions" not in name}
        expected |= {f"{name}.scale": expected[name][:1] for name in whole}
        return found == expected and all(kind == ("I8" if name in whole else "F32") for name, kind in kinds.items())
    return found == expected and set(kinds.values()) in ({"F32"}, {"F16"})


def disagreement(path, seed, ours, theirs):
    """Where they differ by more than rounding explains.

    How much that is, float64 tells: some models drawn here, of weights of 65,504, make much of the last bit of each.
    """
    exact = in_double(path, seed)
    ours, theirs = np.concatenate(ours), np.concatenate(theirs)
    if not all(map(isfinite, [*ours, *theirs, *exact])):
        return f"numbers that are not finite: torch {ours}, CTranslate2 {theirs}, exactly {exact}"
    error = np.abs(theirs - exact).max() - 1e-3 - 1e-4 * np.abs(exact).max()
    if error <= 10 * np.abs(ours - exact).max():
        return ""
    rounding = max(np.abs(in_double(path, seed, nudge) - exact).max() for nudge in range(1, 5))
    return "" if error <= 10 * rounding else f"torch {ours}, CTranslate2 {theirs}, exactly {exact}"


def in_double(path, seed, nudge=0):
    """The scores in float64; but for nudge 0, every weight is off by some 2^-22 of itself."""
    engine = torch_engine(path)
    model = engine.teacher_forced.double()
    generator = torch.Generator().manual_seed(nudge)
    with torch.no_grad():
        for weight in model.parameters() if nudge else ():
            weight.mul_(1 + 2.0**-22 * torch.randn(weight.shape, generator=generator, dtype=weight.dtype))
    return np.concatenate([hypothesis.token_log_probs for hypothesis in engine.score(pairs_of(seed))])


def run_cases(seeds, scratch):
    """Every case's result; one that ends its process, or does not end, is wrong and the others go on."""
    waiting, results = list(seeds)[::-1], []
    while waiting:
        results += run_batch(waiting, scratch)
    return results


def run_batch(waiting, scratch, most=50):
    """Some of those waiting, in one child; what it said line by line is kept whatever becomes of it."""
    batch = [waiting.pop() for _ in range(min(most, len(waiting)))]
    reader, writer = os.pipe()

    def work():
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_AS, (addresses() + ADDRESSES,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for seed in batch:
            os.write(writer, json.dumps(run_case(seed, scratch)).encode() + b"\n")

    process = forked(work)
    os.close(writer)
    raw, deadline = b"", time.monotonic() + SECONDS
    while time.monotonic() < deadline and select.select([reader], [], [], deadline - time.monotonic())[0]:
        if not (block := os.read(reader, 2**16)):
            break
        raw, deadline = raw + block, time.monotonic() + SECONDS
    else:
        os.kill(process, signal.SIGKILL)
    os.close(reader)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    results = [json.loads(line) for line in raw.split(b"\n")[:-1]]
    if len(results) < len(batch):
        seed = batch[len(results)]
        steps = draw(seed).steps
        results.append({"seed": seed, "outcomes": {}, "wrong": [f"the process ended with {code}"], "steps": steps})
        shutil.rmtree(scratch / f"{seed}", ignore_errors=True)
        waiting.extend(batch[len(results) :][::-1])
    return results


def addresses():
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
