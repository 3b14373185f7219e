"""The samples of .odt and .odp, written by hand. `python -m tests.documents.open_samples` writes them."""

from tests.documents.laws import SAMPLES
from tests.documents.office_parts import zipped

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
BASE = "urn:oasis:names:tc:opendocument:xmlns:"
SPACES = " ".join(
    f'xmlns:{prefix}="{BASE}{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("text", "text"), ("style", "style"), ("table", "table"), ("draw", "drawing"),
        ("meta", "meta"), ("fo", "xsl-fo-compatible"), ("svg", "svg-compatible"), ("presentation", "presentation"),
    )
) + (
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:officeooo="http://openoffice.org/2009/office"'
)  # fmt: skip
BOLD = 'fo:font-weight="bold" style:font-weight-asian="bold"'  # one for each kind of script
LOOKS = {
    "T1": '<style:text-properties officeooo:rsid="0001"/>',
    "T2": f'<style:text-properties {BOLD} officeooo:rsid="0002"/>',
    "T3": f'<style:text-properties {BOLD} fo:language="en" fo:country="GB"/>',
    "T4": '<style:text-properties fo:font-style="italic"/>',
    "T5": '<style:text-properties style:text-position="super 58%"/>',
}
AUTOMATIC = "<office:automatic-styles>" + "".join(
    f'<style:style style:name="{name}" style:family="text">{says}</style:style>' for name, says in LOOKS.items()
) + "</office:automatic-styles>"  # fmt: skip


def p(*inner, style=""):
    named = f' text:style-name="{style}"' if style else ""
    return f"<text:p{named}>{''.join(inner)}</text:p>"


def h(text):
    return f'<text:h text:outline-level="1" text:style-name="Heading_20_1">{text}</text:h>'


def span(style, text):
    return f'<text:span text:style-name="{style}">{text}</text:span>'


def note(text, number=1):
    return (
        f'<text:note text:id="ftn{number}" text:note-class="footnote"><text:note-citation>{number}</text:note-citation>'
        f"<text:note-body>{p(text)}</text:note-body></text:note>"
    )


def frame(*paragraphs):
    return (
        '<draw:frame draw:name="Frame1" text:anchor-type="paragraph" svg:x="6cm" svg:y="1cm" svg:width="5cm">'
        f'<draw:text-box fo:min-height="1cm">{"".join(paragraphs)}</draw:text-box></draw:frame>'
    )


def styles(header="", footer=""):
    inside = "".join(
        f"<style:{name}>{text}</style:{name}>" for name, text in (("header", header), ("footer", footer)) if text
    )
    return (
        f'{XML}<office:document-styles {SPACES} office:version="1.2"><office:styles><style:default-style'
        ' style:family="paragraph"><style:text-properties style:font-name="Liberation Serif" fo:font-size="12pt"'
        ' fo:language="en" fo:country="US" style:language-asian="ja" style:country-asian="JP"/></style:default-style>'
        '<style:style style:name="Heading_20_1" style:family="paragraph"><style:text-properties'
        ' fo:font-size="18pt" style:font-size-asian="18pt" style:font-weight-asian="bold"'
        ' fo:font-weight="bold"/></style:style></office:styles><office:automatic-styles><style:page-layout'
        ' style:name="pm1"><style:page-layout-properties fo:page-width="14cm" fo:page-height="11cm" fo:margin="1.5cm"/>'
        "<style:header-style/><style:footer-style/></style:page-layout></office:automatic-styles><office:master-styles>"
        f'<style:master-page style:name="Standard" style:page-layout-name="pm1">{inside}</style:master-page>'
        "</office:master-styles></office:document-styles>"
    )


def open_file(body, *, kind="text", title="", header="", footer="", automatic=AUTOMATIC):
    mime = f"application/vnd.oasis.opendocument.{kind}"
    files = {
        "content.xml": f'{XML}<office:document-content {SPACES} office:version="1.2">{automatic}<office:body>'
        f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        "styles.xml": styles(header, footer),
        "meta.xml": f'{XML}<office:document-meta {SPACES} office:version="1.2"><office:meta>'
        f"<dc:title>{title}</dc:title>"
        "</office:meta></office:document-meta>",
    }
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>' for name in files
    )
    manifest = (
        f'{XML}<manifest:manifest xmlns:manifest="{BASE}manifest:1.0" manifest:version="1.2"><manifest:file-entry'
        f' manifest:full-path="/" manifest:version="1.2" manifest:media-type="{mime}"/>{listed}</manifest:manifest>'
    )
    return zipped({"mimetype": mime, **files, "META-INF/manifest.xml": manifest}, stored=("mimetype",))


def cell(*inner):
    return f'<table:table-cell office:value-type="string">{"".join(inner)}</table:table-cell>'


def table(name, *rows):
    inside = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    columns = f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>'
    return f'<table:table table:name="{name}">{columns}{inside}</table:table>'


REFERENCE = '<text:bookmark-ref text:ref-name="b">here</text:bookmark-ref>'
REMARK = (
    '<office:annotation office:name="a1"><dc:creator>A</dc:creator><dc:date>2026-01-02T03:04:05</dc:date>'
    "<text:p>Is this true?</text:p></office:annotation>"
)
DELETED = (
    '<text:tracked-changes><text:changed-region text:id="ct1"><text:deletion><office:change-info><dc:creator>A'
    "</dc:creator></office:change-info><text:p>Gone for good.</text:p></text:deletion></text:changed-region>"
    '<text:changed-region text:id="ct2"><text:insertion><office:change-info><dc:creator>A</dc:creator>'
    "</office:change-info></text:insertion></text:changed-region></text:tracked-changes>"
)


def samples():
    yield (
        "many_spans",
        open_file(
            h("One sentence, many spans")
            + p(
                "The com", span("T1", "mit"), "tee ", span("T2", "has "), span("T3", "not"), span("T4", " "), "decided."
            )
            + p(span("T2", "All of it is bold"), " but this."),
            title="A report &amp; more",
        ),
    )
    yield "inside_a_word", open_file(
        p("Un", span("T2", "break"), "able &lt;glass&gt; is ", span("T4", "very"), " dear.")
        + p("e = mc", span("T5", "2"))
        + p("")  + "<text:p/>" + p("It stands.")
    )  # fmt: skip
    link = '<text:a xlink:type="simple" xlink:href="https://example.org/">{}</text:a>'
    yield "links", open_file(
        p("Read the ", link.format("whole " + span("T2", "report")), " first.")
        + p("See ", link.format(span("T4", "there")), " or ", REFERENCE, ".")
        + p('<text:bookmark-start text:name="b"/>Marked', '<text:bookmark-end text:name="b"/> words ',
            '<text:bookmark text:name="c"/>stay marked.')
    )  # fmt: skip
    yield (
        "white_space",
        open_file(
            p('Two <text:s text:c="3"/>spaces, a<text:s/>word,', "<text:tab/>a tab", "<text:line-break/>and a line.")
            + p("  Spaces at\n  the edges  ")
        ),
    )
    yield (
        "notes",
        open_file(
            h("Rivers and lakes")
            + p(
                "The river",
                note("It begins in the mountains."),
                " is long, and the lake",
                note("Nobody measured it.", 2),
                " deep.",
            )
            + p("Water boils at ", REMARK, "ninety", '<office:annotation-end office:name="a1"/>', " degrees.")
        ),
    )
    yield (
        "text_boxes",
        open_file(
            p("The picture ", frame(p("Look at ", span("T2", "this")), p("box!")), "is on the right.")
            + p(frame(p("Alone ", frame(p("A box in a box")))))
        ),
    )
    yield "tables_and_lists", open_file(
        table("t1", [cell(p("Name")), cell(p("Price"))],
              [cell(p("Green tea")), cell(p("12.50"))],
              [cell(table("t2", [cell(p("a table")), cell(p("in a table"))])), cell(p("Total"), p("about twelve"))])
        + f"<text:list><text:list-item>{p('Milk')}"
        f"<text:list><text:list-item>{p('from goats')}</text:list-item></text:list>"
        f"</text:list-item><text:list-header>{p('Other things')}</text:list-header></text:list>"
    )  # fmt: skip
    yield "tracked_changes", open_file(
        DELETED
        + p('The meeting is on <text:change text:change-id="ct1"/>', '<text:change-start text:change-id="ct2"/>Tuesday',
            '<text:change-end text:change-id="ct2"/> at noon.')
    )  # fmt: skip
    yield (
        "headers_and_fields",
        open_file(
            p("Made on ", "<text:date>01/02/26</text:date>", " by ", "<text:author-name>A</text:author-name>", ".")
            + p(
                "Figure ",
                '<text:sequence text:name="Figure" text:formula="ooow:Figure+1">1</text:sequence>',
                ": a lake",
            ),
            header=p("Yearly report"),
            footer=p("Page ", '<text:page-number text:select-page="current">1</text:page-number>'),
        ),
    )
    yield (
        "chinese",
        open_file(p("我住在", span("T2", "北京"), "，", span("T1", "已经十年了。")), title="十年", automatic=AUTOMATIC),
    )
    pages = "".join(
        f'<draw:page draw:name="page{number}" draw:master-page-name="Standard"><draw:frame svg:x="1cm" svg:y="1cm"'
        f' svg:width="10cm" svg:height="3cm"><draw:text-box>{p(text)}</draw:text-box></draw:frame><presentation:notes>'
        f'<draw:frame svg:width="10cm" svg:height="3cm"><draw:text-box>{p("Say it slowly.")}</draw:text-box>'
        f"</draw:frame>"
        "</presentation:notes></draw:page>"
        for number, text in enumerate(("Good " + span("T2", "morning"), "Thank you"), 1)
    )
    yield "slides.odp", open_file(pages, kind="presentation")


if __name__ == "__main__":
    for name, data in samples():
        (SAMPLES / "odt" / (name if "." in name else f"{name}.odt")).write_bytes(data)
