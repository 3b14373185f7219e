"""A direction of translation in one word: zh-en, pt-BR-en."""

from collections.abc import Sequence

from attendo.errors import ConfigError


def parse_direction(text: str, languages: Sequence[str]) -> tuple[str, str]:
    """Source and target. A language may itself hold a hyphen, so every hyphen is tried as the one between the two."""
    parts = text[:100].split("-")
    splits = [("-".join(parts[:place]), "-".join(parts[place:])) for place in range(1, len(parts))]
    found = [(source, target) for source, target in splits if source in languages and target in languages]
    if len(found) == 1:
        return found[0]
    if found:
        ways = " or ".join(f"{source} to {target}" for source, target in found)
        raise ConfigError(f"the direction {text[:100]!r} can be read as {ways}: the languages' names are too alike")
    raise ConfigError(
        f"the direction {text[:100]!r} is not SOURCE-TARGET with two of the languages {', '.join(languages)}"
    )
