"""One small tokenizer of each kind, learned from sentences made here."""

import random

import pytest

from attendo.text.subword_models import KINDS
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

SUBJECTS = [("我", "I"), ("你", "you"), ("他们", "they"), ("老师", "the teacher"), ("机器", "the machine")]
VERBS = [("爱", "love"), ("学习", "learn"), ("看", "see"), ("翻译", "translate"), ("喜欢", "like")]
OBJECTS = [("语言", "languages"), ("书", "books"), ("音乐", "music"), ("注意力", "attention"), ("中文", "Chinese")]


def synthetic_texts(number=400, seed=1):
    draw = random.Random(seed)
    for _ in range(number):
        (s, subject), (v, verb), (o, thing) = draw.choice(SUBJECTS), draw.choice(VERBS), draw.choice(OBJECTS)
        year = draw.randrange(1900, 2100)
        yield f"{s}{v}{o}，{year}年。"
        yield f"In {year}, {subject} {verb} {thing}."


@pytest.fixture(scope="session")
def tokenizers():
    return {
        kind: train_tokenizer(lambda: synthetic_texts(), ["zh", "en"], TokenizerConfig(vocab_size=600, kind=kind))
        for kind in KINDS
    }
