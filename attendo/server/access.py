"""Who may ask: the name a client calls us by, the page it comes from, and its key.

    Host     on this machine alone: localhost and 127.0.0.1, so that no foreign name can be pointed here (DNS rebinding)
    Origin   none (programs), our own page, browser extensions and desktop shells; no page of another site, and not null
    key      where the server has keys: on every route but the few that tell nothing, wherever clients put it

A web page cannot claim to be an extension: the browser writes the origin. An extension can read all its user sees
anyway; who does not want it here starts the server with `--strict-origins`.
"""

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attendo.errors import InputError, UsageError
from attendo.server.job import RequestError

SHELLS = ("chrome-extension", "moz-extension", "safari-web-extension", "tauri", "app", "vscode-webview")
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
KEY_HEADERS = ("x-api-key", "x-api-token")
KEY_PARAMETERS = ("api_key", "token", "api_token", "key")  # of a query
SCHEMES = ("bearer ", "deepl-auth-key ")
LARGEST_KEY_FILE = 1_000_000
SHORTEST_KEY = 8
LONGEST_KEY = 512
# Routes without a key: /openapi.json names them, and tests/server/test_doors.py asks every other one without.
# These say which languages there are and that the server lives, as LibreTranslate does: clients ask before they have a
# key. The page holds nothing but itself.
OPEN = frozenset({"/live", "/ready", "/health", "/languages", "/frontend/settings", "/spec"})
# Its last part is a secret of 384 bits, told to who sent the file and to nobody else; LibreTranslate's clients fetch a
# file without their key.
SECRET_PATHS = frozenset({"/download_file/{name}"})


@dataclass(frozen=True, kw_only=True)
class Access:
    host: str = "127.0.0.1"
    keys: frozenset[bytes] = frozenset()  # their sha256: a key itself is not kept
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    strict_origins: bool = False  # no extensions and no shells either

    @cached_property
    def is_local(self) -> bool:
        return is_loopback(self.host)

    def check_host(self, header: str) -> None:
        """Asked for where nothing else stands between a web page and us: on this machine, without keys."""
        if self.keys or not self.is_local:
            return
        name = host_name(header)
        if name not in LOCAL_NAMES and name not in self.allowed_hosts and not is_loopback(name):
            raise RequestError(
                "origin",
                f"this server is not called {name[:80]!r}: it answers to localhost, or to names of --allow-host",
            )

    def check_origin(self, origin: str | None, host: str) -> bool:
        """Whether a page may read the answer: False where none asks. A foreign page is refused."""
        if origin is None:
            return False
        scheme, _, rest = origin.partition("://")
        if origin in self.allowed_origins:
            return True
        if scheme in SHELLS and rest and not self.strict_origins:
            return True
        if scheme in ("http", "https") and rest.lower() == host.lower() and rest:
            return True
        raise RequestError(
            "origin", f"pages of {origin[:80]!r} may not use this server: expected its own, or one of --allow-origin"
        )

    def client(self, headers: Mapping[str, str], query: str, body: Mapping[str, Any] | None = None) -> str | None:
        """By its key, not the key itself; None if it has none that is known."""
        known = (digest for digest in map(digest_of, keys_in(headers, query, body)) if self.knows(digest))
        return next((digest.hex()[:16] for digest in known), None)

    def knows(self, digest: bytes) -> bool:
        # Each comparison takes a time that does not tell how much of the key was right.
        return any(hmac.compare_digest(digest, one) for one in self.keys)


def keys_in(headers: Mapping[str, str], query: str, body: Mapping[str, Any] | None) -> list[str]:
    """Wherever a client may have put it."""
    found = [headers.get(name, "") for name in KEY_HEADERS]
    said = headers.get("authorization", "")
    scheme = next((scheme for scheme in SCHEMES if said.lower().startswith(scheme)), "")
    found.append(said[len(scheme) :].strip())
    if query:
        parameters = parse_qs(query, errors="replace")  # a head has an end (limits.header_bytes)
        found += [value for name in KEY_PARAMETERS for value in parameters.get(name, ())]
    if body and isinstance(body.get("api_key"), str):
        found.append(body["api_key"])
    return [key for key in found if key and len(key) <= LONGEST_KEY]


def digest_of(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", errors="replace")).digest()


def read_keys(path: Path) -> frozenset[bytes]:
    """A file with a key a line; empty lines and those after # are passed over."""
    try:
        data = path.read_bytes()[: LARGEST_KEY_FILE + 1]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    if len(data) > LARGEST_KEY_FILE:
        raise InputError(f"{path} has more than {LARGEST_KEY_FILE:,} bytes: expected a key a line")
    try:
        lines = [line.strip() for line in data.decode("utf-8").split("\n")]
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: expected a key a line") from error
    keys = [line for line in lines if line and not line.startswith("#")]
    for number, line in enumerate(lines, start=1):
        if line in keys and not (SHORTEST_KEY <= len(line) <= LONGEST_KEY and line.isprintable() and " " not in line):
            raise InputError(
                f"{path}, line {number}: expected a key of {SHORTEST_KEY} to {LONGEST_KEY} characters without spaces"
            )
    if not keys:
        raise InputError(f"{path} has no key: expected one a line")
    return frozenset(map(digest_of, keys))


def check_exposure(host: str, keys: Iterable[bytes], without_key: bool) -> None:
    """Who can be reached from other machines has keys, or says that it wants none."""
    if not is_loopback(host) and not list(keys) and not without_key:
        raise UsageError(
            f"--host {host} can be reached from other machines: give --api-key-file, or --without-key if all who reach "
            f"it may use it"
        )


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(header: str) -> str:
    """Of "localhost:5000" or "[::1]:5000", without the port."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""
