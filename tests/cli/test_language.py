"""--lang zh, or the locale: what is said in Chinese, and that nothing of it stays English by mistake."""

import re

import pytest
from typer.testing import CliRunner

from attendo.cli.language import choose_language
from attendo.cli.main import app, explain, main
from attendo.decoding.options import SearchOptions
from attendo.documents.durable_output import ANEW
from attendo.documents.journal import DIFFERENCES
from attendo.report.columns import num_columns, wrapped
from attendo.report.formulas import without_latex
from attendo.report.messages import Template, read_catalogue, to_chinese
from attendo.translation.answer import Ledger, Sentence
from attendo.translation.checks import DecodingProblem, Miss
from attendo.translation.compose import remarks_on
from attendo.translation.load import NEEDS_TORCH
from tests.cli.message_templates import HOLE, all_said

HAN = re.compile("[\u4e00-\u9fff]")
WORD = re.compile("[A-Za-z]{2,}")
LEAST_SHARE = 0.95  # of all sentences that errors and log lines say


@pytest.mark.parametrize(
    ("arguments", "environment", "language"),
    [
        ([], {}, "en"),
        ([], {"LANG": "zh_CN.UTF-8"}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"}, "en"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ([], {"LANG": "en_US.UTF-8", "LC_MESSAGES": "", "LC_ALL": "zh_TW"}, "zh"),
        (["--lang", "en"], {"LC_ALL": "zh_CN.UTF-8"}, "en"),
        (["translate", "x", "--lang=zh"], {}, "zh"),
        (["--lang", "en", "translate", "x", "--lang", "zh"], {}, "zh"),
        (["translate", "--", "--lang", "zh"], {}, "en"),
        (["--lang", "fr"], {"LANG": "zh_CN"}, "zh"),
    ],
)
def test_which_language(arguments, environment, language):
    assert choose_language(arguments, environment) == language


def test_entries_of_the_catalogue_are_whole():
    for english, chinese in read_catalogue().items():
        names, used = ([name for name, _ in Template.of(text).holes] for text in (english, chinese))
        assert len(set(names)) == len(names), english
        assert set(used) == set(names), english
        assert HAN.search(chinese) or ":message}" in chinese, english


def test_errors_and_log_lines_are_there_in_chinese():
    said = {one.template: one for one in all_said() if WORD.search(one.template.replace(HOLE, ""))}
    lacking = []
    for template, one in said.items():
        finished = [template.replace(HOLE, value).replace("{{", "{").replace("}}", "}") for value in ("7", "x7", "'x'")]
        if not any(HAN.search(to_chinese(sentence)) for sentence in finished):
            lacking.append(f"{one.file}:{one.line}: {template}")
    share = 1 - len(lacking) / len(said)
    assert share >= LEAST_SHARE, "entries wanted in attendo/report/chinese.toml:\n" + "\n".join(lacking)
    assert len(said) > 300


@pytest.mark.parametrize(
    "sentence",
    [
        Sentence("一", ("x",), attempt="backoff", problem=DecodingProblem("repetition", 9), search=SearchOptions()),
        Sentence("一", ("x",), attempt="backoff", problem=DecodingProblem("empty"), search=SearchOptions(beam_size=1)),
        Sentence("一", ("x",), attempt="copied", problem=DecodingProblem("endless", longest=70)),
        Sentence("一", ("x",), attempt="wider", missed_at_first=(Miss("number", "7"),), search=SearchOptions()),
        Sentence("一", ("x",), attempt="first", misses=(Miss("url", "7"), Miss("email", "7"), Miss("emoji", "7"))),
        Sentence("一", ("x",), attempt="first", misses=(Miss("placeholder", "7"), Miss("tag", "7")), broken=True),
        Sentence(
            "一", ("x",), attempt="first", misses=(Miss("term", "7"), Miss("identifier", "8"), Miss("message", "9"))
        ),
        Sentence("一", ("x",), attempt="stand-ins", missed_at_first=(Miss("number", "7"),), search=SearchOptions()),
        Sentence("一", ("x",), attempt="pieces", search=SearchOptions()),
        Sentence("一", ("x",), attempt="wider", strange=("茶",), strange_at_first=("咖啡",), search=SearchOptions()),
    ],
)
def test_remarks_about_a_sentence(sentence):
    remarks = remarks_on(sentence)
    assert remarks
    for remark in remarks:
        assert not WORD.search(to_chinese(f"text 3: {remark}")), to_chinese(remark)


def test_remarks_of_a_ledger():
    ledger = Ledger(lines_in=2, characters_in=9, cut=1, repeated=2, untranslated=3, flagged=4, strange=6, repaired=5)
    said = to_chinese(f"done, with remarks: {'; '.join(ledger.remarks())}")
    assert said.startswith("已完成，有备注：输入 2 行，输出 0 行；9 个字符中有 0 个有着落；1 处因句子太长而切开；")
    assert not WORD.search(said.replace("U+FFFD", ""))


@pytest.mark.parametrize("words", DIFFERENCES.values())
def test_what_another_command_had_is_said_in_chinese(words):
    said = to_chinese(f"a.txt was made with {words}: --resume takes the same command; {ANEW}")
    assert said.startswith("生成 a.txt 时")
    assert not WORD.search(re.sub(r"a\.txt|--[a-z-]+", "", said)), said


def test_what_to_install_is_said_in_chinese():
    sentence, _ = explain(ModuleNotFoundError(name="torch"))
    for said in (sentence, f"runs/x/model with these options {NEEDS_TORCH}"):
        assert "需要 torch" in to_chinese(said)
        assert "make install" in to_chinese(said)


def test_what_no_entry_has_stays_as_it_is():
    assert to_chinese("nobody says this: not even here") == "nobody says this: not even here"
    assert to_chinese("a {b} c") == "a {b} c"
    assert to_chinese("taken from an attempt in which the model read {1} for it") == "取自让模型读 {1} 的重试"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("translate", "x", "--to", "fr"), "attendo: 此模型不能译成“fr”：它支持 zh-en, en-zh, de-en, en-de"),
        (("translate", "-i", "none.txt", "--to", "en"), "attendo: 无法读取 none.txt：没有这个文件或目录"),
        (
            ("translate", "x", "--beam", "0"),
            "attendo: '--beam' 的值无效：0 不在 1<=x<=256 的范围内。（参见 attendo",
        ),
        (("inspect", "x"), "attendo: 缺少选项 '--out'。（参见 attendo inspect --help）"),
        (("doctor", "a.tsv", "--source", "b"), "attendo: --source 和 --target 必须一起使用"),
        (("evaluate",), "attendo: 请给出一个或多个 TEST.tsv（可加 --model），或者用 --hypotheses 和 --references"),
        (("describe", "bse"), "attendo: 没有预设“bse”；是否想用“base”？已知的预设：tiny, small, base, big,"),
        (("lab", "run", "L99"), "attendo: 实验室里没有论断“L99”；attendo lab list 列出全部"),
        (("translate", "x", "--lang", "fr"), "attendo: --lang is 'fr': expected en or zh"),
        (("translate", "x", "--temprature", "1"), "attendo: 没有选项 --temprature"),
        (("generate", "x", "--model", "m", "--temperature", "x"), "attendo: '--temperature' 的值无效：'x' 不是数字"),
        (("generate", "x", "y", "--model", "m"), "attendo: 多余的参数（y）（参见 attendo generate --help）"),
        (("describe", "base", "--names", "x"), "attendo: '--names' 的值无效：'x' 不是 'ours', 'hf' 之一。（参见"),
        (("describe", "llama-7b", "--vocab", "0"), "attendo: DecoderOnlyConfig 中的 vocab_size 是 0：应为 4 至"),
        (("trnaslate",), "attendo: 没有命令 'trnaslate'，是否想用 'translate'"),
    ],
)
def test_errors_in_chinese(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main([*arguments] if "--lang" in arguments else [*arguments, "--lang", "zh"])
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(said)
    assert "(see " not in error


def test_reports_in_chinese_have_no_english_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.tsv").write_text("我爱你\tI\n我有7只狗\tU\n\tx\n我爱你\tI\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("一只狗\n你好\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("两只狗\n你好\n", encoding="utf-8")
    reports = {
        ("doctor", "c.tsv", "--languages", "zh,en", "--write", "d.tsv"): {"tsv", "zh", "en", "write"},
        ("compare", "a.txt", "b.txt", "--references", "b.txt", "--to", "zh"): {"txt", "zh", "BLEU", "TER", "chrF"},
        ("evaluate", "--hypotheses", "a.txt", "--references", "b.txt", "--to", "zh"): {
            "txt", "zh", "char", "BLEU", "chrF", "TER", "bash", "sacreBLEU"
        },
    }  # fmt: skip
    for arguments, data in reports.items():
        result = CliRunner().invoke(app, [*arguments, "--lang", "zh"], env={"COLUMNS": "100"})
        assert result.exit_code == 0, result.output
        prose = [line for line in result.stdout.split("\n") if "nrefs:" not in line and "sacrebleu " not in line]
        left = {word for line in prose for word in WORD.findall(line)} - data - {"sacreBLEU", "bash"}
        assert left == set(), result.stdout


def test_columns_of_wide_characters():
    assert num_columns("我爱 AI") == 7
    assert wrapped("我爱机器学习，也爱 machine learning。", 10) == ["我爱机器学", "习，也爱", "machine", "learning。"]
    assert wrapped("", 10) == []


def test_a_formula_for_the_terminal():
    assert without_latex(r"$\mathrm{softmax}(QK^\top/\sqrt{d_k})$, $\frac{1}{n}\sum_j e^{x_j}$") == (
        "softmax(QKᵀ/√d_k), 1/nΣ_j e^(x_j)"
    )
    assert without_latex(r"$d_{model} \times 10^{-3}$ in `$ATTENDO_DATA`") == "d_model × 10^(-3) in `$ATTENDO_DATA`"
