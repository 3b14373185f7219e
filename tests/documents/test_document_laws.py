"""The laws of documents (laws.py) over the samples of every format."""

import pytest

from attendo.documents.find import finder_for
from tests.documents.laws import (
    SAMPLES,
    check_each_once,
    check_mutations,
    check_put_back,
    check_spans,
    check_swapped,
    find,
    kind_of,
    name_of,
    samples,
)

EVERY = samples()
FORMATS = sorted({path.parent.name for path in EVERY})


def every_sample(test):
    return pytest.mark.parametrize("path", EVERY, ids=name_of)(test)


def test_every_format_has_ten_samples():
    assert {key: len(samples(key)) for key in FORMATS if len(samples(key)) < 10} == {}
    assert all(finder_for(key) for key in FORMATS)
    assert sorted(path.name for path in SAMPLES.iterdir()) == FORMATS


@every_sample
def test_a_sample_is_known_by_its_name_and_obeys_the_laws(path):
    data = path.read_bytes()
    assert kind_of(data, path.name) == path.parent.name
    document = find(data, path)
    assert document.segments
    check_spans(document)
    check_put_back(document, data)
    check_swapped(document, data, path)
    check_each_once(document, path)


@every_sample
def test_a_few_mutations(path):
    check_mutations(path, 2)


@pytest.mark.slow
@every_sample
def test_many_mutations(path):
    check_mutations(path, 200 // len(samples(path.parent.name)) + 1, seed=1)
