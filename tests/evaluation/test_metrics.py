"""Scores and signatures are those of sacreBLEU's own command on the same files."""

import pytest

from attendo.data.corpus import Pair
from attendo.evaluation import metrics
from attendo.evaluation.metrics import bleu, chrf, command_options, sentence_chrf, ter, tokenisations
from attendo.runs.validation import Question, score_translations
from tests.evaluation import sacrebleu_command
from tests.evaluation.texts import sentences, spoilt, write


@pytest.mark.parametrize(("language", "references"), [("en", 1), ("en", 3), ("zh", 1), ("zh", 2), ("de", 1)])
def test_the_three_scores_are_sacrebleus(language, references, tmp_path):
    of = "zh" if language == "zh" else "en"
    texts = sentences(of)
    wanted = [texts, *(spoilt(texts, of, 0.1, seed) for seed in range(references - 1))]
    outputs = [*spoilt(texts, of)[:-1], ""]
    write(tmp_path / "hyp", outputs)
    names = [write(tmp_path / f"ref{number}", one).name for number, one in enumerate(wanted)]
    command = ["sacrebleu", *names, "-i", "hyp", *command_options(language, samples=50)]
    theirs = sacrebleu_command.scores(" ".join(command), tmp_path)
    ours = [
        bleu(outputs, wanted, tokenisations(language)[0], 50),
        chrf(outputs, wanted, 50), ter(outputs, wanted, language, 50),
    ]  # fmt: skip
    assert [one.name for one in ours] == ["BLEU", "chrF2", "TER"]
    for one in ours:
        sacrebleu_command.same(one.to_dict(), theirs[one.name])
        assert f"nrefs:{references}|bs:50|seed:12345" in one.signature


def test_the_default_command_is_the_plain_one():
    assert command_options("en", 1_000) == ["-m", "bleu", "chrf", "ter", "--confidence"]
    assert command_options("en", 0) == ["-m", "bleu", "chrf", "ter"]


def test_what_is_quoted_in_chinese_is_cut_by_the_zh_rules():
    texts = sentences("zh")
    outputs = spoilt(texts, "zh")
    assert tokenisations("zh") == tokenisations("zh-TW") == tokenisations("yue") == ["zh", "char", "13a"]
    assert tokenisations("en") == tokenisations("cba") == ["13a"]
    found = {name: bleu(outputs, [texts], name) for name in tokenisations("zh")}
    assert all(f"|tok:{name}|" in score.signature for name, score in found.items())
    # Without spaces 13a finds hardly a word: that is why it is not the one to quote.
    assert found["13a"].score < found["char"].score - 10
    assert abs(found["zh"].score - found["char"].score) < 10
    assert "norm:yes|punct:yes|asian:yes" in ter(outputs, [texts], "zh").signature
    assert 0 < ter(outputs, [texts], "zh").score < ter(outputs, [texts], "en").score


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_japanese_and_korean_are_cut_by_mecab_where_it_is(language, monkeypatch):
    best = f"{language}-mecab"
    assert tokenisations(language)[0] in (best, "char")

    def missing(name):
        if name == best:
            raise RuntimeError("sacreBLEU says so where MeCab is not installed")

    monkeypatch.setattr(metrics, "bleu_by", missing)
    assert tokenisations(language) == ["char", "13a"]
    monkeypatch.setattr(metrics, "bleu_by", lambda name: None)
    assert tokenisations(language) == [best, "char", "13a"]


def test_nothing_is_below_zero_and_no_bootstrap_gives_no_interval():
    texts = sentences("en", 20)
    nothing = bleu([""] * 20, [texts], samples=10)
    assert (nothing.score, nothing.interval) == (0.0, (0.0, 0.0))
    assert bleu(texts, [texts]).interval is None
    assert bleu(texts, [texts]).score == pytest.approx(100)
    assert "bs:" not in bleu(texts, [texts]).signature
    rare = ["x"] * 19 + [texts[-1]]
    low, _ = bleu(rare, [texts], samples=50).interval
    assert low >= 0


def test_a_sample_without_a_match_is_no_trouble():
    """sacreBLEU 2.6 itself cannot take the mean of such samples of chrF."""
    found = chrf(["abc", "zzz", "yyy"], [["abc", "ddd", "eee"]], samples=30)
    assert 0 <= found.interval[0] < found.score < found.interval[1]


def test_the_same_numbers_every_time():
    texts = sentences("en", 20)
    outputs = spoilt(texts)
    assert bleu(outputs, [texts], samples=30) == bleu(outputs, [texts], samples=30)


def test_sentence_scores_and_length_ratio():
    texts = sentences("en", 20)
    assert sentence_chrf(texts, [texts]) == pytest.approx([100] * 20)
    assert sentence_chrf(["zzz"], [["abc"]]) == [0]
    assert sentence_chrf(["abc"], [["zzz"], ["abc"]]) == pytest.approx([100])
    half = [" ".join(text.split()[:2]) for text in ["a b c d"] * 20]
    assert bleu(half, [["a b c d"] * 20]).length_ratio == pytest.approx(0.5)


def test_validation_while_training_quotes_by_the_same_rule():
    """Validation has no rule of its own."""
    chinese, english = sentences("zh", 20), sentences("en", 20)
    questions = [Question(Pair(1, "", text), "zh") for text in chinese]
    questions += [Question(Pair(1, "", text), "en") for text in english]
    outputs = [*spoilt(chinese, "zh"), *spoilt(english)]
    found = score_translations(outputs, questions)
    zh, en = bleu(outputs[:20], [chinese], "zh").score, bleu(outputs[20:], [english], "13a").score
    assert found["bleu"] == pytest.approx((zh + en) / 2)
    assert 0 <= found["exact"] < 1
