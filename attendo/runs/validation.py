"""How good a model is on pairs it was not trained on: the functions that a Trainer is given to validate with.

When to validate and which score decides is the loop's business (training/config.py), and so is the record of it
(training/callback.py); the pairs come from data/prepare. What is asked of a model, and how, stands here alone.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.data.corpus import Pair
from attendo.decoding.greedy import greedy_search
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel
from attendo.decoding.length import group_by_length, longest_output
from attendo.decoding.mask_predict import mask_predict
from attendo.engines.torch_engine import limits_of
from attendo.evaluation.metrics import bleu, chrf, tokenisations
from attendo.model.config import ModelConfig
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.special_tokens import SPECIAL, pad_rows
from attendo.text.tokenizer import Tokenizer
from attendo.training.callback import TranslationSample
from attendo.training.device import Machine
from attendo.training.feed import BatchSource
from attendo.training.masked_tokens import MaskedTokens
from attendo.training.objective import Objective, TeacherForcing, in_precision
from attendo.training.ranks import ALONE, Ranks

TOKENS_PER_BATCH = 8_000  # of greedy search
TEACHER_FORCING: Objective = TeacherForcing()
PASSES, LENGTHS = 4, 3  # of a model that gives all words at once: fewer than in use, for a validation should be quick

Scores = tuple[dict[str, float], Sequence[TranslationSample]]
# Source ids [batch, source], and how long each answer may be -> one hypothesis for each.
ValidationSearch = Callable[[nn.Module, Tensor, Sequence[int]], list[Hypothesis]]


# --- by loss


def one_epoch(batches: BatchSource) -> Iterator[Batch]:
    """Every pair once."""
    start = Position()
    for batch, after in batches.stream(start):
        yield batch
        if after.epoch != start.epoch:
            return


@contextmanager
def same_draws(device: torch.device) -> Iterator[None]:
    """What is drawn inside, such as which words are hidden, is the same at every validation; the generator of the
    training goes on as if nothing had been drawn."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(0)
        yield


@torch.no_grad()
def mean_loss(model: nn.Module, batches: Sequence[Batch], objective: Objective, ranks: Ranks = ALONE) -> float:
    """Over all real target tokens together. The model should be in evaluation mode. Each rank computes some batches."""
    device = next(model.parameters()).device
    own = batches[ranks.rank :: ranks.world]
    nothing = torch.zeros((), device=device, dtype=torch.float64)
    total = ranks.total(sum((objective(model, batch.to(device)).double() for batch in own), nothing))
    return float(total) / sum(batch.num_target_tokens for batch in batches)


@torch.no_grad()
def masked_accuracy(model: nn.Module, batches: Sequence[Batch], ranks: Ranks = ALONE) -> float:
    """The share of hidden tokens that the model guesses at once."""
    device = next(model.parameters()).device
    own = batches[ranks.rank :: ranks.world]
    nothing = torch.zeros((), device=device, dtype=torch.int64)
    right = ranks.total(sum((count_right_guesses(model, batch.to(device)) for batch in own), nothing))
    return float(right) / sum(batch.num_target_tokens for batch in batches)


def count_right_guesses(model: nn.Module, batch: Batch) -> Tensor:
    asked = batch.target_out != SPECIAL.pad
    return ((model(batch.source).argmax(-1) == batch.target_out) & asked).sum()


@dataclass(frozen=True)
class GuessHidden:
    """Of an encoder alone: the loss on hidden tokens, and how many it guesses."""

    batches: Sequence[Batch]
    machine: Machine
    ranks: Ranks = ALONE

    def __call__(self, model: nn.Module) -> Scores:
        objective = in_precision(MaskedTokens(), self.machine.device, self.machine.precision)
        loss = mean_loss(model, self.batches, objective, self.ranks)
        return {"loss": loss, "accuracy": masked_accuracy(model, self.batches, self.ranks)}, []


# --- by translations


def greedily(model: nn.Module, source: Tensor, longest: Sequence[int]) -> list[Hypothesis]:
    """By the likeliest token at each step."""
    return greedy_search(cast(AutoregressiveModel[Any], model), source, longest)


def at_once(model: nn.Module, source: Tensor, longest: Sequence[int]) -> list[Hypothesis]:
    """A model that gives all words at once guesses how many there are, which is never more than may be."""
    return mask_predict(cast(NonAutoregressive, model), source, PASSES, LENGTHS)


@dataclass(frozen=True)
class Question:
    """A source to translate into a language, and what a person made of it."""

    pair: Pair
    language: str


@dataclass(frozen=True)
class Translate:
    """Loss of the true translations, without smoothing (`objective`); scores and samples of the model's own, which
    `search` finds."""

    batches: dict[str, list[Batch]]  # by direction
    questions: Sequence[Question]
    num_samples: int
    tokenizer: Tokenizer
    machine: Machine
    objective: Objective = TEACHER_FORCING
    search: ValidationSearch = greedily
    ranks: Ranks = ALONE  # each of them translates some of the questions

    def __call__(self, model: nn.Module) -> Scores:
        objective = in_precision(self.objective, self.machine.device, self.machine.precision)
        every = [batch for batches in self.batches.values() for batch in batches]
        with same_draws(self.machine.device):
            scores = {"loss": mean_loss(model, every, objective, self.ranks)}
        if len(self.batches) > 1:
            for direction, batches in self.batches.items():
                with same_draws(self.machine.device):
                    scores[f"loss {direction}"] = mean_loss(model, batches, objective, self.ranks)
        if not self.questions:
            return scores, []
        # A model whose loss is no number has nothing to say; the loop will see what to do about it.
        translations = self.translate(model) if math.isfinite(scores["loss"]) else [""] * len(self.questions)
        answered = zip(self.questions[: self.num_samples], translations, strict=False)
        samples = [TranslationSample(asked.pair.source, asked.pair.target, output) for asked, output in answered]
        return scores | score_translations(translations, self.questions), samples

    def translate(self, model: nn.Module) -> list[str]:
        lower = self.machine.precision != torch.float32
        with torch.autocast(self.machine.device.type, self.machine.precision, enabled=lower):
            own = self.questions[self.ranks.rank :: self.ranks.world]
            answers = self.ranks.gather(translate_questions(model, self.tokenizer, own, self.search))
        # Question n was answered by rank n mod world.
        return [answers[number % len(answers)][number // len(answers)] for number in range(len(self.questions))]


def translate_questions(
    model: nn.Module, tokenizer: Tokenizer, questions: Sequence[Question], search: ValidationSearch = greedily
) -> list[str]:
    """In the order of the questions; like lengths are translated together.

    What the model reads and how long its answer may be are as in `attendo translate`.
    """
    device = next(model.parameters()).device
    limits = limits_of(cast(ModelConfig, model.config))
    rows = [tokenizer.source_ids(question.pair.source, question.language) for question in questions]
    longest = [longest_output(len(row), tokenizer.subwords.kind) for row in rows]
    outputs = [""] * len(rows)
    for indices in group_by_length([len(row) for row in rows], TOKENS_PER_BATCH):
        source = torch.tensor(pad_rows([rows[index] for index in indices]), device=device)
        # A decoder alone has one table of positions for both: a source beyond its share leaves less for the answer.
        room = max(1, limits.target - max(0, source.shape[1] - limits.source))
        bounds = [min(longest[index], room) for index in indices]
        found = search(model, source, bounds)
        for index, hypothesis in zip(indices, found, strict=True):
            outputs[index] = tokenizer.decode(hypothesis.ids)
    return outputs


def score_translations(translations: Sequence[str], questions: Sequence[Question]) -> dict[str, float]:
    """BLEU and chrF by sacreBLEU, the mean over target languages; and the share that is exactly the reference."""
    languages = sorted({question.language for question in questions})
    scores: dict[str, list[float]] = {"bleu": [], "chrf": []}
    for language in languages:
        mine = [index for index, question in enumerate(questions) if question.language == language]
        outputs = [translations[index] for index in mine]
        references = [[questions[index].pair.target for index in mine]]
        scores["bleu"].append(bleu(outputs, references, tokenisations(language)[0]).score)
        scores["chrf"].append(chrf(outputs, references).score)
    exact = sum(output == question.pair.target for output, question in zip(translations, questions, strict=True))
    return {name: sum(each) / len(each) for name, each in scores.items()} | {"exact": exact / len(questions)}
