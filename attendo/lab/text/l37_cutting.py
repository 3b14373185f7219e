"""L37: Chinese and English cut by characters, words and sub-words: size of the dictionary, length, quality, roots."""

from collections.abc import Sequence
from statistics import fmean

from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure, points, tick_at
from attendo.lab.tools.measuring import interval
from attendo.lab.tools.texts import Language
from attendo.lab.tools.tokenizer_trial import CORPUS, OFTEN, TrialTexts, figures, sentences
from attendo.text.subword_models import Kind

SEEDS = by_size(2, 8, 8)  # each holds out other sentences
KINDS: tuple[Kind, ...] = ("char", "word", "bpe", "wordpiece", "unigram")
SUB_WORDS = KINDS[2:]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
KNOBS = (
    Knob("sentences", by_size(100, 20_000, 20_000), 50, 50_000),
    # Pieces in the vocabulary, for each different word in the text: the first is the small one.
    Knob("shares", by_size((0.5, 1.0), (0.5, 1.0), (0.5, 0.1, 0.25, 1.0)), 0.02, 2.0),
)
GAP = 0.01  # of all characters: a dictionary that lacks as much fails in every other sentence
AS_GOOD = 1.05  # the bits that BPE may take for a character, for each bit that words take
CHANCE = 0.01  # how likely random cuts may be to do as well as cuts that are said to be better
ENOUGH = 30  # words cut up, to say something of where
MOST = 0.5  # of all cuts: "finds roots" is to cut at the edge of a morpheme more often than not


def one_seed(seed: int, at: Settings) -> Numbers:
    numbers: dict[str, float | Sequence[float]] = {}
    shares = at.reals("shares")
    for language in LANGUAGES:
        often = 0 if at.size == "small" else OFTEN
        texts = TrialTexts(language, sentences(language, at.size, at.whole("sentences")), seed, often)
        numbers |= {f"{language}_words": len(texts.words), f"{language}_marked": len(texts.edges)}
        for kind in KINDS:
            found: list[dict[str, float]] = []
            for share in shares:
                tokenizer = texts.learn(kind, round(share * len(texts.words)))
                found.append(figures(texts, tokenizer))
            for name in found[0]:
                of_all = [each[name] for each in found]
                numbers |= {f"{language}_{kind}_{name}": of_all, f"{language}_{kind}_{name}_half": of_all[0]}
                numbers[f"{language}_{kind}_{name}_least"] = min(of_all)
            at_roots = largest_that_cuts(shares, [each["cut_up"] for each in found])
            for name in ("on_edge", "by_chance", "p", "cut_up"):
                numbers[f"{language}_{kind}_{name}_roots"] = found[at_roots][name]
            numbers[f"{language}_{kind}_share_roots"] = shares[at_roots]
    return numbers


def largest_that_cuts(shares: Sequence[float], cut_up: Sequence[float]) -> int:
    """Which of the vocabularies is the largest that still cuts up ENOUGH words: larger ones have the words whole."""
    enough = [index for index, count in enumerate(cut_up) if count >= ENOUGH] or range(len(shares))
    return max(enough, key=lambda index: shares[index] if cut_up[index] >= ENOUGH else -shares[index])


def judge(runs: Runs) -> Verdict:
    """Small: with half as many pieces as words (the first share) BPE leaves nothing out, where all words leave out over
    GAP, and is AS_GOOD; in both languages. Roots, of words that occur OFTEN, in the largest vocabulary that still cuts
    ENOUGH of them: random cuts do as well with a probability below CHANCE, at every seed, and MOST are on an edge.

    Both: holds. Small, and better than random cuts but not MOST: only if.
    """
    gaps = [interval(over_seeds(runs, f"{language}_word_unknown_least")) for language in LANGUAGES]
    pairs = [(f"{language}_bpe_bits_half", f"{language}_word_bits_least") for language in LANGUAGES]
    worse = [
        interval([bpe / words for bpe, words in zip(*(over_seeds(runs, name) for name in pair), strict=True)])
        for pair in pairs
    ]
    on_edge = interval(over_seeds(runs, "en_bpe_on_edge_roots"))
    bounds = [*((gap, GAP) for gap in gaps), *((ratio, AS_GOOD) for ratio in worse), (on_edge, MOST)]
    if any(around.low <= bound <= around.high for around, bound in bounds):
        return "undecided"
    nothing_left_out = all(max(over_seeds(runs, f"{language}_bpe_unknown_half")) == 0 for language in LANGUAGES)
    small = nothing_left_out and all(gap.low > GAP for gap in gaps) and all(ratio.high < AS_GOOD for ratio in worse)
    if not small or max(over_seeds(runs, "en_bpe_p_roots")) > CHANCE:
        return "does not hold"
    return "holds" if on_edge.low > MOST else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=6.4)
    languages = {"en": tr("English", "英文"), "zh": tr("Chinese", "中文")}
    order = sorted(range(len(row(runs[0], "shares"))), key=lambda index: row(runs[0], "shares")[index])
    shares = [row(runs[0], "shares")[index] for index in order]
    for index, (language, label) in enumerate(languages.items()):
        for kind, line in (("word", "--"), ("bpe", "-")):
            curves = [[100 * row(run, f"{language}_{kind}_unknown")[at] for at in order] for run in runs]
            name = tr("words", "按词") if kind == "word" else "BPE"
            left.plot(shares, [fmean(x) for x in zip(*curves, strict=True)], f"o{line}", color=COLOURS[index], ms=6)
            left.plot([], [], f"o{line}", color=COLOURS[index], label=tr(f"{label}, {name}", f"{label}，{name}"))
    left.set(xscale="log", xlabel=tr("pieces for each different word", "词表大小与不同词数之比"))
    left.set(ylabel=tr("characters left out, %", "未登录字符，%"), ylim=(-0.3, None))
    tick_at(left, shares)
    left.legend()
    kinds = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "unigram"}
    points(right, list(kinds.values()), [over_seeds(runs, f"en_{kind}_on_edge_roots") for kind in kinds])
    chance = [fmean(over_seeds(runs, f"en_{kind}_by_chance_roots")) for kind in kinds]
    right.plot(range(len(kinds)), chance, "x", color="grey", ms=9, label=tr("random cuts", "随机切分"))
    right.axhline(MOST, color="grey", ls=":", lw=1)
    right.set(ylabel=tr("cuts on a morpheme's edge (English)", "切分点落在语素边界上的比例（英文）"), ylim=(0, 1))
    right.legend()
    return picture


EXPERIMENT = Experiment("L37", for_each_seed(one_seed), judge, draw, KNOBS, SEEDS, evidence="real", data=(CORPUS,))
