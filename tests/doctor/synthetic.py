"""A clean parallel corpus made up from templates, in English and German or Chinese, and ways to damage it."""

import random
from pathlib import Path

NOUNS = [
    ("dog", "Hund", "狗"), ("house", "Haus", "房子"), ("teacher", "Lehrer", "老师"), ("river", "Fluss", "河流"),
    ("apple", "Apfel", "苹果"), ("ship", "Schiff", "轮船"), ("doctor", "Arzt", "医生"), ("window", "Fenster", "窗户"),
    ("garden", "Garten", "花园"), ("knife", "Messer", "刀"), ("bridge", "Brücke", "桥"), ("letter", "Brief", "信"),
    ("horse", "Pferd", "马"), ("city", "Stadt", "城市"), ("king", "König", "国王"), ("bird", "Vogel", "鸟"),
    ("train", "Zug", "火车"), ("mountain", "Berg", "山"), ("child", "Kind", "孩子"), ("song", "Lied", "歌曲"),
    ("church", "Kirche", "教堂"), ("table", "Tisch", "桌子"), ("moon", "Mond", "月亮"), ("forest", "Wald", "森林"),
    ("farmer", "Bauer", "农民"), ("picture", "Bild", "照片"), ("bread", "Brot", "面包"), ("sword", "Schwert", "剑"),
    ("clock", "Uhr", "钟"), ("cloud", "Wolke", "云"), ("student", "Schüler", "学生"), ("key", "Schlüssel", "钥匙"),
]  # fmt: skip
VERBS = [
    ("sees", "sieht", "看见"), ("buys", "kauft", "购买"), ("loves", "liebt", "爱"), ("paints", "malt", "画"),
    ("forgets", "vergisst", "忘记"), ("finds", "findet", "找到"), ("hates", "hasst", "讨厌"),
    ("hides", "versteckt", "隐藏"),
    ("carries", "trägt", "携带"), ("sells", "verkauft", "出售"), ("describes", "beschreibt", "描述"),
    ("needs", "braucht", "需要"), ("steals", "stiehlt", "偷"), ("remembers", "erinnert", "记得"),
]  # fmt: skip
ADJECTIVES = [
    ("old", "alte", "老"), ("green", "grüne", "绿"), ("quiet", "stille", "安静"), ("strange", "seltsame", "奇怪"),
    ("small", "kleine", "小"), ("rich", "reiche", "富"), ("dark", "dunkle", "黑暗"), ("happy", "frohe", "快乐"),
    ("young", "junge", "年轻"), ("cheap", "billige", "便宜"), ("sad", "traurige", "悲伤"), ("wild", "wilde", "野生"),
    ("cold", "kalte", "冷"), ("famous", "berühmte", "著名"), ("tired", "müde", "疲倦"), ("sick", "kranke", "生病"),
]  # fmt: skip
PLACES = [
    ("behind the", "hinter dem", "后面"), ("near the", "neben dem", "附近"), ("without the", "ohne das", "没有"),
    ("above the", "über dem", "上面"), ("before the", "vor dem", "之前"),
]  # fmt: skip

Rows = list[tuple[str, str]]


def clean_corpus(num_pairs: int, source: str = "de", target: str = "en", seed: int = 0) -> Rows:
    """Distinct pairs; the order of languages is free."""
    dice = random.Random(seed)
    rows: dict[tuple[str, str], None] = {}
    while len(rows) < num_pairs:
        one, other, third = dice.sample(NOUNS, 3)
        verb, first, second, place = (
            *(dice.choice(words) for words in (VERBS, ADJECTIVES, ADJECTIVES)),
            dice.choice(PLACES),
        )
        texts = {
            "en": f"The {first[0]} {one[0]} {verb[0]} the {second[0]} {other[0]} {place[0]} {third[0]}.",
            "de": f"Der {first[1]} {one[1]} {verb[1]} das {second[1]} {other[1]} {place[1]} {third[1]}.",
            "zh": f"{first[2]}的{one[2]}在{third[2]}{place[2]}{verb[2]}了{second[2]}的{other[2]}。",
        }
        rows[texts[source], texts[target]] = None
    return list(rows)


def with_shift(rows: Rows, first: int, last: int, shift: int) -> Rows:
    """Lines first … last (from 1): each source's target moves `shift` lines down, the overhang to the other end."""
    targets = [target for _, target in rows[first - 1 : last]]
    block = [(rows[first - 1 + i][0], targets[(i - shift) % len(targets)]) for i in range(len(targets))]
    return [*rows[: first - 1], *block, *rows[last:]]


def write_tsv(path: Path, rows: Rows) -> Path:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in rows), encoding="utf-8", newline="\n")
    return path
