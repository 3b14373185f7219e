"""Made-up test sets: sentences of a few parts, and translations that get some of the parts wrong."""

import random

PARTS = {
    "en": (
        ["The old teacher", "My neighbour", "Nobody", "Anna", "The small dog", "A tall man from Paris"],
        ["bought", "lost", "sold", "painted", "found", "forgot"],
        ["three red books", "a new bicycle", "12 apples", "the house by the river", "an umbrella", "2,500 stamps"],
        ["yesterday.", "in the garden!", "before the long winter began.", "without a word.", "at 7 o'clock.", "again?"],
    ),
    "zh": (
        ["老教师", "我的邻居", "没有人", "安娜", "那只小狗", "一个从巴黎来的高个子男人"],
        ["买了", "丢了", "卖了", "画了", "找到了", "忘记了"],
        ["三本红色的书", "一辆新自行车", "12个苹果", "河边的房子", "一把雨伞", "2500张邮票"],
        ["，就在昨天。", "，在花园里！", "，在漫长的冬天开始之前。", "，一句话也没说。", "，在7点钟。", "，又一次？"],
    ),
}


def sentences(language, count=60, seed=1):
    """Line n of one language means what line n of the other does."""
    drawn = random.Random(seed)
    choices = [[drawn.randrange(6) for _ in range(4)] for _ in range(count)]
    glue = "" if language == "zh" else " "
    return [glue.join(part[n] for part, n in zip(PARTS[language], each, strict=True)) for each in choices]


def spoilt(texts, language="en", share=0.3, seed=2):
    """Some parts are exchanged for others of their kind, the way a translator errs."""
    drawn = random.Random(seed)
    out = []
    for text in texts:
        for part in PARTS[language]:
            for one in part:
                if one in text and drawn.random() < share:
                    text = text.replace(one, drawn.choice(part))
                    break
        out.append(text)
    return out


def write(path, texts):
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def write_tsv(path, *columns):
    return write(path, ["\t".join(row) for row in zip(*columns, strict=True)])
