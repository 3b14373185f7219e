"""What a Chinese character is, and of which script it tells."""

import pytest

from attendo.text.scripts import HAN_CHARACTER, could_be, is_mostly_han, simplified_only, traditional_only
from attendo.text.tokenizer import is_han, pretokenize


@pytest.mark.parametrize("character", ["中", "々", "〇", "㐀", "𠮷", "⼈", "豈"])
def test_rare_ones_are_chinese_characters_too(character):
    assert HAN_CHARACTER.match(character)
    assert is_han(f"二{character}")
    assert pretokenize(f"a二{character}b") == ["a", f"二{character}", "b"]


@pytest.mark.parametrize("character", ["a", "é", "1", "。", "・", "か", "한", "😀"])
def test_others_are_none(character):
    assert not HAN_CHARACTER.match(character)


def test_scripts_by_the_old_standards():
    assert "国" in simplified_only() - traditional_only()
    assert "國" in traditional_only() - simplified_only()
    for proves_nothing in "后里中":
        assert proves_nothing not in simplified_only() | traditional_only()


def test_a_quarter_of_the_letters_makes_a_text_chinese():
    assert is_mostly_han("我在用 PyTorch")  # 3 of 10
    assert not is_mostly_han("我用 PyTorch")  # 2 of 9
    assert not is_mostly_han("Das ist 好")
    assert not is_mostly_han("plain")
    assert not is_mostly_han("2026！")
    assert could_be("我在用 PyTorch", "zh")
    assert not could_be("你好世界", "en")
