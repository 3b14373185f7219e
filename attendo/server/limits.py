"""What one request, one client and the whole server may take. Every limit is on by default and shown by /api/info."""

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from attendo.errors import ConfigError
from attendo.server.job import Job, RequestError


@dataclass(frozen=True, kw_only=True)
class ServerLimits:
    """Sizes of a request, seconds for each of its stages, and how much may wait."""

    characters: int = 50_000  # of all texts of a request
    texts: int = 1_000
    alternatives: int = 8
    beam: int = 16
    terms: int = 1_000  # of a glossary, and of what stays as it is
    body_bytes: int = 2_000_000
    header_bytes: int = 16_000
    headers: int = 100
    connections: int = 1_000
    requests: int = 256  # that wait or are being translated
    requests_of_a_client: int = 128
    characters_waiting: int = 1_000_000
    receive_seconds: float = 10.0  # from the first byte of a request to its last
    queue_seconds: float = 30.0  # until its first sentence is decoded
    compute_seconds: float = 120.0  # until it is answered
    send_seconds: float = 20.0  # until a client has taken its answer
    idle_seconds: float = 30.0  # between two requests of one connection
    drain_seconds: float = 30.0  # for what is under way when the server is told to end
    glass_tokens: int = 150  # of a source or a translation that is looked at: attention grows with their square
    glass_beam: int = 8
    glass_bytes: int = 64_000_000  # of the looks that are kept for who fetches their numbers
    glass_at_once: int = 1  # looks that are computed; numpy would take the processors that translate
    glass_waiting: int = 16  # looks that are computed or wait for that
    glass_of_a_client: int = 8  # of these
    glass_seconds: float = 20.0  # until a look is answered
    document_bytes: int = 20_000_000  # of a file that is sent
    document_text_bytes: int = 5_000_000  # of these, without pictures, unpacked: it is read by Python, beside all else
    document_characters: int = 2_000_000  # of what is to be translated in it
    documents: int = 64  # that arrive, wait, are translated, or wait to be fetched
    documents_of_a_client: int = 16  # of these
    documents_at_once: int = 4  # that are translated; the others wait for their turn
    documents_at_once_of_a_client: int = 2  # of these
    documents_total_bytes: int = 256_000_000  # of all of them: what came, and as much again for what is made of it
    document_seconds: float = 1_800.0  # until one is translated, from its turn on
    document_kept_seconds: float = 900.0  # that a result waits to be fetched
    upload_seconds: float = 60.0  # from the first byte of a large body to its last

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not (value > 0 and math.isfinite(value)):
                raise ConfigError(f"{one.name} = {value}: expected more than 0")

    @classmethod
    def asked(cls, characters: int | None, requests: int | None, compute_seconds: float | None) -> "ServerLimits":
        """With these of the user's, and the others large enough for them."""
        usual = cls()
        characters, requests = characters or usual.characters, requests or usual.requests
        return cls(
            characters=characters,
            requests=requests,
            compute_seconds=compute_seconds or usual.compute_seconds,
            body_bytes=max(usual.body_bytes, 8 * characters),  # a character has up to 4 bytes, or 12 as an escape
            characters_waiting=max(usual.characters_waiting, 4 * characters),
            requests_of_a_client=max(min(usual.requests_of_a_client, requests), requests // 2),
            connections=max(usual.connections, 4 * requests),
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def check(self, job: Job) -> None:
        """What a request asks for, against what it may."""
        for count, most, what in (
            (len(job.texts), self.texts, "texts"),
            (len(job.glossary) + len(job.keep), self.terms, "terms"),
        ):
            if count > most:
                raise RequestError("too-large", f"{count:,} {what} in one request: expected at most {most:,}")
        characters = sum(map(len, job.texts))
        if characters > self.characters:
            raise RequestError(
                "too-large", f"{characters:,} characters: the request exceeds text limit ({self.characters:,})"
            )
        for value, most, what in (
            (job.alternatives, self.alternatives, "alternatives"),
            (job.beam or 1, self.beam, "beam"),
        ):
            if value > most:
                raise RequestError("bad-request", f"{what} = {value:,}: expected at most {most}")
