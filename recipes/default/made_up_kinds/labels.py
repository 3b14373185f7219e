"""Labels, as in labels.tsv: what stands on buttons, menus, fields, shelves and signs, in each language's own manner.

German buttons are infinitives (Abmelden); Chinese ones show no form (退出登录). A label is written plainly, or as
designers like it: Inbox (3), Password:, Save As…, CHECKOUT. What is put to it is put to it on all sides.
"""

from collections.abc import Callable
from random import Random

from recipes.default.made_up_kinds.trilingual import Phrase, each
from recipes.default.made_up_kinds.words import rows, texts

LABELS = texts("labels")
GROUPS = {group: texts("labels", group) for group in dict.fromkeys(row["group"] for row in rows("labels"))}

LOWER_IN_TITLES = {"a", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
ARROWS = ("{} →", "{} >", "{} »", "→ {}", "▸ {}", "+ {}", "✓ {}", "[{}]")


def from_groups(rng: Random, *groups: str) -> Phrase:
    """A question stands for itself, so nothing can be put to it."""
    return rng.choice([label for group in groups for label in GROUPS[group] if not label.en.endswith("?")])


def title_case(text: str) -> str:
    """title_case("Log in") -> "Log In", but "Made in China": the first and the last word are always large."""
    words = text.split(" ")
    inner = range(1, len(words) - 1)
    return " ".join(
        word if place in inner and word in LOWER_IN_TITLES else word[:1].upper() + word[1:]
        for place, word in enumerate(words)
    )


def plain(rng: Random) -> Phrase:
    return rng.choice(LABELS)


def titled(rng: Random) -> Phrase:
    """A manner of English alone."""
    label = rng.choice(LABELS)
    return label._replace(en=title_case(label.en))


def in_capitals(rng: Random) -> Phrase:
    """Not in Chinese: it has none, and nothing in it would tell why the other side is loud."""
    return each(str.upper, rng.choice(LABELS))._replace(zh="")


def with_colon(rng: Random) -> Phrase:
    label = from_groups(rng, "field", "form", "menu")
    return Phrase(f"{label.zh}：", f"{label.en}:", f"{label.de}:")


def with_ellipsis(rng: Random) -> Phrase:
    mark = rng.choice(("…", "..."))
    return each(lambda text: text + mark, from_groups(rng, "button", "progress"))


def with_arrow(rng: Random) -> Phrase:
    return each(rng.choice(ARROWS).format, from_groups(rng, "button", "menu", "shop"))


def with_count(rng: Random) -> Phrase:
    count = rng.choice((rng.randint(1, 20), rng.randint(1, 999)))
    return each(lambda text: f"{text} ({count})", from_groups(rng, "menu"))


def with_stop(rng: Random) -> Phrase:
    label = from_groups(rng, "message")
    return Phrase(f"{label.zh}。", f"{label.en}.", f"{label.de}.")


WAYS: tuple[tuple[int, Callable[[Random], Phrase]], ...] = (
    (50, plain), (15, titled), (8, in_capitals), (7, with_colon), (5, with_ellipsis), (6, with_arrow), (5, with_count),
    (4, with_stop),
)  # fmt: skip


def draw(rng: Random) -> Phrase:
    (way,) = rng.choices([way for _, way in WAYS], [share for share, _ in WAYS])
    return way(rng)
