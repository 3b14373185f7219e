"""One document, in a thread of its own: what kind of file it is, its texts through the queue, and the file again.

    look -> finder -> segments -> SegmentTranslator -> QueuedEngine -> put_together -> bytes and report

The sentences of a document take their turn in the queue like those of any request (batching.py).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import NamedTuple

from attendo.documents.document import Document, Writing
from attendo.documents.document_run import put_together
from attendo.documents.file_kinds import ENDINGS_OF, KEYS, MOST, look
from attendo.documents.find import FindDocument, finder_for
from attendo.documents.line_document import find_lines
from attendo.documents.segment_answer import SegmentAnswer
from attendo.documents.segment_translation import LARGEST_SAMPLE, SegmentTranslator
from attendo.documents.zip_parts import ZipParts
from attendo.errors import DataError
from attendo.server.batching import Ticket
from attendo.server.exchange import as_json
from attendo.server.job import Job, RequestError
from attendo.server.languages import resolve
from attendo.server.limits import ServerLimits
from attendo.server.models import ServedModels
from attendo.server.translate_job import options_for, targets_of
from attendo.server.uploads import UploadedFile
from attendo.text.scripts import base_language
from attendo.translation.answer import total

LINES = "lines"  # the key of a file that is lines of text
ENDINGS: Mapping[str, str] = {
    **{KEYS[name]: endings for name, endings in ENDINGS_OF.items() if name in KEYS},
    "json": ".json .arb", "md": ".md .markdown", "docx": ".docx", "pptx": ".pptx", "odt": ".odt", "epub": ".epub",
    LINES: ".txt",
}  # fmt: skip
MEDIA = re.compile(
    r"\.(png|jpe?g|gif|webp|bmp|tiff?|emf|wmf|mp[34]|m4[av]|wav|ogg|webm|ttf|otf|woff2?|odttf)$", re.IGNORECASE
)
OFFICE = "application/vnd.openxmlformats-officedocument"
MEDIA_TYPES = {
    "srt": "application/x-subrip", "vtt": "text/vtt; charset=utf-8", "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8", "json": "application/json", "yaml": "application/yaml",
    "po": "text/x-gettext-translation; charset=utf-8", "tmx": "application/x-tmx+xml",
    "xliff": "application/xliff+xml", "epub": "application/epub+zip",
    "odt": "application/vnd.oasis.opendocument.text",
    "docx": f"{OFFICE}.wordprocessingml.document", "pptx": f"{OFFICE}.presentationml.presentation",
    LINES: "text/plain; charset=utf-8",
}  # fmt: skip


@dataclass(frozen=True)
class DocumentRequest:
    """A file, and into which language it is to go."""

    file: UploadedFile
    target: str  # as the client names it
    source: str | None = None


class ReadDocument(NamedTuple):
    kind: str
    document: Document

    @property
    def characters(self) -> int:
        return sum(len(segment.text) for segment in self.document.segments)


class FinishedDocument(NamedTuple):
    name: str  # for who saves it
    media_type: str
    data: bytes
    report: bytes  # JSON

    @property
    def nbytes(self) -> int:
        return len(self.data) + len(self.report)


@cache
def known_endings() -> tuple[str, ...]:
    """Of all files that can be translated here."""
    return tuple(ending for kind, endings in ENDINGS.items() if finder_of(kind) for ending in endings.split())


def finder_of(kind: str) -> FindDocument | None:
    """None where nothing here reads such a file, or a library for it is missing."""
    if kind == LINES:
        return find_lines
    try:
        return finder_for(kind)
    except (DataError, ImportError):
        return None


def read_document(file: UploadedFile, limits: ServerLimits) -> ReadDocument:
    """What the file is and what is to be translated in it; what is wrong with it is its client's to know."""
    name, data = file
    kind = look(data[:MOST], name)
    key = kind.key if kind else LINES
    find = finder_of(key) if key else None
    if find is None:
        what = kind.name if kind else "text"
        raise RequestError("bad-request", f"{name} is {what}: this server translates {', '.join(known_endings())}")
    try:
        check_size(text_bytes(data, name), "bytes without its pictures", name, limits.document_text_bytes)
        found = ReadDocument(key, find(data, name))
    except DataError as error:
        raise RequestError("bad-request", str(error)) from error
    check_size(found.characters, "characters of text", name, limits.document_characters)
    return found


def check_size(size: int, what: str, name: str, most: int) -> None:
    if size > most:
        raise RequestError("too-large", f"{name} has {size:,} {what}: expected at most {most:,}")


def text_bytes(data: bytes, name: str) -> int:
    """Of all that a finder may have to read: in an archive all parts, unpacked, but pictures, sounds and fonts, which
    no packing makes much smaller. A part that is called a picture and shrinks like text is none."""
    if not data.startswith(b"PK"):
        return len(data)
    entries = ZipParts.read(data, name).entries
    return sum(one.unpacked for one in entries if not (MEDIA.search(one.name) and one.unpacked < 1.5 * one.packed))


def check_languages(asked: DocumentRequest, models: ServedModels) -> None:
    """Before anything is read: a language that no model has."""
    job = job_of(asked)
    source, target = resolve(job.source), targets_of(job)[0]
    models.sources_for(target)
    if source and base_language(source) != base_language(target):
        models.route("", source, target)


def job_of(asked: DocumentRequest) -> Job:
    return Job(texts=(), targets=(asked.target,), source=asked.source)


def translate_document(
    asked: DocumentRequest,
    models: ServedModels,
    ticket: Ticket,
    limits: ServerLimits,
    beam: int | None,
    progress: Callable[[int], None],
) -> FinishedDocument:
    """`progress` is told how many characters have been translated, of those that are different."""
    kind, document = read_document(asked.file, limits)
    job = job_of(asked)
    source, target = resolve(job.source), targets_of(job)[0]
    route = models.route(sample_of(document), source, target)
    translator = route.model.translator_for(ticket)
    asking = SegmentTranslator(translator, target, route.source if source else None, options_for(job, beam))
    writing = Writing(target, asking.source_language(document.segments))
    try:
        document = document.aimed(writing)
    except DataError as error:  # it says itself into which language it goes, and it is another
        raise RequestError("bad-request", str(error)) from error
    asks = {at: asking.asked(one, writing.source) for at, one in enumerate(document.segments) if not one.kept}
    lengths = {one.key: len(one.text) for one in asks.values()}

    def done(new: Iterable[str]) -> None:
        if ticket.cancelled:
            raise RequestError("cancelled", "nobody waits for this document any more")
        progress(sum(lengths[key] for key in new))

    found = asking.answers(list(asks.values()), {}, done)
    answers: list[SegmentAnswer | None] = [
        found.get(asks[at].key) if at in asks else None for at in range(len(document.segments))
    ]
    whole = put_together(kind, document, answers, writing)
    ledger = total(answer.ledger for answer in found.values()) + whole.ledger
    report = {
        "from": writing.source,
        "to": target,
        "model": route.model.name,
        **whole.report.to_dict(),
        "clean": ledger.is_clean,
        "ledger": ledger.to_dict(),
    }
    name = result_name(asked.file.name, kind, target)
    return FinishedDocument(name, MEDIA_TYPES[kind], document.written(whole.changes), as_json(report))


def sample_of(document: Document) -> str:
    """By which a model is chosen."""
    texts, length = [], 0
    for segment in document.segments:
        texts.append(segment.text)
        length += len(segment.text)
        if length > LARGEST_SAMPLE:
            break
    return "\n".join(texts)


def result_name(name: str, kind: str, target: str) -> str:
    """talk.srt in German is talk.de.srt. The ending is one of the kind's, whatever the client wrote."""
    path, endings = PurePath(name), ENDINGS[kind].split()
    known = path.suffix.lower() in endings or (kind == LINES and path.suffix[1:].isalnum())
    return f"{path.stem if known else name}.{target}{path.suffix if known else endings[0]}"


def ending_of_result(name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    return suffix if suffix[1:].isascii() and suffix[1:].isalnum() and len(suffix) < 12 else ""
