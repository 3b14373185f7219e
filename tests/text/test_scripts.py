"""Traditional Chinese is read as simplified, and the user is told; nothing else is touched."""

import sys

import pytest

from attendo.errors import ConfigError
from attendo.text.scripts import converter, is_traditional, to_simplified, to_traditional, writes_simplified


@pytest.fixture
def without_opencc(monkeypatch):
    converter.cache_clear()
    monkeypatch.setitem(sys.modules, "opencc", None)
    yield
    converter.cache_clear()


def test_traditional_becomes_simplified():
    pytest.importorskip("opencc", reason="the package opencc is not installed")
    text, remark = to_simplified("我愛學習，這裡有機器翻譯。")
    assert text == "我爱学习，这里有机器翻译。"
    assert remark == "7 traditional characters read as simplified"


@pytest.mark.parametrize("text", ["", "Hello", "我爱学习。", "陶喆和他", "皇后在里面", "日本語を勉強", "3.14"])
def test_all_else_is_left_alone(text):
    pytest.importorskip("opencc", reason="the package opencc is not installed")
    assert to_simplified(text) == (text, "")


def test_for_readers_of_traditional():
    pytest.importorskip("opencc", reason="the package opencc is not installed")
    assert to_traditional("机器翻译", "zh-Hant") == "機器翻譯"
    assert to_traditional("机器翻译", "zh_TW") == "機器翻譯"
    assert to_traditional("机器翻译", "zh-CN") == "机器翻译"
    languages = ["zh-Hant", "zh-TW", "zh_HK", "zh-Hant-HK", "yue-HK", "zh", "zh-CN", "zh-Hans-HK", "en-HK"]
    assert [writes_simplified(language) for language in languages] == [False] * 5 + [True] * 3 + [False]


@pytest.mark.usefixtures("without_opencc")
def test_without_the_package():
    """Reading goes on and says so; writing what was asked for cannot."""
    assert is_traditional("我愛學習")
    text, remark = to_simplified("我愛學習")
    assert text == "我愛學習"
    assert "pip install opencc" in remark
    assert to_simplified("我爱学习") == ("我爱学习", "")
    with pytest.raises(ConfigError, match="pip install opencc"):
        to_traditional("机器", "zh-TW")
