"""Zip files of office programs, written by hand: the parts around the text that every one of them needs."""

import io
import zipfile

XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
WORD_SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)
OFFICE = "application/vnd.openxmlformats-officedocument"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD_TYPES = {
    name: f"{OFFICE}.wordprocessingml.{kind}+xml"
    for name, kind in (
        ("document", "document.main"), ("styles", "styles"), ("settings", "settings"), ("header1", "header"),
        ("footer1", "footer"), ("footnotes", "footnotes"), ("endnotes", "endnotes"), ("comments", "comments"),
    )
}  # fmt: skip
STYLES = (
    f"<w:styles {WORD_SPACES}><w:docDefaults><w:rPrDefault><w:rPr>"
    '<w:rFonts w:ascii="Liberation Serif" w:hAnsi="Liberation Serif"/><w:sz w:val="24"/>'
    '<w:lang w:val="en-US" w:bidi="ar-SA"/></w:rPr></w:rPrDefault><w:pPrDefault/></w:docDefaults>'
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>'
    '<w:rPr><w:b/><w:sz w:val="36"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink"/><w:rPr><w:color w:val="0563C1"/>'
    '<w:u w:val="single"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="ListBullet"><w:name w:val="List Bullet"/>'
    '<w:pPr><w:ind w:left="720"/></w:pPr>'
    "</w:style></w:styles>"
)
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{title}</dc:title>'
    "<dc:creator>A. Writer</dc:creator></cp:coreProperties>"
)


def zipped(parts, stored=()):
    """Parts in their order, all on one day, so that the same parts are the same file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6))
            info.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            file.writestr(info, data)
    return out.getvalue()


def content_types(overrides):
    listed = "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in overrides.items())
    return (
        f'{XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
    )


def relationships(targets):
    """(kind, target) pairs, rId1 and so on; an address outside of the file is external."""
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{kind if "://" in kind else f"{RELATION}/{kind}"}" Target="{target}"'
        + (' TargetMode="External"/>' if "://" in target else "/>")
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'


CORE_TYPE = "application/vnd.openxmlformats-package.core-properties+xml"
CORE_RELATION = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"


def word_file(body, *, links=(), title="", styles=STYLES, **others):
    """A .docx with this text; `others` are the contents of header1, footnotes and so on, with their root element."""
    margins = " ".join(f'w:{side}="900"' for side in ("top", "right", "bottom", "left"))
    section = (
        f'<w:sectPr>{{}}<w:pgSz w:w="8000" w:h="6500"/><w:pgMar {margins} w:header="400" w:footer="400" w:gutter="0"/>'
        "</w:sectPr>"
    )
    parts = {"document": f"<w:document {WORD_SPACES}><w:body>{body}{section}</w:body></w:document>", **others}
    if styles:
        parts["styles"] = styles
    targets = [("styles", "styles.xml")] if styles else []
    targets += [("hyperlink", link) for link in links]
    listed = [*targets, *((name.rstrip("1"), f"{name}.xml") for name in others if name != "charts/chart1")]
    references = "".join(
        f'<w:{name[:-1]}Reference w:type="default" r:id="rId{len(targets) + number}"/>'
        for number, name in enumerate([name for name in others if name != "charts/chart1"], 1)
        if name in ("header1", "footer1")
    )
    parts["document"] = parts["document"].replace("<w:sectPr>{}", f"<w:sectPr>{references}")
    if "charts/chart1" in others:
        listed.append(("chart", "charts/chart1.xml"))
    types = {
        f"word/{name}.xml": WORD_TYPES.get(name, f"{OFFICE}.drawingml.chart+xml") for name in parts
    }  # fmt: skip
    package = [("officeDocument", "word/document.xml")]
    files = {}
    if title:
        types["docProps/core.xml"] = CORE_TYPE
        package.append((CORE_RELATION, "docProps/core.xml"))
        files["docProps/core.xml"] = XML + CORE.format(title=title)
    return zipped(
        {
            "[Content_Types].xml": content_types(types),
            "_rels/.rels": relationships(package),
            **{f"word/{name}.xml": XML + data for name, data in parts.items()},
            "word/_rels/document.xml.rels": relationships(listed),
            **files,
        }
    )
