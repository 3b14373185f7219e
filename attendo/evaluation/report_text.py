"""An evaluation, or a comparison, as lines for a terminal or a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attendo.evaluation.compare import LEVEL, Comparison, Difference
from attendo.evaluation.evaluate import Evaluation, JudgedSentence
from attendo.evaluation.hypotheses import TranslationRun
from attendo.evaluation.loops_and_numbers import NumberCounts
from attendo.evaluation.metrics import PUBLISHED_NAME, Score
from attendo.report.columns import num_columns, padded
from attendo.report.formatting import count_text, duration_text, visible
from attendo.report.language import Bilingual, Language, Tr, in_english, in_language
from attendo.report.messages import say
from attendo.translation.options import TranslationOptions

LONGEST = 300  # characters of a sentence
EXTREMES = 3
ABSENT = "-"
LABELS = 28  # columns

PUBLISHED = Bilingual(PUBLISHED_NAME, "切词小写 BLEU")
NO_FOUR_GRAMS = Bilingual(
    "(BLEU multiplies the precisions of 1 to 4 words in a row: where no four words in a row agree, as in very short "
    "sentences, it is near 0; chrF tells more.)",
    "（BLEU 把连续 1 至 4 个词的精确率相乘：若没有任何连续四个词相同，例如句子很短时，得分就接近 0；这时应看 chrF。）",
)
FACTS = {
    "sentences": Bilingual("sentences", "句数"),
    "direction": Bilingual("direction", "方向"),
    "references": Bilingual("references", "参考译文数"),
    "hypotheses": Bilingual("judged", "被评译文"),
    "speed": Bilingual("speed", "速度"),
    "length ratio": Bilingual("length ratio", "长度比"),
    "loops": Bilingual("loops", "重复循环"),
    "numbers kept": Bilingual("numbers kept", "保留的数字"),
    "wider beam": Bilingual("wider beam", "加宽束的重试"),
    "equal to a reference": Bilingual("equal to a reference", "与参考译文相同"),
    "empty": Bilingual("empty", "空译文"),
}


def evaluation_lines(found: Evaluation, tr: Tr = in_english) -> Iterator[str]:
    source = f"{found.source_language} → " if found.source_language else ""
    guessed = tr(" (by the look of the references)", "（根据参考译文推断）") if found.guessed else ""
    direction, sentences, references = f"{source}{found.target_language}{guessed}", found.sentences, found.references
    yield visible(found.name) + tr(
        f": {count_text(sentences, 'sentence')}, {direction}, {count_text(references, 'reference')}",
        f"：{sentences:,} 句，{direction}，{references} 份参考译文",
    )
    for row in score_rows(found, tr):
        yield f"  {padded(row.label, LABELS)}{score_text(row.score)}  {row.score.signature}{row.note}"
    for label, text in (*metric_rows(found), *((tr(*words), text) for words, text in fact_rows(found, tr))):
        yield f"  {padded(label, LABELS)}{text}"
    yield ""
    yield from class_lines(found, tr)
    for extreme, judged in ((tr("worst", "最差"), found.worst), (tr("best", "最好"), found.best)):
        yield tr(f"  {extreme} sentences, by chrF", f"  {extreme}的句子（按 chrF）")
        for sentence in judged[:EXTREMES]:
            yield tr(
                f"    line {sentence.line:,}: chrF {sentence.chrf:.2f}",
                f"    第 {sentence.line:,} 行：chrF {sentence.chrf:.2f}",
            )
            for label, text in judged_rows(sentence, tr):
                yield f"      {padded(label, 14)}{visible(text, LONGEST) or ABSENT}"
    yield tr(
        "  the same three scores by sacreBLEU's own command, in bash:",
        "  用 sacreBLEU 自己的命令（bash）可算出同样的三项得分：",
    )
    yield f"    {visible(found.command)}"
    if found.published_command:
        yield f"  {tr(*PUBLISHED)}{tr(' likewise:', '同样可以：')}"
        yield f"    {visible(found.published_command)}"


def class_lines(found: Evaluation, tr: Tr) -> Iterator[str]:
    """By the length of sentences, and by the frequency of words."""
    yield tr(
        "  by the length of the reference (words; of Chinese and Japanese, characters)",
        "  按参考译文的长度（以词计；中文和日文以字计）",
    )
    for length in found.lengths:
        words, sentences = padded(class_name(length.words, tr), 14), f"{length.sentences:>7,}"
        yield (
            f"    {words}{sentences} {tr('sentences', '句')}   BLEU {length.bleu:6.2f}   "
            f"chrF {length.chrf:6.2f}   {tr('length ratio', '长度比')} {length.length_ratio:.2f}"
        )
    if has_zero_bleu(found):
        yield f"    {tr(*NO_FOUR_GRAMS)}"
    file = visible(found.frequencies_of) if found.frequencies_of else ""
    counted_in = tr(file, f" {file} ") if file else tr("the references", "参考译文")
    yield tr(
        f"  words of the reference found in the translation, by how often they are in {counted_in}",
        f"  参考译文中的词有多少出现在译文里，按它们在{counted_in}中出现的次数",
    )
    for one in found.frequencies:
        yield f"    {padded(class_name(one.times, tr), 14)}{one.words:>7,} {tr('words      ', '词')} {one.share:6.1%}"


def has_zero_bleu(found: Evaluation) -> bool:
    """Of all sentences, or of those of one length; as it is written, with two decimals."""
    return any(round(bleu, 2) == 0 for bleu in (found.quoted[1].score, *(length.bleu for length in found.lengths)))


def class_name(name: str, tr: Tr) -> str:
    """up to 5, 6-10, over 50"""
    chinese = name.replace("up to ", "至多 ").replace("over ", "超过 ")
    return tr(name, chinese)


@dataclass(frozen=True)
class ScoreRow:
    label: str
    score: Score
    note: str = ""
    marked: bool = False  # where there are several BLEU, the one to quote


def score_rows(found: Evaluation, tr: Tr = in_english) -> list[ScoreRow]:
    quoted, others = [ScoreRow("BLEU", found.quoted[1])], []
    if len(found.bleu) > 1:
        every = [
            ScoreRow(tr(f"BLEU, tokenisation {name}", f"BLEU，切分 {name}"), score)
            for name, score in found.bleu.items()
        ]
        quoted = [replace(every[0], note=tr("  ← the one to quote", "  ← 引用时用这个"), marked=True)]
        others = every[1:]
    rows = [*quoted, *others, ScoreRow(found.chrf.name, found.chrf), ScoreRow(found.ter.name, found.ter)]
    if found.published:
        note = tr("  (beside published tables of this kind alone)", "  （只与同类的已发表结果相比）")
        rows.append(ScoreRow(tr(*PUBLISHED), found.published, note))
    return rows


def metric_rows(found: Evaluation) -> list[tuple[str, str]]:
    """The scores by functions that were handed in."""
    return [(visible(name), f"{value:.4f}") for name, value in found.metrics.items()]


def fact_rows(found: Evaluation, tr: Tr = in_english) -> list[tuple[Bilingual, str]]:
    """What else was measured, in words."""
    loops = tr(
        f"{found.loops:,} of {found.sentences:,} translations ({found.loops / found.sentences:.1%})",
        f"{found.sentences:,} 条译文中有 {found.loops:,} 条（{found.loops / found.sentences:.1%}）",
    )
    if found.run:
        again = found.run.repeated
        loops += tr(f"; decoded again because of one: {again:,}", f"；因此重新解码：{again:,} 条")
    rows = [
        (FACTS["length ratio"], f"{found.quoted[1].length_ratio:.3f}"),
        (FACTS["loops"], loops),
        (FACTS["numbers kept"], numbers_text(found.numbers, found.numbers_of_references, tr)),
        (
            FACTS["equal to a reference"],
            tr(f"{found.exact:,} of {found.sentences:,}", f"{found.exact:,}/{found.sentences:,}"),
        ),
        (FACTS["empty"], f"{found.empty:,}"),
    ]
    if not found.run:
        return rows
    return [(FACTS["speed"], speed_text(found.run, tr)), (FACTS["wider beam"], recovered_text(found.run, tr)), *rows]


def speed_text(run: TranslationRun, tr: Tr) -> str:
    threads = tr(f", {count_text(run.threads, 'thread')}", f"，{run.threads} 个线程") if run.threads else ""
    seconds = tr(f"{run.seconds:.2f} s" if run.seconds < 60 else duration_text(run.seconds), f"{run.seconds:,.2f} 秒")
    speed, tokens = f"{run.source_tokens_per_second:,.0f}", f"{run.source_tokens:,}"
    how = decoding_text(run.options, tr)
    return tr(
        f"{speed} source tokens/s: {tokens} in {seconds}, {run.engine}{threads}, {how}",
        f"每秒 {speed} 个源端词元：{seconds}内 {tokens} 个，{run.engine}{threads}，{how}",
    )


def decoding_text(options: TranslationOptions, tr: Tr) -> str:
    """How answers were found."""
    if sampling := options.sampling:
        settings = f"temperature {sampling.temperature:g}, top-k {sampling.top_k}, top-p {sampling.top_p:g}, seed "
        settings_zh = f"温度 {sampling.temperature:g}，top-k {sampling.top_k}，top-p {sampling.top_p:g}，随机种子 "
        return tr(f"sampling: {settings}{sampling.seed}", f"采样：{settings_zh}{sampling.seed}")
    beam, penalty = options.search.beam_size, options.search.length_penalty
    if passes := options.search.passes:
        times = count_text(passes, "pass", "passes")
        return tr(f"{times}, length penalty {penalty:g}", f"{passes} 遍，长度惩罚 {penalty:g}")
    return tr(f"beam {beam}, length penalty {penalty:g}", f"束宽 {beam}，长度惩罚 {penalty:g}")


def recovered_text(run: TranslationRun, tr: Tr) -> str:
    if not run.options.to_dict()["second_look"]:
        return tr("none: the first answer was taken", "未用：取第一次的译文")
    lines = run.recovered
    return tr(
        f"found what was missing at first in {count_text(lines, 'line')}", f"在 {lines:,} 行中找回了起初缺失的内容"
    )


def numbers_text(numbers: NumberCounts | None, by_people: NumberCounts | None, tr: Tr) -> str:
    if numbers is None:
        return tr("not known without the source", "没有原文，无从得知")
    if numbers.share is None or by_people is None or by_people.share is None:
        return tr("no numbers in the source", "原文中没有数字")
    return tr(
        f"{numbers.share:.1%} of {numbers.asked:,} (the reference keeps {by_people.share:.1%})",
        f"{numbers.asked:,} 个中的 {numbers.share:.1%}（参考译文为 {by_people.share:.1%}）",
    )


def score_text(score: Score) -> str:
    interval = f" [{score.interval[0]:.2f}, {score.interval[1]:.2f}]" if score.interval else ""
    return f"{score.score:6.2f}{interval}"


def judged_rows(sentence: JudgedSentence, tr: Tr = in_english) -> list[tuple[str, str]]:
    source = [(tr("source", "原文"), sentence.source)] if sentence.source is not None else []
    references = [(tr("reference", "参考译文"), text) for text in sentence.references]
    return [*source, *references, (tr("translation", "译文"), sentence.hypothesis)]


def comparison_lines(found: Comparison, tr: Tr = in_english) -> Iterator[str]:
    yield tr(
        f"{visible(found.test_set)}: {count_text(found.sentences, 'sentence')}, {found.language}; "
        f"in {found.same:,} both say the same",
        f"{visible(found.test_set)}：{found.sentences:,} 句，{found.language}；其中 {found.same:,} 句两者相同",
    )
    yield tr(f"  A is {visible(found.a)}", f"  A：{visible(found.a)}")
    yield tr(f"  B is {visible(found.b)}", f"  B：{visible(found.b)}")
    by_bootstrap, by_randomising = tr("p, bootstrap", "p（自助法）"), tr("p, randomised", "p（随机化）")
    columns = [f"  {'':<8}{'A':>8}{'B':>8}{'B - A':>9}"]
    columns += [" " * (15 - num_columns(name)) + name for name in (by_bootstrap, by_randomising)]
    yield "".join(columns)
    for one in found.differences.values():
        yield (
            f"  {one.name:<8}{one.a:>8.2f}{one.b:>8.2f}{one.difference:>+9.2f}{one.bootstrap.p_value:>15.4f}"
            f"{one.randomisation.p_value:>15.4f}   {verdict(one, tr)}"
        )
    for one in found.differences.values():
        for outcome in (one.bootstrap, one.randomisation):
            yield f"  {one.name:<8}{outcome.signature}"
    yield tr("  the same by sacreBLEU's own command, in bash:", "  用 sacreBLEU 自己的命令（bash）可得同样的结果：")
    for command in found.commands:
        yield f"    {visible(command)}"


def verdict(one: Difference, tr: Tr = in_english) -> str:
    if one.difference == 0:
        return tr("no difference", "没有差别")
    if one.too_few:
        return tr("too few lines differ to tell", "不同的行太少，无法判断")
    if one.real is None:
        return tr("uncertain: the two tests do not agree", "不确定：两种检验结论不一")
    if not one.real:
        return tr(f"may be chance (p is not below {LEVEL:g})", f"可能出于偶然（p 不低于 {LEVEL:g}）")
    better = "A" if one.better == "a" else "B"
    return tr(f"{better} is better", f"{better} 更好")


def warnings_text(warnings: Sequence[str], name: str = "", language: Language = "en") -> list[str]:
    """For stderr; `name` is that of the test set, where there are several."""
    word = in_language(language)("warning: ", "警告：")
    before = visible(f"{name}: " if name else "")
    return [f"attendo: {word}{before}{visible(say(warning, language))}" for warning in warnings]
