"""The samples of .epub, written by hand. `python -m tests.documents.book_samples` writes them."""

from urllib.parse import unquote

from tests.documents.laws import SAMPLES
from tests.documents.office_parts import zipped

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'
NCX_TYPE = "application/x-dtbncx+xml"


def page(body, title="A chapter", head="", attributes='lang="en" xml:lang="en"'):
    return (
        f'{XML}<!DOCTYPE html>\n<html {XHTML} xmlns:epub="http://www.idpf.org/2007/ops" {attributes}>\n'
        f"<head><title>{title}</title>{head}</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def navigation(*entries):
    listed = "".join(f'<li><a href="{href}">{text}</a></li>' for href, text in entries)
    return page(f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{listed}</ol></nav>', "Contents")


def ncx(title, *entries):
    points = "".join(
        f'<navPoint id="n{number}" playOrder="{number}"><navLabel><text>{text}</text></navLabel><content src="{href}"/>'
        "</navPoint>"
        for number, (href, text) in enumerate(entries, 1)
    )
    return (
        f'{XML}<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head/>'
        f"<docTitle><text>{title}</text></docTitle><navMap>{points}</navMap></ncx>"
    )


def book(
    pages, *, title="A small book", more="", folder="OEBPS/", others=(), version="3.0", name="content.opf", meta=()
):
    """`pages` by their names; `others` are (name, kind, data)."""
    items = "".join(
        f'<item id="i{number}" href="{href}" media-type="{kind}"' + (NAVIGATION if href == "nav.xhtml" else "/>")
        for number, (href, kind) in enumerate(
            [*((one, "application/xhtml+xml") for one in pages), *((one, kind) for one, kind, _ in others)]
        )
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number, one in enumerate(pages) if one != "nav.xhtml")
    package = (
        f'{XML}<package xmlns="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="id">\n<metadata'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/">\n<dc:identifier id="id">urn:x:1</dc:identifier>\n'
        f"<dc:title>{title}</dc:title>\n<dc:language>en</dc:language>\n"
        f"<dc:creator>A. Writer</dc:creator>\n{more}</metadata>\n"
        f"<manifest>{items}</manifest>\n<spine>{spine}</spine>\n</package>\n"
    )
    container = (
        f'{XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        f'<rootfile full-path="{folder}{name}" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            **dict(meta),
            f"{folder}{name}": package,
            **{f"{folder}{unquote(one)}": data for one, data in pages.items()},
            **{f"{folder}{one}": data for one, _, data in others},
        },
        stored=("mimetype", f"{folder}cover.png"),
    )


NAVIGATION = ' properties="nav"/>'
FONT = (
    f'{XML}<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
    ' xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
    '<enc:EncryptionMethod Algorithm="{}"/><enc:CipherData><enc:CipherReference URI="OEBPS/a.otf"/></enc:CipherData>'
    "</enc:EncryptedData></encryption>"
)
PNG = bytes.fromhex("89504e470d0a1a0a") + bytes(range(200))


ENTRIES = [("one.xhtml", "Where it begins"), ("one.xhtml#b", "Tea &amp; rain")]
CAT = '<figure><img src="cover.png" alt="A cat on a wall"/><figcaption>The cat</figcaption></figure>'
POEM = "<h2>Evening</h2><p>The wind is low,<br/>the leaves are still,<br/>\nand snow\nwill fall.</p>"


def samples():
    yield (
        "plain",
        book(
            {
                "nav.xhtml": navigation(("one.xhtml", "The first day"), ("two.xhtml", "The second day")),
                "one.xhtml": page(
                    "<h1>The first day</h1>\n<p>It was raining.</p>\n<p>Nobody came.</p>", "The first day"
                ),
                "two.xhtml": page("<h1>The second day</h1><p>The sun was shining.</p>", "The second day"),
            }
        ),
    )
    yield "old_form", book(
        {"one.xhtml": page("<p>An older book.</p>", attributes="")},
        others=[("toc.ncx", NCX_TYPE, ncx("An older book", *ENTRIES))],
        version="2.0",
        title="An older book",
    )  # fmt: skip
    yield (
        "inline_tags",
        book(
            {
                "one.xhtml": page(
                    '<p>She read <em>The <b>red</b> house</em> by <a href="two.xhtml#x" title="the writer">him</a>.</p>'
                    '<p id="p2">A note<sup><a epub:type="noteref" href="#n1">1</a></sup> is below.<br/>A new line.</p>'
                    '<aside epub:type="footnote" id="n1"><p>The note itself.</p></aside>'
                )
            }
        ),
    )
    yield (
        "entities",
        book(
            {
                "one.xhtml": page("<p>Tea&#160;&amp; coffee &lt;hot&gt; &#x2014; caf&#233;</p>").replace(
                    "<!DOCTYPE html>",
                    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">',
                )
            },
            title="Tea &amp; &#8220;coffee&#8221;",
            more="<dc:description>&lt;p&gt;A book of &lt;b&gt;hot&lt;/b&gt; drinks.&lt;/p&gt;</dc:description>\n",
        ),
    )
    yield "pictures_and_fonts", book(
        {"one.xhtml": page(CAT)},
        others=[("cover.png", "image/png", PNG), ("a.otf", "font/otf", b"OTTO"), ("s.css", "text/css", b"p {}")],
        meta=[("META-INF/encryption.xml", FONT.format("http://www.idpf.org/2008/embedding"))],
    )  # fmt: skip
    yield (
        "tables_and_lists",
        book(
            {
                "one.xhtml": page(
                    "<ul><li>Milk</li><li>Bread <i>and butter</i></li></ul><table><tr><th>Day</th><th>Weather</th></tr>"
                    "<tr><td>Monday</td><td>Morning rain</td></tr></table><blockquote><p>Be quiet.</p></blockquote>"
                )
            }
        ),
    )
    yield (
        "code_and_scripts",
        book(
            {
                "one.xhtml": page(
                    "<p>Type <code>ls -l</code> and press Enter.</p><pre>for x in list: print(x)</pre><!-- a remark -->"
                    '<p translate="no">Keep this</p><svg xmlns="http://www.w3.org/2000/svg"><text>Kept</text></svg>',
                    head="<style>p { color: red }</style><script>var words = 'not these';</script>",
                )
            }
        ),
    )
    yield "other_folders", book(
        {"text/%E7%AB%A0%201.xhtml": page("<p>In a folder.</p>")}, folder="", name="book.opf",
    )  # fmt: skip
    yield (
        "poem",
        book(
            {"one.xhtml": page(POEM)},
            title="Evening",
        ),
    )
    yield (
        "chinese",
        book(
            {
                "one.xhtml": page(
                    "<h1>第一章</h1><p>我住在<b>北京</b>，已经十年了。</p>", "第一章", attributes='lang="zh"'
                )
            },
            title="十年",
            more="<dc:description>一本小书。</dc:description>\n",
        ),
    )


if __name__ == "__main__":
    for name, data in samples():
        (SAMPLES / "epub" / f"{name}.epub").write_bytes(data)
