"""L74: how likely verbs and nouns are to stand at the beginning of a Chinese sentence, in three kinds of text."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from matplotlib.figure import Figure

from attendo.data.lines import ignore, read_lines
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, Size, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.data_files import data_file
from attendo.lab.tools.default_model import deal
from attendo.lab.tools.measuring import interval, log_ratio
from attendo.lab.tools.tokenizer_trial import lab_pages
from attendo.text.normalize import normalize
from attendo.text.tokenizer import segmenter

SEEDS = by_size(2, 5, 5)
KNOBS = (Knob("sentences", by_size(60, 3_000, 3_000), 20, 50_000),)
# Everyday sentences, a user's manual, and the words on the buttons of programs.
TEXTS = {
    "everyday": "zh-en/tatoeba.train.tsv.xz",
    "manual": "zh-en/gnomehelp.train.tsv.xz",
    "buttons": "zh-en/apps.train.tsv.xz",
}
CLASSES = {"verb": "v", "noun": "n"}  # the first letter of the tagger's tags
BETWEEN = "vn"  # a verb used as a noun is neither


def chinese(text: str, size: Size, count: int) -> list[str]:
    """The first sentences of a text; tests, which have no corpora, read the lab's own pages."""
    if size == "small":
        return lab_pages("zh")[:count]
    return [normalize(line.split("\t")[0]) for line in read_lines(data_file(TEXTS[text]), ignore)][:count]


@cache
def tagger() -> Any:
    words = segmenter()  # first: without jieba, it says what to install
    from jieba.posseg import POSTokenizer

    return POSTokenizer(words)


def tagged(sentence: str) -> list[str]:
    """The tags of its words, marks left out, by the tagger of jieba: 我爱机器学习 -> r v n v"""
    return [str(word.flag) for word in tagger().cut(sentence) if word.flag != "x"]


def starts(sentences: Sequence[str]) -> dict[str, float]:
    """Of all verbs, and of all nouns, the share that begins a sentence; and the share of sentences that begin so."""
    tags = [found for found in map(tagged, sentences) if found]
    everywhere = Counter(tag[0] for found in tags for tag in found if tag != BETWEEN)
    first = Counter(found[0][0] for found in tags if found[0] != BETWEEN)
    numbers: dict[str, float] = {}
    for name, letter in CLASSES.items():
        numbers[name] = first[letter] / max(1, everywhere[letter])
        numbers[f"begins_with_{name}"] = first[letter] / max(1, len(tags))
    return numbers


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for text in TEXTS:
        dealt = deal(chinese(text, at.size, at.whole("sentences")), seeds)
        for run, own in zip(runs, dealt, strict=True):
            run |= {f"{text}_{name}": share for name, share in starts(own).items()}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """In each text: the share of verbs that begin a sentence over that of nouns, 95 % interval. Below 1 in all: holds.
    In some: only if. Above 1 in all: does not hold. Undecided where an interval contains 1."""
    lower = []
    for text in TEXTS:
        _, low, high = log_ratio(over_seeds(runs, f"{text}_verb"), over_seeds(runs, f"{text}_noun"))
        if low <= 1 <= high:
            return "undecided"
        lower.append(high < 1)
    if all(lower):
        return "holds"
    return "holds only if" if any(lower) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=9.0, height=4.8)
    labels = (tr("everyday sentences", "日常句子"), tr("a manual", "使用手册"), tr("buttons of programs", "软件界面"))
    names = {"verb": tr("verbs", "动词"), "noun": tr("nouns", "名词")}
    for index, (name, label) in enumerate(names.items()):
        around = [interval(over_seeds(runs, f"{text}_{name}")) for text in TEXTS]
        places = [place + 0.34 * (index - 0.5) for place in range(len(TEXTS))]
        heights, halves = [one.mean for one in around], [one.half for one in around]
        axes.bar(places, heights, yerr=halves, width=0.32, color=COLOURS[index], label=label, capsize=4)
    axes.set_xticks(range(len(TEXTS)), labels)
    axes.grid(visible=False, axis="x")
    axes.set(ylabel=tr("share that begins a sentence", "位于句首的比例"), ylim=(0, None))
    axes.legend()
    return picture


EXPERIMENT = Experiment("L74", measure, judge, draw, KNOBS, SEEDS, evidence="real", data=tuple(TEXTS.values()))
