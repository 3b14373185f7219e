"""The table of embeddings as a page: the map, and the neighbours of every word that was asked for."""

from pathlib import Path

from attendo.inspection.drawings.embeddings import NAMES, EmbeddingMap, NearWords, draw_embeddings
from attendo.inspection.drawings.slide import picture_of
from attendo.report.language import Language, in_language
from attendo.report.page import html_text, write_html

STYLE = """
figure svg { width: 100%; height: auto; background: #fff; border: 1px solid var(--rule); }
figure { margin: 1rem 0; }
.near { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
.near table { width: 100%; border-collapse: collapse; }
.near td, .near th { padding: .15rem .5rem; text-align: left; border-bottom: 1px solid var(--rule); }
.near .number { text-align: right; color: var(--quiet); }
"""


def write_embeddings_page(shown: EmbeddingMap, path: Path, language: Language) -> None:
    tr = in_language(language)
    title = tr("One table of embeddings for all languages", "所有语言共用一张词嵌入表")
    drawing = picture_of(draw_embeddings(shown, language), "svg").decode("utf-8")
    rows, columns = shown.shape
    counts = {code: sum(one.language == code for one in shown.words) for code in NAMES}
    common = tr(", ", "、").join(f"{NAMES[code].of(language)} {count}" for code, count in counts.items() if count)
    how = tr(
        f"The table has {rows:,} rows of {columns} numbers, a row a piece. The map shows common words ({common}): the "
        "first whole words in the order of the vocabulary, which holds frequent pieces first. A piece of two Han "
        "characters or more counts as a Chinese word; in Latin letters a piece is English or German if it stands in "
        "the list of everyday words of one and not of the other. Rows are taken as directions, and the plane is that "
        "of their two principal components, so words that are near on it need not be near in the table; the numbers "
        "below are exact. ␣ is a space that belongs to a piece.",
        f"表有 {rows:,} 行，每行 {columns} 个数，对应一个子词。图中是常用词（{common}）：按词表的顺序取最前面的整词，"
        "常见的子词排在词表前面。由两个或更多汉字组成的子词算作中文词；拉丁字母的子词，如果只出现在英文或德文其中一个"
        "常用词列表里，就算作该语言的词。各行只取方向，平面由前两个主成分张成，所以图上相近的词在表中不一定相近；"
        "下面的数字是精确的。␣ 是属于子词的空格。",
    )
    parts = [
        f"<h1>{title}</h1>",
        f"<figure>{drawing[drawing.index('<svg') :]}</figure>",
        f"<p>{how}</p>",
        f"<h2>{tr('Neighbours', '近邻')}</h2>",
        *(near_table(one, language) for one in shown.near),
    ]
    write_html(path, title, parts, STYLE, language)


def near_table(one: NearWords, language: Language) -> str:
    """By cosine on the left, by product on the right."""
    tr = in_language(language)
    tables = []
    for heading, near in (
        (tr("by cosine: the angle alone", "按余弦：只看夹角"), one.by_cosine),
        (tr("by product: the lengths count too", "按内积：长度也起作用"), one.by_product),
    ):
        rows = "".join(
            f'<tr><td>{html_text(label)}</td><td class="number">{number:.3f}</td></tr>' for label, number in near
        )
        tables.append(f"<table><thead><tr><th colspan=2>{heading}</th></tr></thead><tbody>{rows}</tbody></table>")
    return f'<section><h3>{html_text(one.label)}</h3><div class="near">{"".join(tables)}</div></section>'
