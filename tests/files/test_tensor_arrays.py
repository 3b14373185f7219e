"""Numbers of a safetensors file without torch, beside what the library itself reads."""

import numpy as np
import pytest
import safetensors.numpy

from attendo.errors import InputError
from attendo.files.tensor_arrays import read_arrays


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_the_same_numbers_as_the_library(tmp_path, kind):
    rng = np.random.default_rng(1)
    tensors = {
        "a": rng.normal(size=(3, 5)),
        "b": rng.normal(size=()),
        "empty": np.zeros((0, 4)),
        "c": rng.normal(size=7),
    }
    tensors = {name: np.asarray(numbers, dtype=kind) for name, numbers in tensors.items()}
    path = tmp_path / "x.safetensors"
    safetensors.numpy.save_file(tensors, path)
    read = read_arrays(path)
    expected = safetensors.numpy.load_file(path)
    assert set(read) == set(expected)
    for name, numbers in read.items():
        assert numbers.dtype == np.float32
        np.testing.assert_array_equal(numbers, expected[name].astype(np.float32))


def test_what_is_no_number_is_an_error(tmp_path):
    path = tmp_path / "x.safetensors"
    safetensors.numpy.save_file({"w": np.array([1.0, np.nan], dtype=np.float32)}, path)
    with pytest.raises(InputError, match="'w' has numbers that are not finite"):
        read_arrays(path)
    safetensors.numpy.save_file({"w": np.array([1, 2])}, path)
    with pytest.raises(InputError, match="'w' is I64: expected F16, F32, F64"):
        read_arrays(path)
