"""200 texts of all four directions of the model that came with the package: those of benchmarks/behaviour."""

from functools import cache

from attendo.glass.reading import open_glass
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model
from benchmarks.behaviour.inputs import DIRECTIONS, read_inputs


@cache
def glass():
    return open_glass()


@cache
def torch_model():
    return load_model(read_bundle(model_folder(None)))


def texts(each_direction=None):
    """(from, to, text), the first few of each direction that hold something, or all."""
    found = []
    for source, target in DIRECTIONS:
        found += [(source, target, one.text) for one in read_inputs(source, target)][:each_direction]
    return found


def pairs(each_direction=None):
    """Source ids, and target_in: the pieces of a text in the other direction; a model reads whatever it is given."""
    tokenizer = glass().tokenizer
    sources = texts(each_direction)
    for (_, target, text), (_, _, other) in zip(sources, [*sources[7:], *sources[:7]], strict=True):
        yield list(tokenizer.source_ids(for_model(text), target)), [SPECIAL.bos, *tokenizer.encode(for_model(other))]
