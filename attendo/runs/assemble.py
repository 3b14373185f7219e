"""The parts of a run, put together from a recipe and its prepared data."""

from collections.abc import Callable
from pathlib import Path

import torch

from attendo.data.batch import Batch
from attendo.data.batches import Batches, Position
from attendo.model.build import build_model
from attendo.model.config import EncoderOnlyConfig, ModelConfig
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.checkpoint import load_model, load_weights_, weights_of
from attendo.recipe.recipe import Recipe
from attendo.runs.prepare import Prepared
from attendo.training.compiled import Compiled
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine
from attendo.training.graphed import GraphedStep
from attendo.training.masked_tokens import Masking
from attendo.training.moving_average import MovingAverage
from attendo.training.objective import MaskedTokens, Objective, RDrop, TeacherForcing, in_precision
from attendo.training.optimizer import build_optimizer
from attendo.training.progress import Progress
from attendo.training.state import TrainingState

Transform = Callable[[Batch, Position], Batch]


def build_state(recipe: Recipe, config: ModelConfig, machine: Machine) -> TrainingState:
    """As a run begins. The seed fixes the first weights, and every dropout after them."""
    torch.manual_seed(recipe.training.seed)
    model = build_model(config)
    if recipe.model.init_from is not None:
        load_weights_(model, weights_of(load_model(read_bundle(Path(recipe.model.init_from)))))
    model.to(machine.device)
    average = MovingAverage(model, recipe.training.average_decay) if recipe.training.average_decay else None
    return TrainingState(model, build_optimizer(model, recipe.training), average, Progress())


def training_batches(recipe: Recipe, prepared: Prepared, machine: Machine) -> Batches:
    tokens, seed = recipe.training.tokens_per_batch, recipe.training.seed
    return Batches(prepared.parts, tokens, seed, machine.packed)


def transform(training: TrainingConfig, prepared: Prepared) -> Transform:
    """What is done to every batch before it is sent to the device."""
    if isinstance(prepared.model, EncoderOnlyConfig):
        return masking(training, prepared)
    return lambda batch, position: batch


def masking(training: TrainingConfig, prepared: Prepared) -> Masking:
    layout = prepared.tokenizer.layout
    return Masking(training.masked_share, layout.size, layout.first_byte, training.seed)


def training_objective(
    training: TrainingConfig, config: ModelConfig, machine: Machine, say: Callable[[str], None]
) -> Objective:
    objective: Objective
    if isinstance(config, EncoderOnlyConfig):
        objective = MaskedTokens()
    elif training.r_drop:
        objective = RDrop(training.r_drop, training.label_smoothing)
    else:
        objective = TeacherForcing(training.label_smoothing)
    objective = in_precision(objective, machine.device, machine.precision)
    return Compiled(objective, say) if machine.compiled else objective


def graphed_step(machine: Machine, say: Callable[[str], None]) -> GraphedStep | None:
    """Packed batches have one shape: on a GPU the step can be recorded, compiled or not."""
    return GraphedStep(say) if machine.device.type == "cuda" and machine.packed else None
