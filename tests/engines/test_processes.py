"""One translator in several processes and threads: a forked child answers, whichever engine its parent had loaded.

Both engines compute in threads, and a forked child has none of its parent's: it would wait for them for ever.
"""

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

import attendo
from attendo.engines.ct2.encoder_engine import load_ct2_encoder
from attendo.engines.ct2.generator_engine import load_ct2_generator
from attendo.engines.process import OfThisProcess
from attendo.model_folder.bundle import model_folder, read_bundle
from tests.forked import end_of, forked
from tests.generation.small_language_model import save_language_model

PATIENCE = 6  # seconds
TEXTS = ["Guten Tag!", "我爱机器学习。"]
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # of forking beside threads: what is tested here
]


@pytest.fixture(scope="module", params=["ct2", "torch"])
def engine(request):
    yield request.param
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def translator(engine):
    return load(engine)


def load(engine):
    """The model of the package: of a smaller one torch computes all in one thread, and nothing would hang."""
    return attendo.load(engine=engine, device="cpu", threads=2)


def in_child(work):
    """The exit code of a child that does it; one that hangs is ended by an alarm."""

    def limited():
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE)
        work()

    return end_of(forked(limited))


def texts_of(translator):
    return [answer.text for answer in translator.translate(TEXTS, to="en")]


@pytest.mark.parametrize("tries", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_forked_child_answers_as_its_parent_does(tries, translator, evidence):
    expected = texts_of(translator)

    def grandchild():
        assert texts_of(translator) == expected

    def work():
        assert texts_of(translator) == expected
        assert in_child(grandchild) == 0

    assert [in_child(work) for _ in range(tries)] == [0] * tries
    assert texts_of(translator) == expected
    evidence("X8", f"forked after load, {translator.engine.name.split()[0]}: children / hung or wrong", f"{tries} / 0")


def test_a_child_may_load_one_of_its_own(engine, translator):
    expected = texts_of(translator)

    def work():
        assert texts_of(load(engine)) == expected

    assert in_child(work) == 0


@pytest.mark.parametrize("kind", ["generator", "encoder"])
def test_so_may_a_child_of_who_has_a_language_model_or_vectors(kind, tmp_path, monkeypatch):
    """These share one text among threads by OpenMP, which may have helpers for the thread that opens them, too."""
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    folder = save_language_model(tmp_path / "model") if kind == "generator" else model_folder(None)
    bundle, row = read_bundle(folder), [4, 5, 2]

    def numbers():
        if kind == "generator":
            return load_ct2_generator(bundle, 2).score([row])
        return [vectors.tolist() for vectors in load_ct2_encoder(bundle, 2).encode([row])]

    expected = numbers()

    def work():
        assert numbers() == expected

    assert [in_child(work) for _ in range(2)] == [0, 0]


def test_what_a_child_makes_may_compute_by_openmp():
    """Whose helpers of the thread that forks are its parent's: with them it would wait for ever."""
    import ctranslate2

    found = list((Path(ctranslate2.__file__).parents[1] / "ctranslate2.libs").glob("libgomp*"))
    if not found:
        pytest.skip("this CTranslate2 has no OpenMP of its own")
    shared_work = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    openmp = ctypes.CDLL(str(found[0]))

    def compute():
        openmp.GOMP_parallel(shared_work, None, 2, 0)
        return "computed"

    one = OfThisProcess(compute)

    def work():
        assert one.get() == OfThisProcess(compute).get() == "computed"

    assert in_child(work) == 0


def test_a_process_that_forks_before_and_after_it_loads_ends(engine):
    """A real one: what hung was also Python's own farewell, which takes the engine away."""
    code = (
        "import attendo, os, sys, warnings; warnings.simplefilter('ignore')\n"
        "def ask(): assert translator.translate('Guten Tag!', to='en').text == 'Hello!'\n"
        "before = os.fork()\n"
        f"translator = attendo.load(engine={engine!r}, device='cpu', threads=2)\n"
        "ask()\n"
        "if before == 0: sys.exit(7)\n"
        "if (after := os.fork()) == 0: sys.exit(7)\n"
        "codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in (before, after)]\n"
        "sys.exit(codes != [7, 7])\n"
    )
    patient = os.environ | {"OMP_WAIT_POLICY": "passive"}  # threads that spin would keep the others from their work
    done = subprocess.run([sys.executable, "-c", code], timeout=2 * PATIENCE, check=False, env=patient)
    assert done.returncode == 0


def test_workers_of_a_pool_that_forks(translator):
    """As gunicorn --preload and multiprocessing do it."""
    expected = texts_of(translator)
    with multiprocessing.get_context("fork").Pool(2, SHARED.update, ({"translator": translator},)) as pool:
        assert pool.map_async(ask_shared, range(4)).get(timeout=PATIENCE) == [expected] * 4


SHARED = {}


def ask_shared(_):
    return texts_of(SHARED["translator"])


def test_threads_share_one_translator(translator):
    expected = texts_of(translator)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: texts_of(translator), range(8))) == [expected] * 8
