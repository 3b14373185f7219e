"""From a file's bytes to its document: which finder knows the kind of file."""

from collections.abc import Callable
from importlib import import_module

from attendo.documents.document import Document
from attendo.errors import DataError

# What a finder is: the bytes of a file and its name for messages, in; or an error that says what is wrong with it.
FindDocument = Callable[[bytes, str], Document]

LARGEST = 200_000_000  # bytes of a document, which is read as a whole

# The kind of file (file_kinds.py), the file of formats/ that knows it, and the finder there.
FINDERS = {
    "srt": ("srt", "find_srt"),
    "vtt": ("vtt", "find_vtt"),
    "po": ("po", "find_po"),
    "html": ("html", "find_html"),
    "md": ("md", "find_md"),
    "docx": ("docx", "find_docx"),
    "epub": ("epub", "find_epub"),
    "tmx": ("tmx", "find_tmx"),
    "xliff": ("xliff", "find_xliff"),
    "odt": ("odt", "find_odt"),
    "pptx": ("pptx", "find_pptx"),
    "json": ("json_values", "find_json"),
    "yaml": ("yaml_values", "find_yaml"),
}


def finder_for(key: str) -> FindDocument | None:
    """Of a kind of file; None where there is none, and the file is lines or nothing."""
    if key not in FINDERS:
        return None
    file, name = FINDERS[key]
    try:
        finder: FindDocument = getattr(import_module(f"attendo.documents.formats.{file}"), name)
    except ModuleNotFoundError as error:
        advice = "pip install 'attendo[files]' (--as-lines: as lines)"
        raise DataError(f"a document of this kind ({key}) needs {error.name}: {advice}") from error
    return finder
