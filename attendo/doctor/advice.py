"""What to do about it, in plain sentences: the gravest first, each with its numbers."""

from attendo.doctor.examine import Examination
from attendo.doctor.repair import REASONS

SAY = {
    "wrong_language": "{count} in a wrong language",
    "leak": "{count} of the test set, where a score would measure memory",
    "broken_encoding": "{count} with a broken encoding",
    "empty": "{count} with an empty side",
    "copy": "{count} with a copy of the source",
    "duplicate": "{count} for the second time",
}
MANY = 0.01  # of all pairs: from here on a soft finding is worth a sentence
SOFT = {
    "implausible": "{count} with words that hardly translate each other: read some before you trust the rest.",
    "length_outlier": "{count} with sides of very different length: look whether sentences were cut.",
    "number_mismatch": "{count} with a number on one side only.",
    "mixed_script": "{count} with simplified and traditional characters: convert them to one script (OpenCC does).",
    "mixed_punctuation": "{count} with half- and full-width punctuation: a normalisation before training would help.",
    "control_characters": "{count} with characters that nobody can see; --write takes them out.",
}


def recommend(examination: Examination) -> str:
    """One or more sentences."""
    if examination.num_pairs == 0:
        return "There is nothing in it."
    said = [*about_blocks(examination), *about_swaps(examination), *about_dropping(examination)]
    for kind, sentence in SOFT.items():
        count = len(examination.lines(kind))
        if count > MANY * examination.num_pairs:
            said.append(sentence.format(count=pairs(count)))
    if examination.num_closely < examination.num_pairs:
        said.append(
            f"Languages, plausibility and shifts were looked for in {examination.num_closely:,} of "
            f"{examination.num_pairs:,} pairs, in stretches spread over the corpus; expect the same elsewhere."
        )
    return " ".join(said) if said else "It looks good: use it as it is."


def about_blocks(examination: Examination) -> list[str]:
    return [
        f"Lines {block.first_line:,} to {block.last_line:,} are shifted: their sources belong to the targets "
        f"{abs(block.shift)} line{'s' if abs(block.shift) > 1 else ''} {'below' if block.shift > 0 else 'above'}; "
        f"--write pairs them anew."
        for block in examination.findings
        if block.shift is not None
    ]


def about_swaps(examination: Examination) -> list[str]:
    count = len(examination.lines("swapped"))
    return [f"{pairs(count)} with exchanged sides: --write swaps them back."] if count else []


def about_dropping(examination: Examination) -> list[str]:
    counts = {kind: len(examination.lines(kind)) for kind in REASONS}
    said = [SAY[kind].format(count=pairs(count)) for kind, count in counts.items() if count]
    return [f"Drop what cannot be mended (--write does): {'; '.join(said)}."] if said else []


def pairs(count: int) -> str:
    return f"{count:,} pair{'' if count == 1 else 's'}"
