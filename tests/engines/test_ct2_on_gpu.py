"""CTranslate2 on a GPU: by whom it is chosen, and what is said where there is none."""

import pytest

import attendo
from attendo.engines.ct2.engine import MOST_TOGETHER_ON_GPU, batch_size, gpu_index
from attendo.errors import ConfigError
from attendo.translation.load import uses_gpu


def gpus():
    import ctranslate2

    return ctranslate2.get_cuda_device_count()


@pytest.mark.skipif(gpus() > 0, reason="there is a GPU")
def test_without_a_gpu_it_is_one_line():
    with pytest.raises(ConfigError, match="device is 'cuda', but CTranslate2 finds 0 GPUs here"):
        attendo.load("default", engine="ct2", device="cuda")


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "cuda:-1", "mps"])
def test_other_devices_are_refused(device):
    with pytest.raises(ConfigError, match="expected auto, cpu or cuda"):
        gpu_index(device)


def test_a_gpu_takes_many_sentences_at_once_and_a_cpu_few():
    assert batch_size(5_000, None) == MOST_TOGETHER_ON_GPU > batch_size(5_000, 2)


def test_who_decodes_on_a_gpu_is_known_before_anything_is_loaded():
    assert [uses_gpu("ct2", device) for device in ("auto", "cpu", "cuda")] == [False, False, True]
    assert [uses_gpu("auto", device) for device in ("cpu", "cuda")] == [False, True]


@pytest.mark.skipif(gpus() == 0, reason="no GPU")
def test_on_a_gpu_it_says_what_the_cpu_says():
    texts = ["我爱机器学习。", "今天天气很好。", "他昨天买了三本书。"]
    on_gpu = attendo.load("default", engine="ct2", device="cuda").translate(texts, to="en")
    on_cpu = attendo.load("default", engine="ct2", device="cpu").translate(texts, to="en")
    assert [one.text for one in on_gpu] == [one.text for one in on_cpu]
    assert "GPU" in on_gpu[0].engine
