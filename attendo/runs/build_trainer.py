"""A recipe and its prepared data as a Trainer: the one place where the settings of a recipe choose its parts."""

from collections.abc import Sequence
from pathlib import Path

import torch

from attendo.data.batches import Batches
from attendo.data.few_shapes import FewShapes
from attendo.engines.cpu.training import LeanTeacherForcing, lean_if_possible
from attendo.engines.cuda.training.fused import FusedRDrop, FusedTeacherForcing, fused_if_possible
from attendo.errors import ConfigError
from attendo.model.build import Model, build_model
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    ModelConfig,
    NonAutoregressiveConfig,
    TransformerConfig,
)
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.transformer import Transformer
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model, load_weights_, weights_of
from attendo.recipe.recipe import Recipe
from attendo.runs.prepare import Prepared
from attendo.runs.validation import GuessHidden, Question, Translate, ValidationSearch, at_once, greedily, one_epoch
from attendo.training.callback import Callback
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine, choose_machine, set_up
from attendo.training.feed import BatchSource
from attendo.training.graphed import GraphedShapes
from attendo.training.loop import Validate
from attendo.training.masked_tokens import MaskedBatches, MaskedTokens, Masking, MaskPredict
from attendo.training.objective import Objective, RDrop, TeacherForcing
from attendo.training.ranks import ALONE, Ranks
from attendo.training.trainer import Trainer


def build_trainer(
    recipe: Recipe,
    prepared: Prepared,
    *,
    callbacks: Sequence[Callback] = (),
    checkpoints: Path | None = None,
    force: bool = False,
    ranks: Ranks = ALONE,
) -> Trainer:
    """As the run begins, or from its last checkpoint on, if there is one."""
    check_shardable(recipe.training, prepared.model)
    machine = fused_if_possible(choose_machine(recipe.training, prepared.model), prepared.model, recipe.training)
    machine = ranks.placed(lean_if_possible(machine, prepared.model, recipe.training))
    set_up(machine)  # before the first weights: orthogonal ones are computed, not only drawn
    batches = training_batches(recipe, prepared, machine)
    # A target that is guessed as a whole cannot be packed; in a few shapes a GPU can still record its steps.
    in_few_shapes = machine.device.type == "cuda" and isinstance(prepared.model, NonAutoregressiveConfig)
    trainer = Trainer(
        first_model(recipe, prepared.model),
        FewShapes(batches) if in_few_shapes else mask_if_needed(batches, recipe.training, prepared),
        objective_of(recipe.training, prepared.model, machine),
        recipe.training,
        recipe.validation,
        validate=build_validation(recipe, prepared, machine, ranks),
        callbacks=callbacks,
        checkpoints=checkpoints,
        machine=machine,
        made_of=prepared.made_of,
        force=force,
        ranks=ranks,
    )
    if in_few_shapes:
        trainer.step = GraphedShapes()
    return trainer


def first_model(recipe: Recipe, config: ModelConfig) -> Model:
    """The seed fixes the first weights, and every dropout after them."""
    torch.manual_seed(recipe.training.seed)
    model = build_model(config)
    if recipe.model.init_from is not None:
        start = load_model(read_bundle(Path(recipe.model.init_from)))
        # Of a teacher that gives word after word all is taken over; the length is for the student to learn.
        own = model.parts if isinstance(model, NonAutoregressive) and isinstance(start, Transformer) else model
        load_weights_(own, weights_of(start))
    return model


def training_batches(recipe: Recipe, prepared: Prepared, machine: Machine) -> Batches:
    training = recipe.training
    return Batches(prepared.corpora, training.tokens_per_batch, training.seed, machine.packed, plans_ahead=True)


def mask_if_needed(batches: BatchSource, training: TrainingConfig, prepared: Prepared) -> BatchSource:
    """An encoder alone is asked for hidden tokens, the others for translations."""
    if not isinstance(prepared.model, EncoderOnlyConfig):
        return batches
    layout = prepared.tokenizer.layout
    return MaskedBatches(batches, Masking(training.masked_share, layout.size, layout.first_byte, training.seed))


def objective_of(training: TrainingConfig, config: ModelConfig, machine: Machine) -> Objective:
    if isinstance(config, EncoderOnlyConfig):
        return MaskedTokens()
    if isinstance(config, NonAutoregressiveConfig):
        return MaskPredict(training.label_smoothing)
    if training.r_drop:
        r_drop = FusedRDrop if machine.step == "fused" else RDrop
        return r_drop(training.r_drop, training.label_smoothing)
    match machine.step:
        case "lean":
            return LeanTeacherForcing(training.label_smoothing, machine.precision)
        case "fused":
            return FusedTeacherForcing(training.label_smoothing)
        case "written-out":
            return TeacherForcing(training.label_smoothing)


def check_shardable(training: TrainingConfig, config: ModelConfig) -> None:
    """The others are trained by calls besides the model's own, which FSDP2 does not follow; and they are small."""
    if training.shard and not isinstance(config, TransformerConfig | DecoderOnlyConfig):
        raise ConfigError(
            f"shard = true in [training], and the model is a {type(config).__name__.removesuffix('Config')}: expected "
            f"family transformer or decoder-only"
        )


def build_validation(recipe: Recipe, prepared: Prepared, machine: Machine, ranks: Ranks = ALONE) -> Validate:
    tokens = recipe.training.tokens_per_batch
    sources = {one.direction: Batches([one.corpus], tokens, 0, machine.packed) for one in prepared.validation}
    batches = {
        direction: list(one_epoch(mask_if_needed(source, recipe.training, prepared)))
        for direction, source in sources.items()
    }
    if isinstance(prepared.model, EncoderOnlyConfig):
        return GuessHidden([batch for each in batches.values() for batch in each], machine, ranks)
    if recipe.data.is_text:
        return Translate(batches, [], recipe.validation.samples, prepared.tokenizer, machine, ranks=ranks)
    # In turn from each direction, so that the samples to show are of all.
    questions = [
        Question(one.pairs[index], one.target)
        for index in range(max((len(one.pairs) for one in prepared.validation), default=0))
        for one in prepared.validation
        if index < len(one.pairs)
    ]
    how: tuple[Objective, ValidationSearch] = (TeacherForcing(), greedily)
    if isinstance(prepared.model, NonAutoregressiveConfig):
        how = MaskPredict(), at_once
    return Translate(batches, questions, recipe.validation.samples, prepared.tokenizer, machine, *how, ranks=ranks)
