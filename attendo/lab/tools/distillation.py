"""Sequence-level distillation (Kim and Rush 2016): a corpus whose targets are what a teacher makes of its sources.

A person's translations of one caption differ in words and order; a teacher's are always alike. A model that guesses all
words at once, each without knowing the others, learns far better from these (Gu et al. 2018).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from attendo.data.batch import padded
from attendo.data.batches import WeightedCorpus
from attendo.data.encoded import EncodedSide
from attendo.decoding.greedy import greedy_search
from attendo.decoding.length import group_by_length
from attendo.lab.tools.real_training import RealData, machine_for
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

TOKENS = 16_000  # of the sources that are translated together


def distilled(data: RealData, teacher: Transformer) -> RealData:
    """The same sources; validation and test stay what people wrote."""
    return replace(data, training=[retold(part, teacher) for part in data.training])


def retold(corpus: WeightedCorpus, teacher: Transformer) -> WeightedCorpus:
    """By greedy search, in the precision in which the teacher learnt."""
    machine = machine_for(teacher)
    rows = [corpus.source_row(index) for index in range(len(corpus))]
    said: list[list[int]] = [[] for _ in rows]
    lower = machine.precision != torch.float32
    with torch.autocast(machine.device.type, machine.precision, enabled=lower):
        for indices in group_by_length([len(row) for row in rows], TOKENS):
            source = padded([rows[index] for index in indices]).to(machine.device)
            for index, hypothesis in zip(
                indices, greedy_search(teacher, source, 2 * source.shape[1] + 10), strict=True
            ):
                said[index] = [token for token in hypothesis.ids if token != SPECIAL.eos]
    return replace(corpus, target=as_side(said, corpus.target.ids.dtype))


def as_side(sentences: Sequence[Sequence[int]], dtype: np.dtype) -> EncodedSide:
    ids = np.fromiter((token for sentence in sentences for token in sentence), dtype=dtype)
    return EncodedSide(ids, np.cumsum([0, *map(len, sentences)]))
