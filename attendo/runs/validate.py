"""The validations handed to the training loop: what a model is asked about pairs it was not trained on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attendo.data.batch import Batch
from attendo.data.batches import Batches
from attendo.evaluation.greedy_scores import Question, scores, translate_greedily
from attendo.model.build import Model
from attendo.model.config import EncoderOnlyConfig
from attendo.model.encoder_only import EncoderOnly
from attendo.recipe.recipe import Recipe
from attendo.runs.assemble import masking
from attendo.runs.prepare import Prepared
from attendo.text.tokenizer import Tokenizer
from attendo.training.device import Machine
from attendo.training.loop import Validate
from attendo.training.objective import MaskedTokens, TeacherForcing, in_precision
from attendo.training.validation import batches_of, masked_accuracy, mean_loss
from attendo.training.watch import Sample


@dataclass(frozen=True)
class GuessHidden:
    """Of an encoder alone: the loss on hidden tokens, and how many it guesses."""

    batches: list[Batch]
    machine: Machine

    def __call__(self, model: Model) -> tuple[dict[str, float], Sequence[Sample]]:
        objective = in_precision(MaskedTokens(), self.machine.device, self.machine.precision)
        loss = mean_loss(model, self.batches, objective)
        return {"loss": loss, "accuracy": masked_accuracy(model, self.batches)}, []


@dataclass(frozen=True)
class Translate:
    """Loss of the true translations, without smoothing; scores and samples of the model's own."""

    batches: dict[str, list[Batch]]  # by direction
    questions: Sequence[Question]
    num_samples: int
    tokenizer: Tokenizer
    machine: Machine

    def __call__(self, model: Model) -> tuple[dict[str, float], Sequence[Sample]]:
        objective = in_precision(TeacherForcing(), self.machine.device, self.machine.precision)
        every = [batch for batches in self.batches.values() for batch in batches]
        found = {"loss": mean_loss(model, every, objective)}
        if len(self.batches) > 1:
            for direction, batches in self.batches.items():
                found[f"loss {direction}"] = mean_loss(model, batches, objective)
        if not self.questions:
            return found, []
        # A model whose loss is no number has nothing to say; the loop will see what to do about it.
        translations = self.translate(model) if math.isfinite(found["loss"]) else [""] * len(self.questions)
        answered = zip(self.questions[: self.num_samples], translations, strict=False)
        samples = [Sample(question.pair.source, question.pair.target, said) for question, said in answered]
        return found | scores(translations, self.questions), samples

    def translate(self, model: Model) -> list[str]:
        if isinstance(model, EncoderOnly):
            raise TypeError("an encoder alone cannot translate")
        lower = self.machine.precision != torch.float32
        with torch.autocast(self.machine.device.type, self.machine.precision, enabled=lower):
            return translate_greedily(model, self.tokenizer, self.questions, self.machine.device)


def build_validation(recipe: Recipe, prepared: Prepared, machine: Machine) -> Validate:
    tokens, packed = recipe.training.tokens_per_batch, machine.packed
    batches = {
        one.direction: list(batches_of(Batches([one.part], tokens, seed=0, packed=packed)))
        for one in prepared.validation
    }
    if isinstance(prepared.model, EncoderOnlyConfig):
        mask = masking(recipe.training, prepared)
        return GuessHidden([mask(batch, position) for each in batches.values() for batch, position in each], machine)
    # In turn from each direction, so that the samples to show are of all.
    questions = [
        Question(one.pairs[place], one.target)
        for place in range(max((len(one.pairs) for one in prepared.validation), default=0))
        for one in prepared.validation
        if place < len(one.pairs)
    ]
    return Translate(
        {direction: [batch for batch, _ in each] for direction, each in batches.items()},
        questions,
        recipe.validation.samples,
        prepared.tokenizer,
        machine,
    )
