"""The hash of what measures: it changes with every definition that measuring reaches, and with nothing else."""

import hashlib

import pytest

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.tools import code_hash as hashing
from attendo.lab.tools.code_hash import code_hash, reached, reached_modules

SOURCE = '''"""Words."""
import os

from attendo.model.masks import causal

X = 1  # why
RULE = 2


def measure():
    """Doc."""
    return X, causal, "# no"


def judge():
    return RULE


EXPERIMENT = Experiment("L0", for_each_seed(measure), judge)
'''


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """What goes into the hash of a source, as a module beside those of the project."""
    real = hashing.source_of

    def of(source):
        name = f"planted_{hashlib.sha256(source.encode()).hexdigest()}"
        path = tmp_path / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        monkeypatch.setattr(hashing, "source_of", lambda module: path if module == name else real(module))
        return {
            (module.replace(name, "it"), one, hashing.read_module(module).sources[one]) for module, one in reached(name)
        }

    return of


@pytest.mark.parametrize("old", ["RULE = 2", "# why", "Doc.", "return RULE", "import os\n", "Words"])
def test_it_passes_over_what_changes_no_number(hashed, old):
    without = SOURCE.replace(old, "pass" if old.startswith("return") else "")
    assert without != SOURCE
    assert hashed(SOURCE) == hashed(without)


@pytest.mark.parametrize(("old", "new"), [("X = 1", "X = 2"), ("# no", "# yes"), ("X, ", "-X, "), ("causal", "real")])
def test_it_changes_with_what_measures(hashed, old, new):
    assert hashed(SOURCE) != hashed(SOURCE.replace(old, new))


def test_it_reaches_what_an_experiment_uses():
    names = reached_modules(EXPERIMENTS["L6"].module)
    assert {"attendo.lab.tools.toy_training", "attendo.model.multi_head", "attendo.training.optimizer"} <= names
    assert not {"attendo.lab.tools.chart", "attendo.report.fonts"} & names  # these draw, and change no number
    places = reached(EXPERIMENTS["L6"].module)
    assert ("attendo.model.masks", "causal") in places
    assert ("attendo.lab.tools.measuring", "fails_more") not in places  # a rule's
    assert len(code_hash(EXPERIMENTS["L6"].module)) == 16
    assert code_hash("attendo.lab.claim") != code_hash("attendo.lab.knobs")


def test_a_module_that_is_handed_on_whole_counts_whole():
    assert set(hashing.imported_places("attendo.model.masks", "")) >= {
        ("attendo.model.masks", name) for name in ("causal", "real", "check_mask")
    }
    assert list(hashing.imported_places("attendo.model.masks", "causal")) == [("attendo.model.masks", "causal")]
