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


@cache
def texts():
    """(from, to, text); some hold nothing."""
    return [(one.source, one.target, one.text) for each in DIRECTIONS for one in read_inputs(*each)]


@cache
def pairs():
    """Source ids, and target_in: the pieces of another of the texts, for a model reads whatever it is given."""
    tokenizer, sources = glass().tokenizer, texts()
    return [
        (list(tokenizer.source_ids(for_model(text), target)), [SPECIAL.bos, *tokenizer.encode(for_model(other))])
        for (_, target, text), (_, _, other) in zip(sources, [*sources[7:], *sources[:7]], strict=True)
    ]


def some_pairs():
    """One of each direction, of 5 to 20 pieces."""
    fitting = [[pair for pair in pairs()[first : first + 50] if 5 < len(pair[0]) < 20] for first in (0, 50, 100, 150)]
    return [of_direction[len(of_direction) // 2] for of_direction in fitting]
