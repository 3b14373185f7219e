"""L37: Chinese and English cut by characters, words and sub-words: size of the dictionary, length, quality, roots."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, over_seeds, row
from attendo.lab.knobs import Settings, Size, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import interval
from attendo.lab.tools.texts import Language
from attendo.lab.tools.tokenizer_trial import TrialTexts, figures
from attendo.text.subword_models import Kind

SEEDS = by_size(2, 3, 4)  # each holds out other sentences
KINDS: tuple[Kind, ...] = ("char", "word", "bpe", "wordpiece", "unigram")
SUB_WORDS = KINDS[2:]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
# Pieces in the dictionary, for each different word in the text.
SHARES: Mapping[Size, Sequence[float]] = by_size((0.5, 1), (0.25, 0.5, 1, 2), (0.1, 0.25, 0.5, 1, 2))
SMALL = 0.5  # such a share: a dictionary half as large as that of all words
GAP = 0.01  # of all characters: a dictionary that lacks as much fails in every other sentence
AS_GOOD = 1.05  # the bits that BPE may take for a character, for each bit that words take
CHANCE = 0.01  # how likely random cuts may be to do as well as cuts that are said to be better
MOST = 0.5  # of all cuts: "finds roots" is to cut at the edge of a morpheme more often than not


def one_seed(seed: int, at: Settings) -> Numbers:
    numbers: dict[str, float | Sequence[float]] = {"share": SHARES[at.size]}
    for language in LANGUAGES:
        texts = TrialTexts(language, seed, at.size)
        numbers[f"{language}_words"] = len(texts.words)
        for kind in KINDS:
            found: list[dict[str, float]] = []
            for share in SHARES[at.size]:
                tokenizer = texts.learn(kind, round(share * len(texts.words)))
                no_more = found and found[-1]["pieces"] == len(
                    tokenizer.subwords.pieces
                )  # there is nothing left to add
                found.append(found[-1] if no_more else figures(texts, tokenizer))
            for name in found[0]:
                of_all = [each[name] for each in found]
                at_half = of_all[SHARES[at.size].index(SMALL)]
                numbers |= {f"{language}_{kind}_{name}": of_all, f"{language}_{kind}_{name}_half": at_half}
                numbers[f"{language}_{kind}_{name}_least"] = min(of_all)
    return numbers


def judge(runs: Runs) -> Verdict:
    """Small: with half as many pieces as there are words BPE leaves nothing out, where all words leave out more than
    GAP, and is AS_GOOD; in both languages. Roots: random cuts do as well with a probability below CHANCE, at every
    seed, and MOST cuts are on an edge. Both: holds. Small, and better than random cuts but not MOST: only if.
    """
    gaps = [interval(over_seeds(runs, f"{language}_word_unknown_least")) for language in LANGUAGES]
    pairs = [(f"{language}_bpe_bits_half", f"{language}_word_bits_least") for language in LANGUAGES]
    worse = [
        interval([bpe / words for bpe, words in zip(*(over_seeds(runs, name) for name in pair), strict=True)])
        for pair in pairs
    ]
    on_edge = interval(over_seeds(runs, "en_bpe_on_edge_half"))
    bounds = [*((gap, GAP) for gap in gaps), *((ratio, AS_GOOD) for ratio in worse), (on_edge, MOST)]
    if any(around.low <= bound <= around.high for around, bound in bounds):
        return "undecided"
    nothing_left_out = all(max(over_seeds(runs, f"{language}_bpe_unknown_half")) == 0 for language in LANGUAGES)
    small = nothing_left_out and all(gap.low > GAP for gap in gaps) and all(ratio.high < AS_GOOD for ratio in worse)
    if not small or max(over_seeds(runs, "en_bpe_p_half")) > CHANCE:
        return "does not hold"
    return "holds" if on_edge.low > MOST else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=4, rows=2, width=3.4, height=2.9)
    named = (tr("characters", "字符"), tr("words", "词"), "BPE", "WordPiece", "unigram")
    panels = {
        "unknown": tr("unknown (share of characters)", "未登录字符的比例"),
        "length": tr("tokens per character", "每个字符的 token 数"),
        "bits": tr("bits per character", "每个字符的比特数"),
        "on_edge": tr("cuts on an edge (share)", "切在边界上的比例"),
    }
    titles = {"en": tr("English", "英文"), "zh": tr("Chinese", "中文")}
    cells = [(language, panel) for language in LANGUAGES for panel in panels]
    for panel_axes, (language, panel) in zip(axes, cells, strict=True):
        for index, kind in enumerate(KINDS):
            if panel != "on_edge" or kind in SUB_WORDS:
                pieces = [
                    [n / number(run, f"{language}_words") for n in row(run, f"{language}_{kind}_pieces")]
                    for run in runs
                ]
                curves = [row(run, f"{language}_{kind}_{panel}") for run in runs]
                band(panel_axes, [fmean(x) for x in zip(*pieces, strict=True)], curves, named[index], index)
        panel_axes.set(title=titles[language], ylabel=panels[panel], xscale="log")
        panel_axes.set_ylim(None if panel == "bits" else 0)
        panel_axes.set_xticks([0.1, 0.25, 0.5, 1, 2], ["0.1", "0.25", "0.5", "1", "2"])
        panel_axes.minorticks_off()
        if panel == "on_edge":
            chance = interval(over_seeds(runs, f"{language}_bpe_by_chance_half")).mean
            panel_axes.axhline(chance, color="grey", ls="--", label=tr("random cuts", "随机切分"))
            panel_axes.set(ylim=(0, 1))
            panel_axes.legend(fontsize=8)
    axes[0].legend(fontsize=8)
    for below in axes[4:]:
        below.set_xlabel(tr("pieces for each different word", "词表大小与不同词数之比"))
    return picture


EXPERIMENT = Experiment("L37", for_each_seed(one_seed), judge, draw, (), SEEDS)
