"""The help of a command: what it does, its options by subject, and examples to copy; in English or in Chinese.

Options say their subject by `rich_help_panel`. Examples stand at the end of a command's docstring, after "Examples:",
each a line of comment and a line to type. All is plain text, also where there is no terminal.
"""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from attendo.cli.language import OPTION, check_language, keep_language, language_of
from attendo.report.columns import num_columns, padded, wrapped
from attendo.report.language import in_language
from attendo.report.messages import say

# The subjects, in the order in which they are shown.
INPUT_AND_OUTPUT = "Input and output"
LANGUAGES_AND_MODEL = "Languages and model"
SEARCH = "Search"
SAMPLING = "Sampling"
WHAT_IS_SHOWN = "What is shown"
HANDS = "Hands: change the model and see"
CHECKS = "Checks"
ACCESS = "Who may ask"
LIMITS = "Limits"
MEASURING = "Measuring"
MACHINE = "Machine"
OTHER = "General"
SUBJECTS = (
    INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, SEARCH, SAMPLING, WHAT_IS_SHOWN, HANDS, CHECKS, ACCESS, LIMITS, MEASURING,
    MACHINE, OTHER,
)  # fmt: skip

EXAMPLES = "\n\nExamples:\n"
WIDEST_NAME = 26  # columns; the help of a longer one begins on the next line
LANGUAGE_HELP = (
    "Language of help, messages and reports: en or zh. By default that of the environment (LC_ALL, LC_MESSAGES, LANG), "
    "and English where it names neither."
)


class AttendoCommand(TyperCommand):
    """A command with --lang, and help by subjects."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(language_option())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        keep_language(ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write("\n".join(help_lines(self, ctx, formatter.width)) + "\n")


class AttendoGroup(TyperGroup):
    """A command that has others beneath it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(language_option())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        keep_language(ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write("\n".join(help_lines(self, ctx, formatter.width)) + "\n")


def language_option() -> TyperOption:
    return TyperOption(
        param_decls=[OPTION], metavar="en|zh", expose_value=False, help=LANGUAGE_HELP, rich_help_panel=OTHER,
        callback=lambda context, parameter, value: check_language(value),
    )  # fmt: skip


def help_lines(command: Any, context: Any, width: int) -> Iterator[str]:
    language = language_of(context)
    tr = in_language(language)
    parameters = command.get_params(context)
    arguments = [one for one in parameters if isinstance(one, TyperArgument) and not one.hidden]
    usage = [context.command_path, tr("[OPTIONS]", "[选项]"), *(name_of(one, context) for one in arguments)]
    if isinstance(command, TyperGroup):
        usage.append(tr("COMMAND [ARGS]...", "命令 [参数]..."))
    yield tr("Usage: ", "用法：") + " ".join(usage)
    text, _, examples = inspect.cleandoc(command.help or "").partition(EXAMPLES)
    for paragraph in text.split("\n\n"):
        yield ""
        yield from indented(say(" ".join(paragraph.split()), language), width, 2)
    yield from table(tr("Arguments:", "参数："), described(arguments, context), width)
    for subject, options in by_subject(parameters):
        yield from table(say(subject, language) + tr(":", "："), described(options, context), width)
    if isinstance(command, TyperGroup):
        commands = [(name, one) for name, one in command.commands.items() if not one.hidden]
        yield from table(
            tr("Commands:", "命令："), [(name, first_sentence(one, language)) for name, one in commands], width
        )
    yield from example_lines(examples, language)


def described(parameters: Sequence[Any], context: Any) -> list[tuple[str, str]]:
    return [(name_of(one, context), help_of(one, language_of(context))) for one in parameters if one.help]


def by_subject(parameters: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    options = [one for one in parameters if isinstance(one, TyperOption) and not one.hidden]
    options += [one for one in parameters if not isinstance(one, (TyperOption, TyperArgument))]  # --help, in old typer
    for subject in SUBJECTS:
        if found := [one for one in options if (getattr(one, "rich_help_panel", None) or OTHER) == subject]:
            yield subject, found


def name_of(parameter: Any, context: Any) -> str:
    """-i, --input FILE"""
    if isinstance(parameter, TyperArgument):
        return str(parameter.make_metavar(context))
    names = ", ".join(sorted(parameter.opts, key=len))
    return names if parameter.is_flag else f"{names} {parameter.make_metavar(context)}"


def help_of(parameter: Any, language: Any) -> str:
    tr = in_language(language)
    text = say(" ".join((parameter.help or "").split()), language)
    facts = []
    low, high = getattr(parameter.type, "min", None), getattr(parameter.type, "max", None)
    if low is not None:
        facts.append(
            tr(f"at least {low:,}", f"至少为 {low:,}")
            if high is None
            else tr(f"{low:,} to {high:,}", f"{low:,} 至 {high:,}")
        )
    if parameter.required:
        facts.append(tr("required", "必填"))
    return f"{text} [{tr('; ', '；').join(facts)}]" if facts else text


def first_sentence(command: Any, language: Any) -> str:
    text = " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())
    return say(text, language)


def table(heading: str, rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Names on the left, what they mean on the right."""
    if not rows:
        return
    yield ""
    yield heading
    column = min(max(num_columns(name) for name, _ in rows), WIDEST_NAME) + 4
    for name, text in rows:
        lines = wrapped(text, width - column) or [""]
        if num_columns(name) + 4 > column:
            yield f"  {name}"
        else:
            yield (padded(f"  {name}", column) + lines.pop(0)).rstrip()
        yield from (" " * column + line for line in lines)


def indented(text: str, width: int, spaces: int) -> Iterator[str]:
    return (" " * spaces + line for line in wrapped(text, width - spaces))


def example_lines(examples: str, language: Any) -> Iterator[str]:
    """A comment in the language of the reader, and below it the line to type, which is never broken."""
    for index, line in enumerate(filter(None, map(str.strip, examples.split("\n")))):
        if index == 0:
            yield ""
            yield in_language(language)("Examples:", "示例：")
        comment = line.startswith("# ")
        if comment and index:
            yield ""
        yield f"  # {say(line[2:], language)}" if comment else f"  {line}"
