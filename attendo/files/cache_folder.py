"""Where things are kept that can be made again: encoded corpora, tokenizers learned on the way."""

import os
from pathlib import Path

from attendo.errors import WriteError


def cache_folder() -> Path:
    """$ATTENDO_CACHE, else $XDG_CACHE_HOME/attendo, else ~/.cache/attendo; made if it is not there."""
    folder = chosen()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WriteError(
            f"cannot make the cache folder {folder}: {reason}; set ATTENDO_CACHE to a folder that can be written"
        ) from error
    return folder


def chosen() -> Path:
    if own := os.environ.get("ATTENDO_CACHE"):
        return Path(own).absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():  # the standard says that a relative one is to be ignored
        return shared / "attendo"
    try:
        return Path.home() / ".cache" / "attendo"
    except RuntimeError as error:
        raise WriteError(f"cannot find a place for the cache: {error}; set ATTENDO_CACHE to a folder") from error
