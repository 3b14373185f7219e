"""What is counted over many answers, and the goals: those of the default model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.behaviour.judgement import Judgement


@dataclass(frozen=True)
class Faults:
    """How many answers have it."""

    name: str
    has: Callable[[Judgement], bool]
    none_allowed: bool = False

    @property
    def goal(self) -> str:
        return "0" if self.none_allowed else ""

    def shown(self, judgements: Sequence[Judgement]) -> str:
        return str(sum(map(self.has, judgements)))

    def is_missed(self, judgements: Sequence[Judgement]) -> bool:
        return self.none_allowed and any(map(self.has, judgements))


@dataclass(frozen=True)
class Share:
    """Of the answers that had something to keep, how many kept it."""

    name: str
    keeps: Callable[[Judgement], bool | None]
    at_least: float | None = None

    @property
    def goal(self) -> str:
        return "" if self.at_least is None else "all" if self.at_least == 1 else f"≥ {self.at_least:.0%}"

    def shown(self, judgements: Sequence[Judgement]) -> str:
        kept, asked = self.kept(judgements)
        return f"{kept} of {asked} ({kept / asked:.1%})" if asked else "none"

    def is_missed(self, judgements: Sequence[Judgement]) -> bool:
        kept, asked = self.kept(judgements)
        return self.at_least is not None and kept < self.at_least * asked

    def kept(self, judgements: Sequence[Judgement]) -> tuple[int, int]:
        found = [kept for one in judgements if (kept := self.keeps(one)) is not None]
        return sum(found), len(found)


COUNTS: tuple[Faults | Share, ...] = (
    Faults("loops in what the model said first, by attendo's guard", lambda one: one.loop_by_guard, none_allowed=True),
    Faults("loops in the answers", lambda one: one.loop, none_allowed=True),
    Faults("answers that are too long", lambda one: one.too_long),
    Faults("sources that were cut", lambda one: one.cut),
    Faults("sources left untranslated, as nothing helped", lambda one: one.untranslated),
    Faults("empty answers to what is not empty", lambda one: one.silent),
    Faults("answers that lost something at first, and were decoded again", lambda one: one.lost_at_first),
    Share("numbers kept", lambda one: one.numbers_kept, at_least=0.98),
    Share("numbers kept digit by digit", lambda one: one.digits_kept),
    Share("web and mail addresses kept", lambda one: one.addresses_kept),
    Share("emoji kept", lambda one: one.emoji_kept),
    Share("empty in, empty out", lambda one: one.blank_kept, at_least=1),
)


def missed_goals(judgements: Sequence[Judgement]) -> list[str]:
    """One line each; none if all is well."""
    return [
        f"{count.name}: {count.shown(judgements)}, and the goal is {count.goal}"
        for count in COUNTS
        if count.is_missed(judgements)
    ]
