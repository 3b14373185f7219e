"""The page about text with markup: how it works, and the table of the benchmark."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.markup.sentences import VERDICTS, Verdict

ABOUT = """\
HTML, XML and whatever else has tags among its words go through the translator by
[`translate_markup`](../attendo/translation/markup/translate.py):

```python
import attendo
from attendo.translation.markup.translate import translate_markup

[answer] = translate_markup(attendo.load(), ["<p>我住在<b>北京</b>。</p>"], to="en")
assert answer.text == "<p>I live in <b>Beijing</b>.</p>"
assert answer.ledger.is_clean and not answer.unplaced
```

1. **Scan.** The text is cut into tags, comments, entities and what is between; joined they are the text, always. Block
   elements end a sentence. `code`, `pre`, `script`, `translate="no"` and `class="notranslate"` stay as they are with
   all they hold. Attributes are never touched, `title`, `alt` and `placeholder` neither.
2. **Translate.** The model reads plain sentences: tags taken out, entities decoded, white space as a browser shows it.
   What stands for a word and must come back (`code`, `<x id="3"/>`, an entity of an unknown name) has a stand-in.
3. **Put back.** Each word of the translation was made from words of the source, says the model's cross-attention. An
   element becomes the range of words that were made inside it, inside its parent's range and apart from its siblings',
   so what nested still nests. It is one range, never two: an id or an anchor may come only once. Tags without text go
   beside the word they stood beside. Signs, spaces and small words at the edges are as in the source.
4. **What finds no place** is a sign of lost text: the passage is translated again with stand-ins for its tags, and
   taken if all are there. If not, the tag stands empty beside the nearest word; it is listed in `answer.unplaced` and
   counted in the ledger (`tags_unplaced`), which is then not clean.
5. **Write.** Entities are spelt as the source spells them, what the model adds is escaped, and all that is not a
   sentence is copied byte for byte: a translator that says the same again gives the same bytes, whatever the soup of
   tags. Crossing or open tags keep their order. Time is linear in the text.

`MarkupRules.html()` is the default; `MarkupRules.of_xml(splitting_tags=…, non_splitting_tags=…, ignore_tags=…)` reads
XML as DeepL's `tag_handling=xml` does. A model or engine that cannot align gets stand-ins for the tags at once. Other
translations (`n_best`) are given where a text has no tags among its words: only the best is aligned."""

MEANING = """\
- The sentences, with phrases that a right translation of each tagged span may have, were written by hand
  ([benchmarks/markup](../benchmarks/markup/sentences.py)): 50 a direction, short ones of everyday language in the first
  half, longer ones in the second. The rules of placing were chosen by the first half, and by 100 short sentences whose
  place the second half took; it was written after that, and no rule follows from it.
- The phrases, of both halves, were revised after the answers of all three ways were seen: right wordings added, wrong
  ones taken out. Before that the second half was 88.4%, 56.7% and 45.5% exact, in the order of the table, by the
  default model of that day.
- *Exact*: the tag holds one of the phrases, no more and no less. *Too wide*: it and more. *Too narrow*: a part of it.
  *Lost*: all else, wrong words in the right place too, so a poor translation counts against who makes it.
- *By alignment* is what this page describes. *Stand-ins for tags* is what plain text gets: the model sees {1} and {2}.
  *Every text node alone* is what LibreTranslate does to HTML, here with the same model.
- *Tags broken*: answers in which a tag is missing or doubled, or does not nest.
- *Crossings broken*: of the 200 sentences with `<b>`, `<i>`, `<img/>`, `</b>`, `</i>` at borders of words, put there by
  a program: answers in which a tag is missing or doubled, or one of those that cross is out of order.
- *Placeholders lost*: of {count}, put into the same sentences by a program ({{0}}, %s, %(name)s, ${{name}},
  `<x id="3"/>`, `<x id="3"></x>`, `<code>`), those that do not come back once, character for character."""


class Row(NamedTuple):
    way: str
    half: str
    verdicts: Counter[Verdict]
    broken: int
    broken_crossings: int | None = None
    lost_placeholders: int | None = None


def page(rows: Sequence[Row], made: Sequence[str], placeholders: int) -> str:
    lines = ["# Text with markup", "", ABOUT, "", "## Where the tags go", "", *(f"*{line}*  " for line in made), ""]
    meaning = MEANING.replace("{1}", "{{1}}").replace("{2}", "{{2}}").format(count=placeholders)
    return "\n".join([*lines, *table(rows), "", meaning]) + "\n"


def table(rows: Sequence[Row]) -> list[str]:
    lines = [
        f"| | | tags | {' | '.join(VERDICTS)} | tags broken | crossings broken | placeholders lost |",
        f"|---|---|---:|{'---:|' * (len(VERDICTS) + 3)}",
    ]
    for row in rows:
        total = sum(row.verdicts.values())
        shares = " | ".join(f"{100 * row.verdicts[verdict] / total:.1f}%" for verdict in VERDICTS)
        whole = ["" if number is None else str(number) for number in (row.broken_crossings, row.lost_placeholders)]
        lines.append(f"| {row.way} | {row.half} | {total} | {shares} | {row.broken} | {' | '.join(whole)} |")
    return lines
