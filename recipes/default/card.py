"""The card of the default model: what it is, what it cannot, how good it is, and from what it was made."""

from dataclasses import dataclass
from pathlib import Path

from attendo import __version__
from recipes.default.rounds import PLAIN_TEXT
from recipes.default.scores import Score
from recipes.default.sources import CORPORA, origins_table, sources

GPU_KILOWATTS = 0.7  # an H200 at its limit
KILOGRAMS_A_KILOWATT_HOUR = 0.48  # of CO2, the mean of the world's electricity (Ember, Global Electricity Review 2024)


@dataclass(frozen=True)
class Origin:
    """One source of text: which corpus, from whom, under which licence."""

    name: str
    what: str
    licence: str
    where: str


def origins() -> list[Origin]:
    table = origins_table().items()
    return [Origin(name, entry["what"], entry["licence"], entry["from"]) for name, entry in table]


def corpora_of(recipe: Path) -> list[tuple[str, str]]:
    """(name, languages) of the corpora of a recipe that people wrote, and of the plain text."""
    pairs = [(source.name, "-".join(source.languages)) for source in sources(recipe, [Path()])]
    return pairs + [(Path(name).name.partition(".")[0], name.split(".")[1]) for name in PLAIN_TEXT]


def card(parameters: int, scores: list[Score], gpu_seconds: float, storage: str) -> str:
    languages: dict[str, list[str]] = {}
    for name, pair in corpora_of(CORPORA):
        languages.setdefault(name, []).append(pair)
    rows = "\n".join(
        f"| {origin.name} | {', '.join(languages[origin.name])} | {origin.what} | {origin.licence} | {origin.where} |"
        for origin in origins()
    )
    hours = gpu_seconds / 3600
    carbon = hours * GPU_KILOWATTS * KILOGRAMS_A_KILOWATT_HOUR
    return f"""# The default model: Chinese ↔ English, German ↔ English

Licence: CC BY-SA 4.0

A small Transformer of {parameters:,} parameters, six encoder and two decoder layers, made by attendo {__version__}
with `python -m recipes.default.build`. It learnt from what two larger ones, the teachers, said to the sentences and
the plain text of the corpora below, from Chinese sentences with English by OPUS-MT (Helsinki-NLP, CC BY 4.0), and
from made-up pairs of short and odd things (`recipes/default/made_up.py`). The teachers learnt from the same corpora,
each for this model alone. Its weights are stored in {storage}.

## What it is for

Everyday sentences, manuals and general prose between Chinese (simplified) and English and between German and English,
on a laptop and without a network. It translates sentence by sentence and does not know what stood before.

## What it cannot

It is small. It does not know many names, rare words and idioms, it may say the opposite of what is meant, and it does
so fluently. Where a sentence has several numbers it may drop one; attendo then looks again, and flags what is still
missing. Of encyclopaedias, news and talks it gives the sense more often than the words; law, medicine and poetry are
far from its text. Traditional characters are read, not written. Some of the text is crude (game texts). Do not rely
on it where a mistake does harm.

## How good

{score_table(scores)}

BLEU is sacreBLEU's, for Chinese with the tokenisation `zh`. No pair of these sets was learnt. `docs/behaviour.md`
shows what becomes of short and odd inputs, `docs/default-model.md` how it compares with OPUS-MT.

## What it took

About {gpu_seconds / 60:.0f} minutes of one NVIDIA H200 for teachers, translations and student: some {carbon:.2f} kg of
CO2, at {GPU_KILOWATTS} kW and {KILOGRAMS_A_KILOWATT_HOUR} kg a kWh.

## From what it was made

Thanks to all who wrote and translated these texts. Tatoeba's sentences are by the contributors of tatoeba.org.

| corpus | languages | what | licence | from |
|---|---|---|---|---|
{rows}
"""


def score_table(scores: list[Score]) -> str:
    models = list(dict.fromkeys(score.model for score in scores))
    sets = dict.fromkeys((score.test, score.direction) for score in scores)
    lines = [f"| test set | direction | {' | '.join(models)} |", f"|---|---|{'---:|' * len(models)}"]
    for test, direction in sets:
        found = {score.model: score for score in scores if (score.test, score.direction) == (test, direction)}
        cells = [f"{found[model].bleu:.1f}" if model in found else "" for model in models]
        lines.append(f"| {test} | {direction} | {' | '.join(cells)} |")
    return "\n".join(lines)
