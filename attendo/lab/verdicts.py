"""How a result is named, on pages and on a terminal: verdict, finding, where its numbers come from."""

from attendo.lab.claim import Tr, Verdict
from attendo.lab.run import ClaimResult
from attendo.lab.tools.texts import Language, can_tell, fill_in, filled_rows, read_text

VERDICTS: dict[Verdict, tuple[str, str, str]] = {  # sign, English, Chinese
    "holds": ("✔", "holds", "成立"),
    "holds only if": ("◐", "holds only if …", "有条件成立"),
    "does not hold": ("✘", "does not hold", "不成立"),
    "undecided": ("?", "undecided", "尚无定论"),
}


def in_language(language: Language) -> Tr:
    return lambda english, chinese: chinese if language == "zh" else english


def finding(result: ClaimResult, language: Language) -> str:
    """In a few words; of turned knobs only how they stand, for the words are about the claim as it is."""
    if result.turned:
        return ", ".join(f"{name} = {value}" for name, value in result.turned.items())
    return fill_in(read_text(result.experiment, language).why[result.verdict].finding, result.runs)


def why(result: ClaimResult, language: Language) -> str:
    """The paragraph of the verdict, with the numbers it stands on."""
    if result.turned:
        return ""
    return fill_in(read_text(result.experiment, language).why[result.verdict].text, result.runs)


def labelled_numbers(result: ClaimResult, language: Language) -> list[tuple[str, str]]:
    """A few, with words; the first is the one that decides. Where turned knobs leave none, all by their names."""
    rows = filled_rows(read_text(result.experiment, language), result.runs, bool(result.turned))
    if rows or not result.turned:
        return rows
    knobs = {knob.name for knob in result.experiment.knobs}
    names = [name for name in result.runs[0] if name not in knobs and can_tell(f"«{name}»", result.runs)]
    return [(name, fill_in(f"«{name}»", result.runs)) for name in names]


def decided_by(result: ClaimResult, language: Language) -> str:
    """The number that decides, with its name; nothing where a claim's words do not say which."""
    tr = in_language(language)
    (label, value), *_ = labelled_numbers(result, language) or [("", "")]
    return tr(f"{label}: {value}", f"{label}：{value}") if label else ""


def mark(result: ClaimResult, tr: Tr) -> str:
    """Behind a verdict that was not measured when the page was made."""
    if not result.stored:
        return ""
    return tr(" · stored, stale", " · 存档数据（已过时）") if result.stale else tr(" · stored", " · 存档数据")


def steps_of(result: ClaimResult) -> str:
    return "" if result.steps is None else f"{result.steps:,}"


def beside(result: ClaimResult, tr: Tr) -> str:
    """What stands beside every verdict: steps, seeds, seconds."""
    count, seconds = len(result.seeds), f"{result.seconds:,.1f}"
    steps = "" if result.steps is None else tr(f"{result.steps:,} steps, ", f"训练 {result.steps:,} 步，")
    seeds = tr("1 seed" if count == 1 else f"{count} seeds", f"{count} 个随机种子")
    return steps + seeds + tr(f", {seconds} s", f"，用时 {seconds} 秒")
