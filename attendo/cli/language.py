"""Which language the command line speaks: --lang, or else that of the environment.

As for other programs, the first of LC_ALL, LC_MESSAGES and LANG that is set and not empty tells. It is known before
options are read, because errors in these are reported, and help is shown, in the same language.
"""

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise

import typer

from attendo.errors import UsageError
from attendo.report.language import LANGUAGES, Language, Tr, in_language

OPTION = "--lang"
VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
KEPT_AS = "attendo.language"  # in what all contexts of one command share


def choose_language(arguments: Sequence[str], environment: Mapping[str, str]) -> Language:
    """
    >>> choose_language(["doctor", "a.tsv", "--lang", "zh"], {})
    'zh'
    >>> choose_language(["doctor", "a.tsv"], {"LC_ALL": "", "LANG": "zh_CN.UTF-8"})
    'zh'
    """
    ours = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    asked = [
        after if before == OPTION else after.removeprefix(f"{OPTION}=")
        for before, after in pairwise(["", *ours])
        if before == OPTION or after.startswith(f"{OPTION}=")
    ]
    for language in LANGUAGES:
        if asked and asked[-1] == language:
            return language
    locale = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def keep_language(context: typer.Context, arguments: Sequence[str]) -> None:
    """Once for a command and all that it is made of: the outermost sees all arguments."""
    context.meta.setdefault(KEPT_AS, choose_language(arguments, os.environ))


def language_of(context: typer.Context) -> Language:
    language: Language = context.meta.get(KEPT_AS, "en")
    return language


def tr_of(context: typer.Context) -> Tr:
    """How to say something, for what prints."""
    return in_language(language_of(context))


def check_language(value: str | None) -> str | None:
    if value is not None and value not in LANGUAGES:
        raise UsageError(f"--lang is '{value}': expected en or zh")
    return value
