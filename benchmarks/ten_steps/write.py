"""A step that has run, as a Markdown page and as a Jupyter notebook (nbformat 4.5): the same cells and outputs."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attendo.report.language import Language, in_language
from benchmarks.ten_steps.run import CellOutput
from benchmarks.ten_steps.source import SO_FAR, CodeCell, FoldedAnswer, TenStep

Outputs = Mapping[str, CellOutput]


def page(steps: Sequence[TenStep], step: TenStep, outputs: Outputs, language: Language) -> str:
    tr = in_language(language)
    parts = []
    for part in step.prose[language]:
        if isinstance(part, FoldedAnswer):
            parts.append(folded(part, step, outputs))
        elif isinstance(part, str):
            parts.append(part)
        elif part.name == SO_FAR:
            summary = tr("Set-up, and what the steps before have written", "准备工作，以及前面各步写好的代码")
            code = as_markdown(step, SO_FAR, outputs)
            parts.append(f"<details>\n<summary>{summary}</summary>\n\n{code}\n\n</details>")
        else:
            parts.append(as_markdown(step, part.name, outputs))
    heading, _, rest = parts[0].partition("\n")
    way = navigation(steps, step, language)
    return "\n\n".join([heading, way, rest.strip(), *parts[1:], "---", way]) + "\n"


def navigation(steps: Sequence[TenStep], step: TenStep, language: Language) -> str:
    """To the steps before and after, the notebook, the other language."""
    tr = in_language(language)
    before = [f"[← {one.title(language)}]({one.file}.md)" for one in steps if one.number == step.number - 1]
    after = [f"[{one.title(language)} →]({one.file}.md)" for one in steps if one.number == step.number + 1]
    other = f"[{tr('中文', 'English')}](../{tr('zh', 'en')}/{step.file}.md)"
    overview = f"[{tr('all steps', '全部十步')}](../README.md)"
    notebook = f"[{tr('as a notebook', 'Jupyter 笔记本')}]({step.file}.ipynb)"
    return " · ".join([*before, overview, notebook, other, *after])


def as_markdown(step: TenStep, name: str, outputs: Outputs) -> str:
    parts = [f"```python\n{step.cells[name]}\n```"]
    if text := outputs[name].text.rstrip():
        parts.append(f"```text\n{text}\n```")
    parts += [f"![{step.file}](../figures/{file})" for file in picture_files(step, outputs, name)]
    return "\n\n".join(parts)


def folded(answer: FoldedAnswer, step: TenStep, outputs: Outputs) -> str:
    shown = [as_markdown(step, one.name, outputs) if isinstance(one, CodeCell) else one for one in answer.parts]
    return "\n\n".join([f"<details>\n<summary>{answer.heading}</summary>", *shown, "</details>"])


def picture_files(step: TenStep, outputs: Outputs, name: str) -> dict[str, bytes]:
    """03-one-head-picture.png: the same in both languages, for its words are symbols and the words of the sentence."""
    pictures = outputs[name].pictures
    return {
        f"{step.file}-{name}{'' if len(pictures) == 1 else f'-{index}'}.png": picture
        for index, picture in enumerate(pictures, start=1)
    }


def notebook(step: TenStep, outputs: Outputs, language: Language) -> str:
    cells: list[dict[str, Any]] = []
    count = 0
    for index, part in enumerate(step.prose[language]):
        if isinstance(part, CodeCell):
            count += 1
            cells.append(code_cell(part.name, step.cells[part.name], outputs[part.name], count))
        elif isinstance(part, str):
            cells.append(markdown_cell(f"text-{index}", part))
        else:
            cells.append(code_cell(f"yours-{index}", "", None, None))  # for the reader's own answer
            cells.append(markdown_cell(f"answer-{index}", folded(part, step, outputs)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def markdown_cell(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": as_id(name), "metadata": {}, "source": lines(text)}


def code_cell(name: str, code: str, output: CellOutput | None, count: int | None) -> dict[str, Any]:
    shown: list[dict[str, Any]] = []
    if output and output.text:
        shown.append({"name": "stdout", "output_type": "stream", "text": lines(output.text)})
    for picture in output.pictures if output else ():
        data = {"image/png": base64.b64encode(picture).decode("ascii")}
        shown.append({"data": data, "metadata": {}, "output_type": "display_data"})
    metadata = {"jupyter": {"source_hidden": True}} if name == SO_FAR else {}
    return {
        "cell_type": "code", "execution_count": count, "id": as_id(name), "metadata": metadata, "outputs": shown,
        "source": lines(code),
    }  # fmt: skip


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def as_id(name: str) -> str:
    return re.sub(r"[^\w-]", "-", name)
