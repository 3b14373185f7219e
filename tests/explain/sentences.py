"""Sentences to explain, each explained once for all tests; and the data of a page, read back out of its file."""

import json
import re
from functools import cache

from attendo.explain.explain import explain
from attendo.explain.hand_words import HandWords
from attendo.glass.reading import open_glass

SENTENCE = "我爱机器学习"
GLASS = open_glass()

# From one piece to sixty, with the tag and </s>; rare characters, emoji, numbers, all four directions.
TWENTY = (
    ("爱", "en"), ("你好。", "en"), ("我爱机器学习", "en"), ("𠮷野家", "en"), ("饕餮", "en"), ("我喜欢🎉和🍜。", "en"),
    ("2024年3月15日", "en"), ("电话是13800138000。", "en"), ("他明天去北京出差。", "en"), ("Hi", "zh"),
    ("Where is the train station?", "zh"), ("He paid $3.50 for 12 eggs 🥚.", "de"), ("The dog sleeps.", "de"),
    ("Ich habe Hunger.", "en"), ("Straße 7", "en"), ("Können Sie mir bitte helfen, den Bahnhof zu finden?", "en"),
    ("今天天气很好，我们一起去公园散步，然后在湖边吃午饭。", "en"),
    ("The weather is very nice today, so we are going to walk in the park and then have lunch by the lake.", "de"),
    ("Gestern sind wir mit dem Zug nach Hamburg gefahren, haben im Hafen Fisch gegessen und sind abends müde, aber "
     "glücklich wieder nach Hause gekommen.", "en"),
    ("今天天气很好，我们一起去公园散步，然后在湖边吃午饭，晚上再去看一场电影，你觉得怎么样？我很想知道你的想法，请尽快给我打个电话，"
     "因为我明天要出差。", "en"),
)  # fmt: skip


@cache
def explained(**hands):
    return explain(SENTENCE, "en", model=GLASS, hands=HandWords(**hands))


def data_of(page):
    """What the page knows: a browser reads the same element."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
