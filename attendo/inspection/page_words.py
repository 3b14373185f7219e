"""What a page of attention maps says of each of its parts, in English and in Chinese."""

HEADINGS = {
    "alignment": ("Alignment", "词对齐"),
    "steps": ("The search, step by step", "搜索的每一步"),
    "encoder-self": ("Encoder self-attention", "编码器自注意力"),
    "decoder-self": ("Decoder self-attention", "解码器自注意力"),
    "cross": ("Cross-attention", "交叉注意力"),
    "self": ("Self-attention", "自注意力"),
}
CAPTIONS = {
    "alignment": (
        "Cross-attention, the mean over all layers and heads, in percent. Where the source has several words, pieces "
        "are joined into words: the sum over the source's pieces, the mean over the target's.",
        "交叉注意力对所有层和所有头取平均，以百分数表示。源句不止一个词时，子词合并成词：源端求和，译文端取平均。",
    ),
    "alignment of self": (
        "What self-attention gives to the source while a word is being said, the mean over all layers and heads, in "
        "percent; the rest of a row went to the translation itself. Where the source has several words, pieces are "
        "joined into words: the sum over the source's pieces, the mean over the target's.",
        "说出每个词时自注意力落在源句上的部分，对所有层和所有头取平均，以百分数表示；每行其余部分落在译文自身。"
        "源句不止一个词时，子词合并成词：源端求和，译文端取平均。",
    ),
    "steps": (
        "All continuations of all hypotheses compete by the sum of their log-probabilities; the best stay, the others "
        "are lost. A hypothesis that says </s> has ended; its score is the sum divided by its length^α.",
        "所有候选的续写一起按对数概率之和竞争，最好的几个保留，其余淘汰。"
        "说出 </s> 的候选就此结束，得分是总和除以长度的 α 次方。",
    ),
    "encoder-self": (
        "How the source looks at itself: each row is a source token, each column a token it looks at. A row sums to 1.",
        "源句看自己：每一行是一个源端词元，每一列是它所看的词元。每行之和为 1。",
    ),
    "decoder-self": (
        "How the translation looks back at itself: rows and columns are the tokens that the decoder reads, the first "
        "being <s>. It cannot look ahead, so the upper right half is 0.",
        "译文回头看自己：行和列都是解码器读入的词元，第一个是 <s>。它看不到后面的词，所以右上半为 0。",
    ),
    "cross": (
        "Which source tokens (columns) the decoder looks at while it says each token of the translation (rows).",
        "解码器说出译文的每个词元（行）时，看源句的哪些词元（列）。",
    ),
    "self": (
        "To a decoder alone source and translation are one text; each row looks back at what stands before it.",
        "对纯解码器来说，源句和译文是同一段文字；每一行只能回头看前面的词元。",
    ),
}
