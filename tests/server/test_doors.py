"""Who gets in: names, origins, preflights, keys, and what every answer carries."""

import logging

import pytest

from attendo.errors import InputError, UsageError
from attendo.server.access import OPEN, SECRET_PATHS, Access, check_exposure, digest_of, is_loopback, read_keys
from attendo.server.page import PAGE
from tests.server.live_server import live

KEY = "Sesame-öffne-dich".encode().hex()
EXTENSIONS = [
    "chrome-extension://bpoadfkcbjbfhfodiogcnhhhpibjhbnh", "moz-extension://0b6b3c8e-7c55-4a2e-9d5d-0a1b2c3d4e5f",
    "safari-web-extension://ABC", "tauri://localhost", "app://obsidian.md", "vscode-webview://1abc",
]  # fmt: skip
FOREIGN = [
    "https://example.org",
    "http://localhost:8080",
    "http://127.0.0.1",
    "null",
    "https://127.0.0.1.example.org",
    "file://",
    "",
]
JSON = "application/json"
BODY = b'{"q": "hello", "source": "en", "target": "zh"}'


@pytest.fixture(scope="module")
def locked(echo):
    with live(echo, access=Access(keys=frozenset({digest_of(KEY)}))) as one:
        yield one


def ask(server, **headers):
    return server.ask("POST", "/translate", BODY, {"content-type": JSON, **headers})


@pytest.mark.parametrize("origin", EXTENSIONS)
def test_extensions_and_shells_come_in(server, origin):
    wanted = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,authorization"}
    preflight = server.ask("OPTIONS", "/translate", headers={"origin": origin, **wanted})
    assert preflight.status == 204
    assert preflight.headers["access-control-allow-origin"] == origin
    assert "POST" in preflight.headers["access-control-allow-methods"]
    assert preflight.headers["access-control-allow-headers"] == "content-type,authorization"
    assert "access-control-allow-credentials" not in preflight.headers
    reply = ask(server, origin=origin)
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] == origin


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE", "PUT"])
def test_foreign_pages_do_not(server, evidence, origin, method):
    for path in ("/translate", "/languages", "/api/translate", "/"):
        reply = server.ask(method, path, BODY, {"origin": origin, "content-type": JSON})
        assert reply.status == 403
        assert "access-control-allow-origin" not in reply.headers
    evidence("S15", "requests with a foreign Origin (7 origins, 5 methods, 4 paths) that were accepted", "0 of 140")


def test_our_own_page_comes_in(server):
    own = f"http://localhost:{server.port}"
    assert ask(server, origin=own, host=f"localhost:{server.port}").status == 200
    assert ask(server, origin=own, host=f"127.0.0.1:{server.port}").status == 403


@pytest.mark.parametrize(
    ("origin", "content_type", "status"),
    [
        (None, "text/plain", 200), (None, "", 200), (None, JSON, 200), (None, "image/png", 415),
        (EXTENSIONS[0], "text/plain", 415), (EXTENSIONS[0], "", 415), (EXTENSIONS[0], JSON, 200),
        (EXTENSIONS[0], "application/json; charset=utf-8", 200),
    ],
)  # fmt: skip
def test_pages_send_json(server, origin, content_type, status):
    headers = {"origin": origin} if origin else {}
    assert server.ask("POST", "/translate", BODY, {"content-type": content_type, **headers}).status == status


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:5000", "localhost.evil.example", "10.0.0.1", "", "[bad", "127.0.0.1.nip.io"]
)
def test_foreign_names_are_refused(server, evidence, host):
    assert ask(server, host=host).status == 403
    evidence("S15", "foreign Host headers (DNS rebinding) that were accepted", "0 of 7")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:5000", "[::1]:5000", "127.1.2.3"])
def test_own_names_are_not(server, host):
    assert ask(server, host=host).status == 200


def test_names_and_origins_that_were_allowed(echo):
    access = Access(allowed_hosts=("attendo",), allowed_origins=("https://wiki.example.org",), strict_origins=True)
    with live(echo, access=access) as one:
        assert ask(one, host="attendo:5000").status == 200
        assert ask(one, host="other:5000").status == 403
        assert (
            ask(one, origin="https://wiki.example.org").headers["access-control-allow-origin"]
            == "https://wiki.example.org"
        )
        assert ask(one, origin=EXTENSIONS[0]).status == 403


def routes(server):
    inner = server.server.config.loaded_app
    while not hasattr(inner, "routes"):
        inner = inner.app
    return [(method, route.path) for route in inner.routes for method in route.methods]


def test_every_route_needs_a_key_but_those_that_tell_nothing(locked, evidence):
    free = set(OPEN) | set(PAGE) | SECRET_PATHS
    found = routes(locked)
    assert len(found) > 30
    closed = [(method, path) for method, path in found if path not in free]
    for method, path in closed:
        for headers in (
            {},
            {"authorization": "Bearer wrong"},
            {"authorization": f"Bearer {KEY[:-1]}"},
            {"x-api-key": KEY.upper()},
        ):
            reply = locked.ask(method, path, b"{}" if method == "POST" else None, {"content-type": JSON, **headers})
            assert reply.status in (401, 403), (method, path, reply.status)
    for method, path in set(found) - set(closed):
        assert locked.ask(method, path).status in ((404,) if path in SECRET_PATHS else (200, 503)), path
    evidence("S13", "routes that answer without a key, of those that should not", f"0 of {len(closed)}")


@pytest.mark.parametrize(
    "where",
    [
        {"headers": {"authorization": f"Bearer {KEY}"}}, {"headers": {"authorization": f"DeepL-Auth-Key {KEY}"}},
        {"headers": {"authorization": KEY}}, {"headers": {"x-api-key": KEY}}, {"headers": {"x-api-token": KEY}},
        {"query": f"?token={KEY}"}, {"query": f"?api_key={KEY}"}, {"query": f"?key={KEY}"},
        {"query": f"?api_token={KEY}"},
        {"body": {"q": "hello", "source": "en", "target": "zh", "api_key": KEY}},
    ],
    ids=str,
)  # fmt: skip
def test_a_key_is_found_wherever_clients_put_it_and_never_logged(locked, evidence, caplog, where):
    caplog.set_level(logging.DEBUG)
    body = where.get("body", {"q": "hello", "source": "en", "target": "zh"})
    assert locked.ask("POST", f"/translate{where.get('query', '')}", body, where.get("headers")).status == 200
    assert KEY not in caplog.text
    assert "hello" not in caplog.text
    evidence("S13", "keys, or words of users, found in the log", "0")


def test_keys_are_read_from_a_file(tmp_path):
    path = tmp_path / "keys"
    path.write_text("# ours\n\nfirst-key-123\nsecond-key-456\n", encoding="utf-8")
    assert read_keys(path) == {digest_of("first-key-123"), digest_of("second-key-456")}
    for text, part in (("short\n", "line 1"), ("# none\n", "no key"), ("two words of it\n", "without spaces")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=part):
            read_keys(path)
    path.write_bytes(b"\xff\xfe key\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_keys(path)
    with pytest.raises(InputError, match="cannot read"):
        read_keys(tmp_path / "none")


def test_who_can_be_reached_needs_a_key(evidence):
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")  # noqa: S104
    check_exposure("127.0.0.1", (), without_key=False)
    check_exposure("0.0.0.0", (b"x",), without_key=False)  # noqa: S104
    check_exposure("0.0.0.0", (), without_key=True)  # noqa: S104
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):  # noqa: S104
        with pytest.raises(UsageError, match="--api-key-file"):
            check_exposure(host, (), without_key=False)
    evidence("S14", "addresses beyond this machine that are served without a key or --without-key", "0 of 4")


def test_a_key_at_the_end_of_a_long_query_is_found(locked):
    """In 10,000 to 16,000 characters: the connection takes them."""
    query = f"q={'a' * 12_000}&source=en&target=zh&api_key={KEY}"
    assert locked.ask("POST", f"/translate?{query}").status == 200
    assert locked.ask("POST", f"/translate_file?{query}", b"x").status == 415  # the key was right


@pytest.mark.parametrize(
    "path", ["/v2/languages", "/v2/usage", "/v2/glossaries", "/v2/glossary-language-pairs", "/api/info", "/metrics"]
)
def test_who_may_get_may_ask_for_the_head(server, path):
    assert server.ask("GET", path).status == server.ask("HEAD", path).status == 200


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v2/languages", "GET, HEAD, POST"), ("DELETE", "/api/glass/x/pieces", "GET, HEAD, POST"),
        ("GET", "/translate", "POST"), ("PUT", "/", "GET, HEAD"),
    ],
)  # fmt: skip
def test_a_path_says_all_its_methods(server, method, path, allowed):
    reply = server.ask(method, path)
    assert (reply.status, reply.headers["allow"]) == (405, allowed)


def test_a_route_says_which_methods_it_has(server):
    assert server.ask("HEAD", "/languages").status == 200
    reply = server.ask("POST", "/languages", {})
    assert reply.status == 405
    assert set(reply.headers["allow"].split(", ")) == {"GET", "HEAD"}


def test_every_answer_carries_its_headers(server):
    for path in ("/", "/languages", "/nothing", "/api/info"):
        headers = server.ask("GET", path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
