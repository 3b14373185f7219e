"""README.md of a model folder: what the model is, and from what it was made."""

from pathlib import Path

from attendo import __version__
from attendo.data.prepare.settings import CorpusConfig
from attendo.files.source_code import package_code
from attendo.model.config import family_of
from attendo.recipe.recipe import Recipe
from attendo.runs.prepare import Prepared
from attendo.training.progress import TrainingProgress


def model_card(recipe: Recipe, prepared: Prepared, progress: TrainingProgress, step: str, parameters: int) -> str:
    """`step` tells whose weights these are: "step 500", or "the mean of steps 400, 500"."""
    heading = ", ".join(" → ".join(filter(None, languages)) for _, languages in recipe.data.learned())
    what = "lines" if recipe.data.is_text else "pairs"
    corpora = "\n".join(
        f"| {corpus_name(corpus)} | {counts.kept:,} | {counts.read:,} |"
        for corpus, (_, counts) in zip(recipe.data.corpora, prepared.counts, strict=False)
    )
    best = progress.best_step(recipe.validation)
    score = f"{recipe.validation.metric} {progress.history[best]:.4g} at step {best}" if best else "none"
    family = family_of(prepared.model)
    return f"""# {heading}

A {family} model of {parameters:,} parameters, made by attendo {__version__} (code {package_code()}).
The weights are those of {step}.

## From what it was made

| corpus | {what} used | {what} read |
|---|---:|---:|
{corpora}

{progress.target_tokens:,} target tokens in {progress.step:,} steps. Best validation: {score}. It guides
training and is not a score to quote.

The licences of the corpora hold for what is made from them. Whoever passes this model on should name them here.
"""


def corpus_name(corpus: CorpusConfig) -> str:
    """File names alone: where they lay is nobody's business."""
    if corpus.task is not None:
        return f"made up: {corpus.task}"
    names = (corpus.file, corpus.source, corpus.target, corpus.text)
    column = "" if corpus.column is None else f", column {corpus.column}"
    return " and ".join(Path(name).name for name in names if name) + column
