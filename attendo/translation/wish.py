"""What the user asked for, the same for all texts of a call."""

from dataclasses import dataclass

from attendo.decoding.options import SearchOptions
from attendo.translation.directions import Direction, choose_source, choose_target
from attendo.translation.glossary import Glossary

# CTranslate2 stops so, too: both engines give the same answers.
SEARCH = SearchOptions(stop="early")
NO_TERMS = Glossary([])


@dataclass(frozen=True, slots=True)
class Wish:
    to: str  # the language as the user named it
    target: str  # and as the model does: zh for zh-TW
    from_: str | None = None
    options: SearchOptions = SEARCH
    glossary: Glossary = NO_TERMS
    keep: bool = False  # what lost a number, an address, an emoji, a placeholder or a tag must say it
    second_look: bool = True  # at what lost one


def wish_for(
    directions: tuple[Direction, ...],
    to: str | None,
    from_: str | None,
    options: SearchOptions,
    glossary: Glossary | None,
    keep: bool,
    second_look: bool = True,
) -> Wish:
    target = choose_target(to, directions)
    if from_ is not None:
        choose_source(from_, target, "", directions)  # a wrong one is an error even where there is no text
    return Wish(to or target, target, from_, options, glossary or NO_TERMS, keep, second_look)
