"""What every benchmark says about itself: when, on what, with which code; and where the corpora are."""

import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def data_folder() -> Path:
    """$ATTENDO_DATA, or data/ in the project."""
    folder = Path(os.environ.get("ATTENDO_DATA", ROOT / "data"))
    if not folder.is_dir():
        sys.exit(f"no corpora in {folder}: set ATTENDO_DATA to the folder that holds zh-en/, de-en/ and so on")
    return folder


def describe_machine() -> str:
    git = ["git", "-C", str(ROOT)]
    commit_id = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout
    commit = commit_id.strip() or "unknown"  # as in a copy without its history
    if commit_id and subprocess.run([*git, "diff", "--quiet", "HEAD"], check=False).returncode:
        commit += " with changes"
    date = datetime.datetime.now(datetime.UTC).date()
    return f"{date}, commit {commit}, {os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}"
