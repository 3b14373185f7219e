"""A small real translator for the lab, trained as `attendo train` trains.

Size "full" is Multi30k, English to German: 29,000 captions of pictures. On a GPU a step is a CUDA graph in bfloat16,
as in a real run. Size "small" is for tests: short words said backwards, by a model that is there to run, not to learn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import nn

from attendo.data.batches import Batches, WeightedCorpus
from attendo.data.corpus import Corpus, CorpusFile, Pair
from attendo.data.encoded import encode_corpus
from attendo.data.few_shapes import FewShapes
from attendo.data.filters import FilterConfig
from attendo.data.lines import ignore
from attendo.data.prepare.tokenizer import texts
from attendo.data.synthetic import SyntheticCorpus
from attendo.files.cache_folder import cache_folder
from attendo.lab.knobs import Size
from attendo.lab.tools.data_files import data_file
from attendo.model.build import Model
from attendo.model.config import ModelConfig
from attendo.model_folder.weights import load_weights_
from attendo.runs.validation import Question, Translate, mean_loss, one_epoch, score_translations
from attendo.text.tokenizer import Tokenizer
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from attendo.training.callback import Callback, StepRecord
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine, choose_machine
from attendo.training.feed import BatchSource
from attendo.training.graphed import GraphedShapes
from attendo.training.loop import evaluation_mode
from attendo.training.objective import Objective, TeacherForcing, in_precision
from attendo.training.trainer import Trainer

LANGUAGES = ("en", "de")
DATA_FILES = ("en-de/multi30k.train.tsv.xz", "en-de/multi30k.valid.tsv", "en-de/multi30k.test2016.tsv")
MADE_UP = [
    SyntheticCorpus("reverse", pairs, longest=6, letters=5, seed=seed) for pairs, seed in ((120, 1), (20, 2), (20, 3))
]
TEACHER_FORCING = TeacherForcing(label_smoothing=0.1)


@dataclass(frozen=True)
class RealData:
    tokenizer: Tokenizer
    training: Sequence[WeightedCorpus]
    validation: WeightedCorpus  # what `valid` is as ids
    valid: Sequence[Pair]  # texts
    test: Sequence[Pair]
    identity: str  # decides what is in it

    @property
    def vocab_size(self) -> int:
        return self.tokenizer.vocab_size


@dataclass(frozen=True)
class RealBudget:
    """What both sides of a comparison get: each pair as often, in batches of as many tokens."""

    epochs: float
    tokens: int = 8_192  # a batch, padding included
    warmup: float = 0.15  # the share of the steps that lead up to the peak
    average_decay: float = 0.998  # of the moving average of weights, which is the model in the end
    # Where model and machine can: several pairs a row, the fastest way. Without, one pair a row: a recurrent model
    # cannot have it otherwise, and whatever is compared with it should get the very same batches.
    packed: bool = True

    def training(self, steps: int, peak: float, seed: int) -> TrainingConfig:
        """`peak`: the learning rate at the top of a cosine."""
        return TrainingConfig(
            seed=seed, max_steps=steps, tokens_per_batch=self.tokens, schedule="cosine",
            learning_rate=peak, warmup_steps=max(1, round(self.warmup * steps)),
            average_decay=self.average_decay, max_skipped=steps + 1,
        )  # fmt: skip


def real_data(size: Size, cut: TokenizerConfig | None = None) -> RealData:
    """`cut`: how text is cut into tokens, where it is not the usual way (BPE of 8,000 for both languages)."""
    if size == "small":
        return data_of(MADE_UP, cut or TokenizerConfig(300, "char"))
    return data_of([CorpusFile(data_file(name), LANGUAGES) for name in DATA_FILES], cut or TokenizerConfig(8_000))


def data_of(corpora: Sequence[Corpus], cut: TokenizerConfig) -> RealData:
    """Of three: to learn from, to validate and to test by."""
    train, valid, test = corpora
    tokenizer = train_tokenizer(lambda: texts([train]), LANGUAGES, cut)
    parts = [as_part(corpus, tokenizer) for corpus in (train, valid)]
    identity = repr([cut, *(corpus.identity() for corpus in (train, valid, test))])
    return RealData(tokenizer, parts[:1], parts[1], list(valid.pairs(ignore)), list(test.pairs(ignore)), identity)


def as_part(corpus: Corpus, tokenizer: Tokenizer) -> WeightedCorpus:
    encoded = encode_corpus(corpus, tokenizer, LANGUAGES, FilterConfig(), cache_folder() / "encoded")
    return WeightedCorpus(encoded.source, encoded.target, tokenizer.tag(LANGUAGES[1]))


def config_of(model: nn.Module) -> ModelConfig:
    return cast(ModelConfig, model.config)  # every family has one, under this name


def machine_for(model: nn.Module, packed: bool = True) -> Machine:
    """A GPU where there is one. Never compiled: that takes longer than such a short run would gain."""
    training = TrainingConfig(compile="off", threads=torch.get_num_threads())
    machine = choose_machine(training, config_of(model))
    return replace(machine, packed=machine.packed and packed)


class LossCurve(Callback):
    """The loss of every step."""

    def __init__(self) -> None:
        self.losses: list[float] = []

    def on_step(self, record: StepRecord) -> None:
        self.losses.append(record.loss)


def train_real(
    model: nn.Module, objective: Objective, data: RealData, budget: RealBudget, peak: float, seed: int
) -> list[float]:
    """Trains the model in its place, which is the GPU afterwards if there is one; returns the loss of every step.

    A rate that is too high for a model is a result, not an error: updates may be skipped up to the last.
    """
    machine = machine_for(model, budget.packed)
    batches = Batches(data.training, budget.tokens, seed, machine.packed)
    steps = max(2, round(budget.epochs * len(batches.epoch(1).plan)))
    training, curve = budget.training(steps, peak, seed), LossCurve()
    in_few_shapes = machine.device.type == "cuda" and not machine.packed
    given: BatchSource = FewShapes(batches) if in_few_shapes else batches
    torch.manual_seed(seed)  # dropout
    trainer = Trainer(model, given, objective, training, callbacks=[curve], machine=machine)
    if in_few_shapes:
        trainer.step = GraphedShapes()
    trainer.run()
    if trainer.state.average:
        load_weights_(model, trainer.state.average.weights)
    model.eval()
    return curve.losses


def validation_loss(model: Model, data: RealData) -> float:
    """Of the true translations, without smoothing: a mean over tokens, in nats."""
    machine = machine_for(model)
    batches = list(one_epoch(Batches([data.validation], 8_192, seed=0, packed=machine.packed)))
    with evaluation_mode(model):
        return mean_loss(model, batches, in_precision(TeacherForcing(), machine.device, machine.precision))


def translations(model: Model, data: RealData, pairs: Sequence[Pair]) -> list[str]:
    """Of the sources of these pairs, by the likeliest token at each step."""
    with evaluation_mode(model):
        return Translate({}, questions(pairs), 0, data.tokenizer, machine_for(model)).translate(model)


def bleu(translations: Sequence[str], pairs: Sequence[Pair]) -> float:
    """sacreBLEU's, 0 to 100."""
    return score_translations(translations, questions(pairs))["bleu"]


def bleu_of(model: Model, data: RealData) -> float:
    return bleu(translations(model, data, data.test), data.test)


def questions(pairs: Sequence[Pair]) -> list[Question]:
    return [Question(pair, LANGUAGES[1]) for pair in pairs]
