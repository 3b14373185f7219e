"""The samples of .pptx, written by hand. `python -m tests.documents.slide_samples` writes them."""

from tests.documents.laws import SAMPLES
from tests.documents.office_parts import (
    CORE,
    CORE_RELATION,
    CORE_TYPE,
    OFFICE,
    XML,
    content_types,
    relationships,
    zipped,
)
from tests.documents.word_samples import CHART

SPACES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
GROUP = (
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>'
    '<a:off x="0" y="0"/>'
    '<a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'
)
SIZE = '<p:sldSz cx="6000000" cy="4000000"/><p:notesSz cx="4000000" cy="6000000"/>'
COLOURS = "".join(
    f'<a:{name}><a:srgbClr val="{value}"/></a:{name}>'
    for name, value in (
        ("dk1", "000000"), ("lt1", "FFFFFF"), ("dk2", "222222"), ("lt2", "EEEEEE"), ("accent1", "336699"),
        ("accent2", "993333"), ("accent3", "339933"), ("accent4", "663399"), ("accent5", "339999"),
        ("accent6", "996633"), ("hlink", "0000FF"), ("folHlink", "800080"),
    )
)  # fmt: skip
FONT = '<a:latin typeface="Liberation Sans"/><a:ea typeface=""/><a:cs typeface=""/>'
FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
THEME = (
    f'{XML}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="t"><a:themeElements>'
    f'<a:clrScheme name="c">{COLOURS}</a:clrScheme><a:fontScheme name="f"><a:majorFont>{FONT}</a:majorFont>'
    f'<a:minorFont>{FONT}</a:minorFont></a:fontScheme><a:fmtScheme name="m"><a:fillStyleLst>{FILL * 3}</a:fillStyleLst>'
    f"<a:lnStyleLst>{f'<a:ln>{FILL}</a:ln>' * 3}</a:lnStyleLst><a:effectStyleLst>"
    f"{'<a:effectStyle><a:effectLst/></a:effectStyle>' * 3}</a:effectStyleLst>"
    f"<a:bgFillStyleLst>{FILL * 3}</a:bgFillStyleLst>"
    "</a:fmtScheme></a:themeElements></a:theme>"
)
MAP = (
    '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3"'
    ' accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
)


def run(text, properties='lang="en-US" dirty="0"', inner=""):
    return f"<a:r><a:rPr {properties}>{inner}</a:rPr><a:t>{text}</a:t></a:r>"


def paragraph(*runs, properties="", end='<a:endParaRPr lang="en-US"/>'):
    return f"<a:p>{properties}{''.join(runs)}{end}</a:p>"


def shape(*paragraphs, number=2, top=300000, holder="", height=900000):
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="Shape {number}"/><p:cNvSpPr txBox="1"/><p:nvPr>{holder}</p:nvPr>'
        f'</p:nvSpPr><p:spPr><a:xfrm><a:off x="400000" y="{top}"/><a:ext cx="5000000" cy="{height}"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:lstStyle/>{''.join(paragraphs)}</p:txBody></p:sp>"
    )


def table(*rows):
    columns = '<a:gridCol w="2400000"/>' * len(rows[0])
    inside = "".join(
        '<a:tr h="400000">' + "".join(f"<a:tc><a:txBody><a:bodyPr/>{cell}</a:txBody><a:tcPr/></a:tc>" for cell in row)
        + "</a:tr>"
        for row in rows
    )  # fmt: skip
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Table"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="400000" y="400000"/><a:ext cx="4800000" cy="900000"/></p:xfrm>'
        "<a:graphic>"
        f'<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr/>'
        f"<a:tblGrid>{columns}"
        f"</a:tblGrid>{inside}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


def sheet(kind, *shapes, after=""):
    return f"{XML}<p:{kind} {SPACES}><p:cSld><p:spTree>{GROUP}{''.join(shapes)}</p:spTree></p:cSld>{after}</p:{kind}>"


def slides(*pages, notes="", links=(), others=(), title=""):
    """A presentation; `others` are (name, content type, relation, data) of the first slide."""
    kind = f"{OFFICE}.presentationml."
    types = {
        "ppt/presentation.xml": f"{kind}presentation.main+xml", "ppt/theme/theme1.xml": f"{OFFICE}.theme+xml",
        "ppt/slideMasters/slideMaster1.xml": f"{kind}slideMaster+xml",
        "ppt/slideLayouts/slideLayout1.xml": f"{kind}slideLayout+xml",
        **{f"ppt/slides/slide{number}.xml": f"{kind}slide+xml" for number in range(1, len(pages) + 1)},
        **{f"ppt/{name}": type_ for name, type_, _, _ in others},
    }  # fmt: skip
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number + 2}"/>' for number in range(1, len(pages) + 1))
    prompt = shape(paragraph(run("Click to add a title")), holder='<p:ph type="title"/>')
    layouts = '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'
    files = {
        "ppt/presentation.xml": f"{XML}<p:presentation {SPACES}><p:sldMasterIdLst><p:sldMasterId"
        f' id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>{listed}</p:sldIdLst>{SIZE}</p:presentation>',
        "ppt/_rels/presentation.xml.rels": relationships(
            [("slideMaster", "slideMasters/slideMaster1.xml"), ("theme", "theme/theme1.xml")]
            + [("slide", f"slides/slide{number}.xml") for number in range(1, len(pages) + 1)]
        ),
        "ppt/slideMasters/slideMaster1.xml": sheet("sldMaster", prompt, after=MAP + layouts),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": relationships(
            [("slideLayout", "../slideLayouts/slideLayout1.xml"), ("theme", "../theme/theme1.xml")]
        ),
        "ppt/slideLayouts/slideLayout1.xml": sheet("sldLayout", prompt),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relationships(
            [("slideMaster", "../slideMasters/slideMaster1.xml")]
        ),
        "ppt/theme/theme1.xml": THEME,
    }
    for number, page in enumerate(pages, 1):
        files[f"ppt/slides/slide{number}.xml"] = sheet("sld", page)
        targets = [("slideLayout", "../slideLayouts/slideLayout1.xml")]
        if number == 1:
            targets += [("hyperlink", link) for link in links]
            targets += [(relation, f"../{name}") for name, _, relation, _ in others]
            targets += [("notesSlide", "../notesSlides/notesSlide1.xml")] if notes else []
        files[f"ppt/slides/_rels/slide{number}.xml.rels"] = relationships(targets)
    if notes:
        types["ppt/notesSlides/notesSlide1.xml"] = f"{kind}notesSlide+xml"
        files["ppt/notesSlides/notesSlide1.xml"] = sheet("notes", notes)
        files["ppt/notesSlides/_rels/notesSlide1.xml.rels"] = relationships([("slide", "../slides/slide1.xml")])
    files |= {f"ppt/{name}": data for name, _, _, data in others}
    package = [("officeDocument", "ppt/presentation.xml")]
    if title:
        types["docProps/core.xml"] = CORE_TYPE
        package.append((CORE_RELATION, "docProps/core.xml"))
        files["docProps/core.xml"] = XML + CORE.format(title=title)
    return zipped({"[Content_Types].xml": content_types(types), "_rels/.rels": relationships(package), **files})


BOLD = 'lang="en-US" b="1" dirty="0"'
NUMBER = '<a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:rPr lang="en-US"/><a:t>1</a:t></a:fld>'
DIAGRAM = (
    f'{XML}<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="1"><dgm:prSet/>'
    "<dgm:spPr/>"
    f"<dgm:t><a:bodyPr/><a:lstStyle/>{paragraph(run('Ask '), run('first', BOLD))}</dgm:t></dgm:pt></dgm:ptLst>"
    f"</dgm:dataModel>"
)
COMMENTS = (
    f'{XML}<p:cmLst {SPACES}><p:cm authorId="0" idx="1"><p:pos x="1" y="1"/>'
    "<p:text>Is this true?</p:text></p:cm></p:cmLst>"
)


def samples():
    yield (
        "plain",
        slides(
            shape(paragraph(run("Tea and time")), holder='<p:ph type="title"/>')
            + shape(paragraph(run("It is early.")), paragraph(run("Nobody is here.")), number=3, top=1500000),
            shape(paragraph(run("The end"))),
            title="Tea &amp; time",
        ),
    )
    yield "many_runs", slides(
        shape(
            paragraph(
                run("The com"), run("mit", 'lang="en-GB" err="1"'), run("tee ", 'lang="en-US"'), run("has ", BOLD),
                run("not", 'lang="en-GB" b="1"'), run(" decided.", ""),
            )
        )
    )  # fmt: skip
    yield (
        "bold_in_a_word",
        slides(
            shape(
                paragraph(run("Un"), run("break", BOLD), run("able &lt;glass&gt; is dear.")),
                paragraph(run("All bold", BOLD)),
            )
        ),
    )
    yield (
        "links",
        slides(
            shape(paragraph(run("Read the "), run("report", inner='<a:hlinkClick r:id="rId2"/>'), run(" first."))),
            links=["https://example.org/"],
        ),
    )
    yield "breaks_and_fields", slides(
        shape(
            paragraph(run("First line"), '<a:br><a:rPr lang="en-US"/></a:br>', run("second line.")),
            paragraph(run("Page "), NUMBER, run(" of nine")), paragraph(run("Name\tPrice"), end=""), paragraph(),
        )
    )  # fmt: skip
    yield (
        "tables",
        slides(
            table(
                [paragraph(run("Name")), paragraph(run("Price"))],
                [paragraph(run("Green "), run("tea", BOLD)), paragraph(run("12.50"))],
            )
        ),
    )
    yield (
        "notes",
        slides(
            shape(paragraph(run("Good morning"))),
            notes=shape(paragraph(run("Say it slowly, and "), run("smile", BOLD), run("."))),
        ),
    )
    yield (
        "charts_and_diagrams",
        slides(
            shape(paragraph(run("Rain"))),
            others=[
                ("charts/chart1.xml", f"{OFFICE}.drawingml.chart+xml", "chart", XML + CHART),
                ("diagrams/data1.xml", f"{OFFICE}.drawingml.diagramData+xml", "diagramData", DIAGRAM),
            ],
        ),
    )
    yield (
        "bullets_and_comments",
        slides(
            shape(
                paragraph(run("Milk"), properties='<a:pPr marL="342900" indent="-342900"><a:buChar char="•"/></a:pPr>'),
                paragraph(run("from goats"), properties='<a:pPr lvl="1"/>'),
                height=1500000,
            ),
            others=[("comments/comment1.xml", f"{OFFICE}.presentationml.comments+xml", "comments", COMMENTS)],
        ),
    )
    chinese = 'lang="zh-CN" altLang="en-US"'
    yield (
        "chinese",
        slides(
            shape(paragraph(run("我住在", chinese), run("北京", chinese + ' b="1"'), run("，已经十年了。", chinese))),
            title="十年",
        ),
    )


if __name__ == "__main__":
    for name, data in samples():
        (SAMPLES / "pptx" / f"{name}.pptx").write_bytes(data)
