"""What will keep a recipe from getting there, told before the hours are spent: facts in, advice with numbers out."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from attendo.data.batches import WeightedCorpus
from attendo.model.config import RecurrentConfig
from attendo.recipe.recipe import Recipe
from attendo.report.formatting import duration_text
from attendo.runs.prepare import Prepared

STARTER = "recipes/starter.toml"
FINE_TUNE = "recipes/fine-tune.toml"

FEW_PAIRS = 3_000  # from which nothing is learnt of a language that the model does not know yet
FEW_TOKENS = 1_000_000  # of the target, seen in all: below it our small models said the same to every sentence
POST_NORM_TOKENS = 5_000_000  # below it post-norm with much dropout learnt nothing: BLEU 0.2, where pre-norm had 18
MUCH_DROPOUT = 0.2
MANY_EPOCHS = 50
FEW_STEPS_AN_EPOCH = 20
SEEN_TOO_RARELY = 20  # how often a piece of the vocabulary occurs in an epoch, on average
SMALL_VOCABULARY = 2_000
LONG_ON_A_CPU = 3 * 3600.0  # seconds
FINE_TUNING_RATE = 5e-4  # the most at which a model keeps what it knows
FILLED = 0.75  # of tokens_per_batch, about so much is target tokens; the rest is padding and the wider side


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """What is known of a run before it starts; the last three only where steps were measured."""

    pairs: int  # an epoch, of all directions
    tokens: int  # of both sides of these, an epoch
    vocabulary: int
    chosen_vocabulary: bool  # the recipe decides it; else it comes with a tokenizer or a model
    norm_order: str  # "" for a model without
    dropout: float
    max_steps: int
    warmup_steps: int
    peak_rate: float
    tokens_a_step: float  # of the target
    patience: int
    fine_tuned: bool = False
    synthetic: bool = False
    is_text: bool = False  # lines by themselves, no pairs
    on_cpu: bool = True
    steps_an_epoch: float | None = None
    seconds_a_step: float | None = None

    @property
    def tokens_seen(self) -> float:
        return self.max_steps * self.tokens_a_step


@dataclass(frozen=True)
class Advice:
    about: str  # one word
    text: str
    grave: bool = False  # the run will very likely come to nothing


def advise(facts: RunFacts) -> list[Advice]:
    """Grave things first."""
    given = [advice for rule in RULES if (advice := rule(facts)) is not None]
    return sorted(given, key=lambda advice: not advice.grave)


def about_warmup(facts: RunFacts) -> Advice | None:
    warmup, steps = facts.warmup_steps, facts.max_steps
    if warmup <= steps / 2:
        return None
    what = "never ends" if warmup >= steps else "takes more than half of the run"
    text = f"warmup {what} ({warmup:,} steps of {steps:,}): try training.warmup_steps={rounded(steps / 10)}"
    return Advice("warmup", text, grave=warmup >= steps)


def about_norms(facts: RunFacts) -> Advice | None:
    if facts.norm_order != "post" or facts.dropout < MUCH_DROPOUT or facts.fine_tuned:
        return None
    if facts.tokens_seen >= POST_NORM_TOKENS:
        return None
    seen = f"{facts.max_steps:,} steps of about {facts.tokens_a_step:,.0f} target tokens"
    text = (
        f"post-norm with dropout {facts.dropout:g} rarely learns anything in {seen}: "
        f"try model.norm_order=pre and model.dropout=0.1"
    )
    return Advice("norms", text, grave=True)


def about_pairs(facts: RunFacts) -> Advice | None:
    if facts.pairs >= FEW_PAIRS or facts.fine_tuned or facts.synthetic or facts.is_text:
        return None
    text = (
        f"{facts.pairs:,} pairs are too few to learn a language from: "
        f"with Chinese, German and English, {FINE_TUNE} teaches them to the default model"
    )
    return Advice("pairs", text, grave=True)


def about_steps(facts: RunFacts) -> Advice | None:
    if facts.tokens_seen >= FEW_TOKENS or facts.fine_tuned or facts.synthetic:
        return None
    text = (
        f"the model sees {facts.tokens_seen:,.0f} target tokens in all, and below about {FEW_TOKENS:,} it hardly says "
        f"more than common words: try training.max_steps={rounded(2 * FEW_TOKENS / facts.tokens_a_step)}"
    )
    return Advice("steps", text)


def about_epochs(facts: RunFacts) -> Advice | None:
    if not facts.steps_an_epoch or facts.patience or facts.synthetic:
        return None
    epochs = facts.max_steps / facts.steps_an_epoch
    if epochs <= MANY_EPOCHS:
        return None
    what = "lines" if facts.is_text else "pairs"
    text = (
        f"{epochs:,.0f} epochs over {facts.pairs:,} {what}, which will be learnt by heart: try validation.patience=5, "
        f"which ends the run when it gains no more, or training.max_steps={rounded(30 * facts.steps_an_epoch)}"
    )
    return Advice("epochs", text)


def about_batches(facts: RunFacts) -> Advice | None:
    few = facts.steps_an_epoch is not None and facts.steps_an_epoch < FEW_STEPS_AN_EPOCH
    if facts.steps_an_epoch is None or not few or facts.fine_tuned or facts.tokens_a_step < 2_000:
        return None
    text = (
        f"an epoch has {facts.steps_an_epoch:,.1f} steps: a small text is learnt sooner in small batches, "
        f"try training.tokens_per_batch=2000"
    )
    return Advice("batches", text)


def about_vocabulary(facts: RunFacts) -> Advice | None:
    seen = facts.tokens / facts.vocabulary
    if not facts.chosen_vocabulary or facts.vocabulary <= SMALL_VOCABULARY or seen >= SEEN_TOO_RARELY:
        return None
    better = max(SMALL_VOCABULARY, rounded(facts.tokens / (2 * SEEN_TOO_RARELY)))
    text = (
        f"a vocabulary of {facts.vocabulary:,} for {facts.tokens:,} tokens, so that a piece is seen {seen:,.0f} times "
        f"an epoch: try tokenizer.vocab_size={better}"
    )
    return Advice("vocabulary", text)


def about_rate(facts: RunFacts) -> Advice | None:
    if not facts.fine_tuned or facts.peak_rate <= FINE_TUNING_RATE:
        return None
    text = (
        f"the learning rate rises to {facts.peak_rate:.2g}, at which a model forgets what it knew: "
        f"try training.schedule=cosine and training.learning_rate=2e-4"
    )
    return Advice("rate", text)


def about_time(facts: RunFacts) -> Advice | None:
    if facts.seconds_a_step is None or not facts.on_cpu:
        return None
    seconds = facts.seconds_a_step * facts.max_steps
    if seconds <= LONG_ON_A_CPU:
        return None
    smaller = "" if facts.fine_tuned else f"try {STARTER}, which is made for a CPU, or "
    text = (
        f"{duration_text(seconds)} on this machine, {facts.seconds_a_step:.1f} s a step: {smaller}"
        f"training.max_steps={rounded(3600 / facts.seconds_a_step)} for an hour"
    )
    return Advice("time", text, grave=True)


RULES: tuple[Callable[[RunFacts], Advice | None], ...] = (
    about_warmup, about_norms, about_pairs, about_time, about_steps, about_epochs, about_batches, about_vocabulary,
    about_rate,
)  # fmt: skip


def rounded(number: float) -> int:
    """To two digits, at least 1: a setting that people would choose."""
    if number < 1:
        return 1
    unit = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return round(number / unit) * unit


def facts_of(recipe: Recipe, prepared: Prepared, on_cpu: bool) -> RunFacts:
    """Before anything was measured, from settings and the sizes of corpora alone: no epoch is laid out for it."""
    training, model = recipe.training, prepared.model
    fine_tuned = recipe.model.init_from is not None
    peak = training.learning_rate
    if training.schedule == "noam":
        peak *= (model.d_model * training.warmup_steps) ** -0.5
    return RunFacts(
        pairs=round(sum(pairs_of(corpus) * corpus.weight for corpus in prepared.corpora)),
        tokens=sum(int(corpus.source.lengths.sum() + corpus.target.lengths.sum()) for corpus in prepared.corpora),
        vocabulary=prepared.tokenizer.vocab_size,
        chosen_vocabulary=recipe.tokenizer.file is None and not fine_tuned,
        norm_order="" if isinstance(model, RecurrentConfig) else model.norm_order,
        dropout=model.dropout,
        max_steps=training.max_steps,
        warmup_steps=training.warmup_steps,
        peak_rate=peak,
        tokens_a_step=training.tokens_per_batch * training.accumulate * FILLED,
        patience=recipe.validation.patience,
        fine_tuned=fine_tuned,
        synthetic=all(corpus.task is not None for corpus in recipe.data.corpora),
        is_text=recipe.data.is_text,
        on_cpu=on_cpu,
    )


def pairs_of(corpus: WeightedCorpus) -> int:
    return len(corpus) if corpus.indices is None else len(corpus.indices)
