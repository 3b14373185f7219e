"""One term for one thing: the words that docs/terms.md does not want stand nowhere in attendo's Chinese.

Not in README.zh.md, the lab's words and pages, what figures and the command line say. Quotes of the notes are theirs.
"""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HAN = re.compile("[\u4e00-\u9fff]")
# Code, numbers, formulas and addresses are not prose: `--tokens`, «tokens», $E_{token}$, ](docs/tokens.md), <b>.
NOT_PROSE = re.compile(
    r"```.*?```|`[^`\n]*`|«[^»\n]*»|\$[^$\n]+\$|\]\([^)\n]*\)|<[^>\n]*>|^- \w+[:：]", re.DOTALL | re.MULTILINE
)
QUOTE = re.compile(r"^>(?! \*\*).*$", re.MULTILINE)


def table(path):
    """(right terms, unwanted ones) of each row."""
    rows = [
        line.strip().strip("|").split("|") for line in path.read_text(encoding="utf-8").split("\n") if line[:1] == "|"
    ]
    for _, terms, _, unwanted in (row for row in rows[2:] if len(row) == 4):
        yield (
            set(re.split("[，；（）、]", terms.strip())) - {""},
            [word for word in unwanted.strip().split("、") if word],
        )


def unwanted_words(path):
    """Word -> the right terms that have it as a part: 种子 is unwanted, 随机种子 is not."""
    rows = list(table(path))
    right = set().union(*(terms for terms, _ in rows))
    return {word: sorted(term for term in right if word in term) for _, words in rows for word in words}


def pattern(word, within):
    plain = re.escape(word) if HAN.search(word) else rf"(?<![\w-]){re.escape(word)}(?![\w-])"
    return re.compile("|".join([*(f"(?:{re.escape(term)})" for term in within), f"(?P<unwanted>{plain})"]))


def chinese_of(root):
    """(place, text) of all Chinese that people read, as far as it is in the sources."""
    pages = [root / "README.zh.md", *root.glob("docs/**/*.zh.md"), *root.glob("attendo/lab/**/*.zh.md")]
    for path in pages:
        if path.exists():
            yield path.relative_to(root), QUOTE.sub("", path.read_text(encoding="utf-8"))
    catalogue = root / "attendo" / "report" / "chinese.toml"
    if catalogue.exists():
        for section in tomllib.loads(catalogue.read_text(encoding="utf-8")).values():
            for english, chinese in section.items():
                yield f"chinese.toml, {english!r}", chinese
    for path in root.glob("attendo/**/*.py"):
        source = path.read_text(encoding="utf-8")
        if HAN.search(source):
            for node in strings(ast.parse(source)):
                yield f"{path.relative_to(root)}:{node.lineno}", node.value


def strings(tree):
    """With Chinese in them; docstrings, which quote the notes at times, are for programmers."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and HAN.search(node.value):
            if id(node) in docstrings:
                continue
            yield node


def found_in(texts, unwanted):
    patterns = {word: pattern(word, within) for word, within in unwanted.items()}
    for place, text in texts:
        prose = NOT_PROSE.sub(" ", text)
        for word, wanted in patterns.items():
            for match in wanted.finditer(prose):
                if match.group("unwanted"):
                    around = prose[max(0, match.start() - 12) : match.end() + 12].replace("\n", " ")
                    yield f"{place}: {word} in “{around}”"


@pytest.fixture(scope="module")
def unwanted():
    return unwanted_words(ROOT / "docs" / "terms.md")


def test_the_table_is_read(unwanted):
    assert unwanted["种子"] == ["随机种子"]
    assert unwanted["瞎猜"] == []
    assert len(unwanted) > 50


def test_one_term_for_one_thing_in_the_sources(unwanted):
    texts = list(chinese_of(ROOT))
    assert len(texts) > 1000
    assert list(found_in(texts, unwanted)) == []


@pytest.mark.parametrize(
    ("file", "text", "word"),
    [
        ("README.zh.md", "用同一个种子训练", "种子"),
        ("attendo/lab/attention/l6_heads.zh.md", "# 多个头更好\n> [A1] 令牌\n\n每个位置说出一个词元。", "说出"),
        ("docs/more.zh.md", "每个 token 一个向量", "token"),
        ("attendo/report/chinese.toml", '[help]\n"The vocabulary." = "词汇表。"', "词汇表"),
        ("attendo/cli/some.py", 'def f(tr):\n    """令牌"""\n    return tr(f"{n} right", f"正确率 {n}")', "正确率"),
    ],
)
def test_a_planted_word_is_found(file, text, word, tmp_path, unwanted):
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    (line,) = found_in(chinese_of(tmp_path), unwanted)
    assert f" {word} in “" in line


def test_what_is_no_prose_or_is_right_is_not(unwanted):
    texts = [
        (
            "here",
            "`token`，«tokens:.0f»，$E_{token}$，[词元](token.md)，随机种子，语言标记，tokenizer。\n- tokens: 多少",
        )
    ]
    assert list(found_in(texts, unwanted)) == []
