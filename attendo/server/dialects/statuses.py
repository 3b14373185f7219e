"""Which HTTP status says which error; a dialect changes those that its clients know by another number."""

from collections.abc import Mapping

from attendo.server.job import RequestErrorKind

STATUSES: Mapping[RequestErrorKind, int] = {
    "bad-request": 400,
    "language": 400,
    "gone": 404,
    "key": 401,
    "origin": 403,
    "media-type": 415,
    "cancelled": 499,  # no number of HTTP: nobody reads it
    "too-large": 413,
    "too-many": 429,
    "busy": 503,
    "late": 504,
    "internal": 500,
}
