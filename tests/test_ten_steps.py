"""The ten steps run from top to bottom, what is stored is what they give, and what they write is the glass."""

import base64
import json
import re
import runpy
from dataclasses import replace

import numpy as np
import pytest

from attendo.glass import transformer as glass
from attendo.glass.reading import open_glass
from attendo.glass.trace import Trace
from attendo.report.language import LANGUAGES
from benchmarks.machine import ROOT
from benchmarks.ten_steps.run import run_step
from benchmarks.ten_steps.source import (
    FOLDER,
    SOURCE,
    FoldedAnswer,
    check_places,
    places,
    read_cells,
    read_prose,
    read_steps,
    texts_and_cells,
    whole_machine,
)  # fmt: skip
from benchmarks.ten_steps.write import notebook, page, picture_files

STEPS = read_steps()
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
LARGEST_PICTURE = 40_000  # bytes


def assert_same(stored, now):
    """The same words; the same numbers, but for the last digit of a rounded one, which depends on the machine."""
    plain = [re.sub(r"[ \[]+", " ", NUMBER.sub("#", text)) for text in (stored, now)]  # numpy pads with spaces
    assert plain[0] == plain[1]
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (stored, now)]
    np.testing.assert_allclose(*numbers, rtol=2e-3, atol=2e-3)


def without_pictures(content):
    """Their bytes depend on the version of matplotlib; how many there are, and where, does not."""
    return re.sub(r'"image/png": "[^"]+"', '"image/png": ""', content)


# The step that explains a term; no step before it may use the word.
EXPLAINED = {
    "en": {
        "dot product": 2, "variance": 2, "query": 3, "queries": 3, "key": 3, "head": 3, "attention weights": 3,
        "self-attention": 3, "mask": 4, "causal": 4, "id": 4, "bias": 5, "pieces": 5, "layer": 5, "embedding": 6,
        "vocabulary": 6, "positional": 6, "feed-forward": 7, "ReLU": 7, "LayerNorm": 7, "norm": 7, "sublayer": 8,
        "residual": 8, "post-norm": 8, "pre-norm": 8, "encoder": 8, "parameters": 8, "decoder": 9, "source": 9,
        "target": 9, "cross-attention": 9, "logits": 9, "teacher forcing": 9, "tokenizer": 10, "greedy": 10, "beam": 10,
    },
    "zh": {
        "点积": 2, "方差": 2, "查询": 3, "键": 3, "注意力权重": 3, "自注意力": 3, "掩码": 4, "填充": 4, "编号": 4,
        "偏置": 5, "多头": 5, "词元": 5, "词嵌入": 6, "词表": 6, "词向量": 6, "位置编码": 6, "前馈": 7, "ReLU": 7,
        "LayerNorm": 7, "归一化": 7, "子层": 8, "残差": 8, "编码器": 8, "解码器": 9, "源句": 9, "译文": 9,
        "交叉注意力": 9, "logits": 9, "teacher forcing": 9, "分词器": 10, "贪心": 10, "束搜索": 10,
    },
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_term_comes_before_the_step_that_explains_it(language):
    for step in STEPS:
        words = re.sub(r"`[^`\n]*`|\$[^$]+\$", "", prose_of(step, language))  # code may name what comes later
        early = [term for term, number in EXPLAINED[language].items() if number > step.number and has(words, term)]
        assert early == [], step.file


def prose_of(step, language):
    parts = step.prose[language]
    answers = [text for part in parts if isinstance(part, FoldedAnswer) for text in part.parts]
    return "\n".join(part for part in (*parts, *answers) if isinstance(part, str))


def has(words, term):
    return bool(re.search(term if ord(term[0]) > 0x4E00 else rf"(?<![\w-]){term}(?![\w-])", words, flags=re.IGNORECASE))


def test_there_are_ten():
    assert [step.number for step in STEPS] == list(range(1, 11))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.file)
def test_every_cell_runs_and_gives_what_is_stored(step):
    """Checks and answers among them: each asserts what it says."""
    assert any("assert" in code for code in step.cells.values())
    outputs = run_step(step)
    files = [file for name in step.cells for file in picture_files(step, outputs, name)]
    pictures = [(FOLDER / "figures" / file).read_bytes() for file in files]
    assert pictures
    assert all(len(picture) < LARGEST_PICTURE for picture in pictures)
    for language in LANGUAGES:
        stored = FOLDER / language / step.file
        assert_same(stored.with_suffix(".md").read_text(encoding="utf-8"), page(STEPS, step, outputs, language))
        written = stored.with_suffix(".ipynb").read_text(encoding="utf-8")
        assert_same(without_pictures(written), without_pictures(notebook(step, outputs, language)))
        assert pictures_of(json.loads(written)) == pictures


def pictures_of(written):
    shown = [output for cell in written["cells"] for output in cell.get("outputs", ())]
    return [base64.b64decode(output["data"]["image/png"]) for output in shown if "data" in output]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.file)
def test_the_notebook_is_one(step, language):
    """As the schema of nbformat 4.5 has it; that of a newer Jupyter is the same."""
    written = json.loads((FOLDER / language / f"{step.file}.ipynb").read_text(encoding="utf-8"))
    assert set(written) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (written["nbformat"], written["nbformat_minor"]) == (4, 5)
    assert written["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in written["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in ids)
    keys = {
        "markdown": {"cell_type", "id", "metadata", "source"},
        "code": {"cell_type", "id", "metadata", "source", "execution_count", "outputs"},
    }
    for cell in written["cells"]:
        assert set(cell) == keys[cell["cell_type"]]
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        for output in cell.get("outputs", ()):
            kinds = {"stream": {"name", "text"}, "display_data": {"data", "metadata"}}
            assert set(output) == {"output_type", *kinds[output["output_type"]]}
    exercises = sum("<details>" in "".join(cell["source"]) for cell in written["cells"])
    yours = [cell for cell in written["cells"] if cell["cell_type"] == "code" and not cell["source"]]
    assert len(yours) == exercises >= 1
    ran = [cell["execution_count"] for cell in written["cells"] if cell["cell_type"] == "code" and cell["source"]]
    assert ran == list(range(1, len(ran) + 1))


def test_both_languages_have_the_same_code():
    for step in STEPS:
        codes = [
            [cell["source"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if "outputs" in cell]
            for path in (FOLDER / language / f"{step.file}.ipynb" for language in LANGUAGES)
        ]
        assert codes[0] == codes[1]


def test_what_was_written_is_the_glass():
    """Memory and log-probabilities of a sentence in each of the four directions, to 1e-5 of the largest number."""
    path = FOLDER / "transformer.py"
    assert path.read_text(encoding="utf-8") == whole_machine(STEPS)
    ours = runpy.run_path(str(path))
    opened = open_glass()
    model, tokenizer = opened.model, opened.tokenizer
    pairs = [
        ("我爱机器学习", "en", "I love machine learning."),
        ("Where is the station?", "zh", "车站在哪里？"),
        ("Das Haus ist sehr alt.", "en", "The house is very old."),
        ("She bought two books.", "de", "Sie kaufte zwei Bücher."),
    ]
    for text, to, target in pairs:
        source, target_in = np.array(tokenizer.source_ids(text, to=to)), np.array([1, *tokenizer.encode(target)])
        memory = ours["encode"](source, model.config, model.weights.arrays)
        log_probs = ours["decode"](target_in, memory, model.config, model.weights.arrays)
        trace = Trace()
        theirs = glass.encode(model, source, trace)
        for got, expected in ((memory, theirs), (log_probs, glass.decode(model, target_in, theirs))):
            assert np.abs(got - expected).max() <= 1e-5 * np.abs(expected).max()


def test_every_function_has_the_name_it_has_in_the_glass():
    written = set(re.findall(r"^def (\w+)", whole_machine(STEPS), flags=re.MULTILINE))
    files = (ROOT / "attendo" / "glass").glob("*.py")
    texts = [path.read_text(encoding="utf-8") for path in files]
    in_glass = {name for text in texts for name in re.findall(r"^ *def (\w+)", text, flags=re.MULTILINE)}
    assert written - in_glass == {"greedy"}  # a beam of 1, there


def test_a_later_cell_of_the_same_name_takes_the_place_of_an_earlier_one():
    machine = whole_machine(STEPS)
    assert machine.count("def softmax(") == machine.count("def attention(") == 1
    assert "may_attend=None" in machine
    assert "may_attend" not in STEPS[3].cells["so far"]  # step 4 begins with the attention of step 3


def test_cells_and_prose_are_read_as_they_are_written(tmp_path):
    (tmp_path / "a.py").write_text("# %% first\nx = 1\n\n# %% f (kept)\ndef f():\n    return 1\n", encoding="utf-8")
    assert read_cells(tmp_path / "a.py") == (
        {"first": "x = 1", "f": "def f():\n    return 1"},
        {"f": "def f():\n    return 1"},
    )
    assert [str(part) for part in texts_and_cells("a\n\n{{b}}\nc {{d}}\n")] == ["a", "CodeCell(name='b')", "c {{d}}"]
    answers = [part for part in read_prose(SOURCE / "03-one-head.en.md") if isinstance(part, FoldedAnswer)]
    assert [one.heading for one in answers] == ["Answer", "Answer"]
    assert places(answers) == ["answer_zero", "answer_things"]


def test_prose_that_leaves_a_cell_out_is_refused():
    step = STEPS[0]
    shorter = {**step.prose, "zh": step.prose["zh"][:-1]}
    with pytest.raises(SystemExit, match=r"01-softmax\.zh\.md shows the cells"):
        check_places(replace(step, prose=shorter))
