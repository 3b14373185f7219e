"""What the page of an evaluation says of each of its parts, in English and in Chinese."""

HEADINGS = {
    "scores": ("Scores", "得分"),
    "lengths": ("By length", "按句长"),
    "words": ("Rare and frequent words", "罕见词与常见词"),
    "sentences": ("Sentence by sentence", "逐句得分"),
    "worst": ("The worst sentences", "最差的句子"),
    "best": ("The best sentences", "最好的句子"),
    "again": ("The same without attendo", "不用 attendo 重算"),
}
CAPTIONS = {
    "scores": (
        "By sacreBLEU. The interval holds 95 % of the bootstrap's samples; the signature says how a score was computed "
        "and belongs to it wherever it is quoted. BLEU and chrF: more is better. TER: less is better.",
        "由 sacreBLEU 计算。区间包含 95 % 的自助法样本；签名说明得分如何算出，引用得分时应一并给出。"
        "BLEU 和 chrF 越高越好，TER 越低越好。",
    ),
    "several": (
        "Where words have no spaces between them, BLEU depends on how the text is cut. Quote the green one.",
        "词与词之间没有空格的语言，BLEU 取决于如何切分文本。引用时用绿色的那一个。",
    ),
    "lengths": (
        "Sentences by the length of their reference: words, or characters of Chinese and Japanese. "
        "BLEU of few sentences says little.",
        "按参考译文的长度分组：以词计，中文和日文以字计。句子很少时，BLEU 说明不了什么。",
    ),
    "words": (
        "How many words of the reference the translation of the same sentence has, by how often they occur in {text}. "
        "Words are in lower case, without punctuation; of Chinese and Japanese, characters.",
        "参考译文中的词有多少出现在同一句的译文里，按这些词在{text}中出现的次数分组。"
        "词一律小写，不含标点；中文和日文以字计。",
    ),
    "sentences": (
        "chrF of each sentence alone: how many sentences reach which score.",
        "每个句子单独的 chrF：各分数段有多少句子。",
    ),
    "worst": (
        "By chrF. A bad score may also mean that the reference is wrong, or says the same with other words.",
        "按 chrF 排列。得分低也可能是因为参考译文有误，或用别的词说了同样的意思。",
    ),
    "best": ("By chrF.", "按 chrF 排列。"),
    "again": (
        "Commands for bash; scores and signatures must be the same. TRANSLATIONS stands for the file of translations "
        "(--write-translations).",
        "bash 命令；得分和签名应当相同。TRANSLATIONS 代表译文文件（--write-translations）。",
    ),
}
THE_REFERENCES = ("the references", "参考译文")
LABELS = {
    "sentences": "sentences · 句数",
    "direction": "direction · 方向",
    "references": "references · 参考译文数",
    "hypotheses": "judged · 被评译文",
    "speed": "speed · 速度",
    "length ratio": "length ratio · 长度比",
    "loops": "loops · 原地打转",
    "numbers kept": "numbers kept · 保留的数字",
    "second look": "second look · 第二次检查",
    "equal to a reference": "equal to a reference · 与参考译文相同",
    "empty": "empty · 空译文",
}
