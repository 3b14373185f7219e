"""From a file's bytes to its document: which finder knows the kind of file."""

from collections.abc import Callable

from attendo.documents.document import Document
from attendo.errors import DataError

# What a finder is: the bytes of a file and its name for messages, in; or an error that says what is wrong with it.
FindDocument = Callable[[bytes, str], Document]

LARGEST = 200_000_000  # bytes of a document, which is read as a whole


def finder_for(key: str) -> FindDocument | None:
    """Of a kind of file (file_kinds.py); None where there is none, and the file is lines or nothing."""
    match key:
        case "srt":
            from attendo.documents.formats.srt import find_srt

            return find_srt
        case "vtt":
            from attendo.documents.formats.vtt import find_vtt

            return find_vtt
        case "tmx":
            from attendo.documents.formats.tmx import find_tmx

            return find_tmx
        case "xliff":
            from attendo.documents.formats.xliff import find_xliff

            return find_xliff
        case "json":
            from attendo.documents.formats.json_values import find_json

            return find_json
        case "yaml":
            try:
                from attendo.documents.formats.yaml_values import find_yaml
            except ModuleNotFoundError as error:
                advice = "pip install 'attendo[files]' (--as-lines: as lines)"
                raise DataError(f"YAML needs {error.name}: {advice}") from error

            return find_yaml
        case "md":
            from attendo.documents.formats.md import find_md

            return find_md
        case "html":
            from attendo.documents.formats.html import find_html

            return find_html
        case "po":
            from attendo.documents.formats.po import find_po

            return find_po
        case "docx":
            from attendo.documents.formats.docx import find_docx

            return find_docx
        case "epub":
            from attendo.documents.formats.epub import find_epub

            return find_epub
        case "pptx":
            from attendo.documents.formats.pptx import find_pptx

            return find_pptx
        case "odt":
            from attendo.documents.formats.odt import find_odt

            return find_odt
    return None
