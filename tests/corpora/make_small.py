"""Writes small.tsv: 400 made-up sentences with their translations, four of them damaged for the doctor to find.

python tests/corpora/make_small.py
"""

import itertools
import random
from pathlib import Path

SUBJECTS = [
    ("我", "I"), ("你", "You"), ("他", "He"), ("她", "She"), ("我们", "We"), ("老师", "The teacher"),
    ("学生", "The student"), ("孩子", "The child"), ("医生", "The doctor"), ("朋友", "My friend"),
]  # fmt: skip
VERBS = [
    ("喜欢", "like", "likes"), ("看见", "see", "sees"), ("需要", "need", "needs"),
    ("记得", "remember", "remembers"), ("想要", "want", "wants"), ("找到", "find", "finds"),
]  # fmt: skip
OBJECTS = [
    ("这本书", "this book"), ("那座山", "that mountain"), ("新的语言", "a new language"), ("热茶", "hot tea"),
    ("安静的早晨", "a quiet morning"), ("旧照片", "old photographs"), ("蓝色的船", "the blue boat"),
    ("一封长信", "a long letter"), ("红苹果", "red apples"), ("夜晚的雨", "the rain at night"),
]  # fmt: skip
WHEN = [
    ("今天", "today"), ("昨天", "yesterday"), ("每年春天", "every spring"), ("有时", "sometimes"),
    ("在学校", "at school"), ("在家里", "at home"),
]  # fmt: skip


def main() -> None:
    rows = []
    for subject, verb, thing, when in itertools.product(SUBJECTS, VERBS, OBJECTS, WHEN):
        form = verb[1] if subject[1] in ("I", "You", "We") else verb[2]
        rows.append((f"{subject[0]}{when[0]}{verb[0]}{thing[0]}。", f"{subject[1]} {form} {thing[1]} {when[1]}."))
    random.Random(4).shuffle(rows)
    rows = rows[:400]
    rows[50] = rows[49]  # a duplicate
    rows[100] = (rows[100][1], rows[100][0])  # swapped sides
    rows[150] = (rows[150][0], rows[150][0])  # a copy
    rows[200] = (rows[200][0], "")  # an empty side
    text = "".join(f"{source}\t{target}\n" for source, target in rows)
    Path(__file__).with_name("small.tsv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
