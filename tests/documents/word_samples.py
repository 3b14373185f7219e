"""The samples of .docx, each a hard case of what Word writes. `python -m tests.documents.word_samples` writes them."""

from tests.documents.laws import SAMPLES
from tests.documents.office_parts import WORD_SPACES, word_file


def t(text):
    return f'<w:t xml:space="preserve">{text}</w:t>'


def run(text, look="", rsid=""):
    properties = f"<w:rPr>{look}</w:rPr>" if look else ""
    opened = f'<w:r w:rsidR="{rsid}">' if rsid else "<w:r>"
    return f"{opened}{properties}{text if text.startswith('<') else t(text)}</w:r>"


def paragraph(*runs, properties=""):
    opened = f"<w:p><w:pPr>{properties}</w:pPr>" if properties else "<w:p>"
    return f"{opened}{''.join(runs)}</w:p>"


def heading(text):
    return paragraph(run(text), properties='<w:pStyle w:val="Heading1"/>')


def field(instruction, result, look=""):
    marks = [f'<w:fldChar w:fldCharType="{kind}"/>' for kind in ("begin", "separate", "end")]
    told = f'<w:instrText xml:space="preserve"> {instruction} </w:instrText>'
    return run(marks[0]) + run(told) + run(marks[1]) + run(result, look) + run(marks[2])


def table(*rows):
    cells = "".join(
        "<w:tr>" + "".join(f'<w:tc><w:tcPr><w:tcW w:w="2500" w:type="dxa"/></w:tcPr>{cell}</w:tc>' for cell in row)
        + "</w:tr>"
        for row in rows
    )  # fmt: skip
    borders = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="000000"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    grid = '<w:gridCol w:w="2500"/>' * 2
    properties = f'<w:tblW w:w="0" w:type="auto"/><w:tblBorders>{borders}</w:tblBorders>'
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{cells}</w:tbl>"


def text_box(*paragraphs, number=1):
    """As Word writes it: once for itself, and once for programs that know only the older form."""
    inner = f"<w:txbxContent>{''.join(paragraphs)}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>'
        '<wp:anchor distT="0" distB="0" distL="114300" distR="114300" simplePos="0" relativeHeight="2" behindDoc="0"'
        ' locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>'
        '<wp:positionH relativeFrom="column"><wp:posOffset>2200000</wp:posOffset></wp:positionH>'
        '<wp:positionV relativeFrom="paragraph"><wp:posOffset>350000</wp:posOffset></wp:positionV>'
        '<wp:extent cx="1800000" cy="800000"/><wp:effectExtent l="0" t="0" r="0" b="0"/><wp:wrapTopAndBottom/>'
        f'<wp:docPr id="{number}" name="Box {number}"/><wp:cNvGraphicFramePr/><a:graphic>'
        '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>'
        '<wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1800000" cy="800000"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:ln w="6350">'
        '<a:solidFill><a:srgbClr val="000000"/></a:solidFill>'
        f"</a:ln></wps:spPr><wps:txbx>{inner}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor>"
        "</w:drawing></mc:Choice><mc:Fallback><w:pict>"
        f'<v:rect style="width:140pt;height:60pt"><v:textbox>{inner}</v:textbox></v:rect></w:pict></mc:Fallback>'
        "</mc:AlternateContent></w:r>"
    )


BOLD, ITALIC = "<w:b/>", "<w:i/>"
NOTE_MARK = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'


def footnotes(*notes):
    listed = "".join(
        f'<w:footnote w:id="{number}"><w:p><w:r>{NOTE_MARK}<w:footnoteRef/></w:r>{run(" " + note)}</w:p></w:footnote>'
        for number, note in enumerate(notes, 2)
    )
    bars = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{kind}/></w:r></w:p></w:footnote>'
        for number, kind in enumerate(("separator", "continuationSeparator"))
    )
    return f"<w:footnotes {WORD_SPACES}>{bars}{listed}</w:footnotes>"


def note_reference(number):
    return f'<w:r>{NOTE_MARK}<w:footnoteReference w:id="{number}"/></w:r>'


CHART = (
    '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p>'
    '<a:pPr><a:defRPr/></a:pPr><a:r><a:rPr lang="en-US" dirty="0"/><a:t>Rain </a:t></a:r><a:r><a:rPr lang="en-GB"/>'
    "<a:t>in the mountains</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:layout/></c:plotArea></c:chart>"
    "</c:chartSpace>"
)
SDT_END = "</w:sdtContent></w:sdt>"
LANG = '<w:lang w:val="en-GB"/>'


def samples():
    yield (
        "many_runs",
        word_file(
            heading("One sentence, many runs")
            + "<w:p>"
            + run("The com", rsid="00AA0001")
            + '<w:proofErr w:type="spellStart"/>'
            + run("mit", "<w:noProof/>", rsid="00AA0002")
            + '<w:proofErr w:type="spellEnd"/>'
            + run("tee ", LANG)
            + run("has ", BOLD + LANG)
            + run("not", BOLD)
            + run(" ", ITALIC)
            + run("decided ")
            + "<w:r><w:t>any</w:t><w:lastRenderedPageBreak/><w:t>thing</w:t></w:r>"
            + "<w:r><w:t>  </w:t></w:r><w:r><w:t/></w:r><w:r/>"
            + run(" yet.")
            + "</w:p>",
            title="A report &amp; more",
        ),
    )
    yield (
        "bold_in_a_word",
        word_file(
            paragraph(run("Un"), run("break", BOLD), run("able &lt;glass&gt; is "), run("very", ITALIC), run(" dear."))
            + paragraph(run("Everything here is bold, ", BOLD), run("but this", ""), run(" is not.", ""))
            + paragraph(run("H"), run("2", '<w:vertAlign w:val="subscript"/>'), run("O is water."))
        ),
    )
    link = '<w:hyperlink r:id="rId2" w:history="1">{}</w:hyperlink>'
    style = '<w:rStyle w:val="Hyperlink"/>'
    yield "links", word_file(
        paragraph(run("Read the "), link.format(run("whole ", style) + run("report", style + BOLD)), run(" first."))
        + paragraph(run("Or look "), field('HYPERLINK "https://example.org/"', "over there", style), run("."))
        + paragraph(
            run("Some "), f'<w:fldSimple w:instr=" HYPERLINK &quot;x&quot; ">{run("old link")}</w:fldSimple>',
            run(" and "), f'<w:smartTag w:uri="u" w:element="place">{run("Paris")}</w:smartTag>', run(" too."),
        ),
        links=["https://example.org/report"],
    )  # fmt: skip
    yield "fields", word_file(
        paragraph(run("Table of contents"), properties='<w:pStyle w:val="Heading1"/>')
        + paragraph(
            run('<w:fldChar w:fldCharType="begin"/>'),
            run('<w:instrText xml:space="preserve"> TOC \\o "1-3" </w:instrText>'),
            run('<w:fldChar w:fldCharType="separate"/>'),
            '<w:hyperlink w:anchor="_Toc1">', run("First chapter"), run("<w:tab/>"), field("PAGEREF _Toc1", "1"),
            "</w:hyperlink>",
        )
        + paragraph(run("Second chapter"), run("<w:tab/>"), field("PAGEREF _Toc2", "7"))
        + paragraph(run('<w:fldChar w:fldCharType="end"/>'))
        + paragraph(run("See page "), field("PAGE", "3"), run(" of "), field("NUMPAGES", "9"), run(" pages."))
        + paragraph(
            f'<w:r>{t("Made on ")}<w:fldChar w:fldCharType="begin"/><w:instrText> DATE </w:instrText>'
            '<w:fldChar w:fldCharType="separate"/><w:t>today</w:t><w:fldChar w:fldCharType="end"/>'
            + t(" by me.") + "</w:r>"
        )
        + paragraph(run("Figure "), f'<w:fldSimple w:instr=" SEQ Figure ">{run("1")}</w:fldSimple>', run(": a lake")),
    )  # fmt: skip
    yield "footnotes", word_file(
        paragraph(
            '<w:bookmarkStart w:id="0" w:name="_Toc1"/>', run("Rivers and lakes"), '<w:bookmarkEnd w:id="0"/>',
            properties='<w:pStyle w:val="Heading1"/>',
        )
        + paragraph(
            run("The river"), note_reference(2), run(" is long, and the lake"), note_reference(3), run(" deep."),
        ),
        footnotes=footnotes("It begins in the mountains.", "Nobody has measured it."),
    )  # fmt: skip
    yield "text_boxes", word_file(
        paragraph(
            run("The picture "), text_box(paragraph(run("Look at "), run("this", BOLD)), paragraph(run("box!"))),
            run("is on the right."),
        )
        + paragraph(text_box(paragraph(run("Alone"), text_box(paragraph(run("A box in a box")), number=3)), number=2))
    )  # fmt: skip
    yield (
        "tables",
        word_file(
            table(
                [paragraph(run("Name")), paragraph(run("Price"))],
                [paragraph(run("Green tea")), paragraph(run("12.50"))],
                [
                    table([paragraph(run("a table")), paragraph(run("in a table"))]) + paragraph(),
                    paragraph(run("Total:"), run("<w:tab/>"), run("about twelve")),
                ],
            )
            + paragraph(
                run("First line"), run("<w:br/>"), run("second line."), run('<w:br w:type="page"/>'), run("Next page")
            )
        ),
    )
    who = 'w:id="{}" w:author="A" w:date="2026-01-02T03:04:05Z"'
    yield "tracked_changes", word_file(
        paragraph(
            run("The meeting is on "),
            f'<w:del {who.format(1)}><w:r><w:delText xml:space="preserve">Monday</w:delText></w:r></w:del>',
            f'<w:ins {who.format(2)}>{run("Tuesday")}</w:ins>', run(" at noon."),
        )
        + paragraph(
            f'<w:moveFromRangeStart {who.format(3)} w:name="m"/><w:moveFrom {who.format(4)}>{run("Gone.")}</w:moveFrom>'
            '<w:moveFromRangeEnd w:id="3"/>',
            run("What stays."),
        )
    )  # fmt: skip
    comment = f'<w:comment {who.format(0)} w:initials="A"><w:p>{run("Is this true?")}</w:p></w:comment>'
    yield "comments_and_headers", word_file(
        paragraph(
            run("Water boils at "), '<w:commentRangeStart w:id="0"/>', run("ninety"), run(" degrees", BOLD),
            '<w:commentRangeEnd w:id="0"/>', run('<w:commentReference w:id="0"/>'), run(" up here."),
        )
        + paragraph(
            '<w:bookmarkStart w:id="1" w:name="one"/>', run("Marks "), '<w:bookmarkStart w:id="2" w:name="two"/>',
            run("that "), '<w:bookmarkEnd w:id="1"/>', run("cross"), '<w:bookmarkEnd w:id="2"/>', run("."),
        )
        + paragraph(
            run("With "),
            "<m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>",
            run(" apples and "),
            '<w:sdt><w:sdtPr><w:alias w:val="fruit"/></w:sdtPr><w:sdtContent>' + run("some pears") + SDT_END,
            "<w:sdt><w:sdtPr><w:dropDownList/></w:sdtPr><w:sdtContent>" + run("kept") + SDT_END, run("."),
        ),
        comments=f"<w:comments {WORD_SPACES}>{comment}</w:comments>",
        header1=f"<w:hdr {WORD_SPACES}>{paragraph(run('Yearly report'))}</w:hdr>",
        footer1=f"<w:ftr {WORD_SPACES}>{paragraph(run('Page '), field('PAGE', '1'))}</w:ftr>",
        **{"charts/chart1": CHART},
    )  # fmt: skip
    asian = '<w:rFonts w:eastAsia="SimSun"/><w:lang w:eastAsia="zh-CN"/>'
    yield "chinese", word_file(
        paragraph(run("我住在", asian), run("北京", asian + BOLD), run("，", asian), run("已经十年了。", asian))
        + paragraph(
            run("第一点"), properties='<w:pStyle w:val="ListBullet"/>'
        )
        + paragraph(run("Mixed 中文 and English."), properties='<w:jc w:val="center"/>'),
        styles="",
    )  # fmt: skip


if __name__ == "__main__":
    for name, data in samples():
        (SAMPLES / "docx" / f"{name}.docx").write_bytes(data)
