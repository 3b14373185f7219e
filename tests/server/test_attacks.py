"""Bodies, heads and connections that are made to harm: each gets a plain no, and nobody else notices."""

import json
import socket
import time
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatch

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from attendo.server.limits import ServerLimits
from tests.server.live_server import live, wait_until
from tests.translation.fake_engine import FakeEngine

JSON = {"content-type": "application/json"}
POST = "POST /translate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
PLAIN = b"POST /translate HTTP/1.1\r\nhost: localhost\r\n"
GET = b"GET /live HTTP/1.1\r\nhost: localhost\r\n"
GOOD = {"q": "hello", "source": "en", "target": "zh"}
ANSWERED, OK = "attendo_requests_total", {"dialect": "libretranslate", "outcome": "ok"}
BODIES = {
    "lone surrogate": b'{"q": "\\ud800", "source": "en", "target": "zh"}',
    "lone surrogate in a key": b'{"\\udfff": 1, "q": "a", "source": "en", "target": "zh"}',
    "not UTF-8": b'{"q": "\xff\xfe", "source": "en", "target": "zh"}',
    "NaN": b'{"q": NaN, "source": "en", "target": "zh"}',
    "Infinity": b'{"q": "a", "source": "en", "target": "zh", "alternatives": Infinity}',
    "50,000 brackets": b"[" * 50_000,
    "50,000 brackets in an object": b'{"q": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "a number of 6,000 digits": b'{"q": "a", "source": "en", "target": "zh", "alternatives": ' + b"9" * 6_000 + b"}",
    "no JSON": b"hello",
    "nothing": b"",
    "a list": b"[1, 2]",
    "a number": b"5",
    "null": b"null",
    "a text of another type": b'{"q": {"a": 1}, "source": "en", "target": "zh"}',
    "half of it": b'{"q": "hello", "source"',
    "UTF-16": '{"q": "a"}'.encode("utf-16"),
}


@pytest.fixture(scope="module")
def strict(echo):
    """Limits so low that a test need not wait for them."""
    limits = replace(
        ServerLimits(), body_bytes=100_000, receive_seconds=1.0, send_seconds=1.0, idle_seconds=1.0, connections=300
    )
    with live(echo, limits=limits) as one:
        yield one


@pytest.mark.parametrize("what", BODIES)
@pytest.mark.parametrize(
    "path", ["/translate", "/v2/translate", "/imme", "/api/translate", "/detect", "/api/translate/stream", "/api/glass"]
)
def test_bodies(server, evidence, what, path):
    reply = server.ask("POST", path, BODIES[what], JSON)
    assert 400 <= reply.status < 500, (reply.status, reply.body)
    assert isinstance(reply.json, dict)
    evidence("S1", "hostile bodies (16, on 7 routes) answered by 5xx or a closed connection", "0 of 112")


def test_the_schema_holds(server, evidence):
    """Requests drawn from the OpenAPI schema, good and bad ones: never a mistake of the server's, and no answer that
    the schema does not name."""
    schema = schemathesis.openapi.from_url(f"{server.address}/openapi.json")
    counted = []

    def ask(case):
        reply = case.call(timeout=20)
        counted.append(reply.status_code)
        assert reply.status_code < 500, (case.method, case.path, reply.status_code, case.body)
        told = case.operation.definition.raw["responses"]
        assert str(reply.status_code) in told, (case.method, case.path, reply.status_code)
        kinds = told[str(reply.status_code)].get("content", {"*/*": {}})
        assert any(fnmatch(reply.headers["content-type"][0], f"{kind}*") for kind in kinds), (case.path, kinds)

    drawn = settings(
        max_examples=18, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    for found in schema.get_all_operations():
        for mode in schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE:
            with suppress(Unsatisfiable):  # a route without a body has nothing that could be wrong
                drawn(given(case=found.ok().as_strategy(generation_mode=mode))(ask))()
    assert len(counted) >= 500
    evidence("S1", "answers of 5xx to requests drawn from the OpenAPI schema by schemathesis", f"0 of {len(counted)}")


# --- sizes


@pytest.mark.parametrize(("size", "status"), [(99_000, 200), (100_001, 413), (10_000_000, 413)])
def test_a_body_that_is_too_large_is_refused(strict, size, status):
    body = json.dumps({"q": " " * 1, "source": "en", "target": "zh", "more": ""}).encode()
    body = body.replace(b'"more": ""', b'"more": "' + b"a" * (size - len(body)) + b'"')
    if size > 1_000_000:  # it is refused by its length, before it is sent
        head = f"{POST}content-length: {size}\r\n\r\n"
        assert raw(strict, head.encode()).startswith(b"HTTP/1.1 413")
    else:
        assert strict.ask("POST", "/translate", body, JSON).status == status


def test_chunks_are_counted_as_they_come(strict, evidence):
    head = f"{POST}transfer-encoding: chunked\r\n\r\n".encode()
    chunk = b"2710\r\n" + b"a" * 10_000 + b"\r\n"
    answer = raw(strict, head, chunk, times=30)
    assert answer.startswith(b"HTTP/1.1 413")
    small = b"".join(b"1\r\n%c\r\n" % byte for byte in json.dumps(GOOD).encode()) + b"0\r\n\r\n"
    assert raw(strict, head + small).startswith(b"HTTP/1.1 200")
    evidence("S2", "bodies over the limit that were read to their end (by length, by chunks)", "0 of 3")


def test_compressed_bodies_are_refused(server):
    reply = server.ask("POST", "/translate", b"\x1f\x8b" + b"0" * 100, JSON | {"content-encoding": "gzip"})
    assert reply.status == 415


HEADS = {
    "a header of 100 KB": (GET + b"x: " + b"a" * 100_000 + b"\r\n\r\n", b"431"),
    "5,000 headers": (GET + b"" + b"a: b\r\n" * 5_000 + b"\r\n", b"431"),
    "a path of 100 KB": (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n", b"414"),
    "a length and chunks": (
        PLAIN + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", b"400",
    ),
    "two lengths": (PLAIN + b"content-length: 5\r\ncontent-length: 6\r\n\r\nhello", b"400"),
    "a length that is none": (PLAIN + b"content-length: +5\r\n\r\nhello", b"400"),
    "a chunk size that is none": (
        PLAIN + b"transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", b"400",
    ),
    "bare line feeds": (b"GET /live HTTP/1.1\nhost: localhost\n\n", b"400"),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00", b"400"),
    "a space before the colon": (b"GET /live HTTP/1.1\r\nhost : localhost\r\n\r\n", b"400"),
}  # fmt: skip


@pytest.mark.parametrize("what", HEADS)
def test_heads(strict, evidence, what):
    head, status = HEADS[what]
    assert raw(strict, head).split(b" ")[1:2] == [status]
    assert strict.ask("GET", "/live").status == 200
    evidence("S3", "heads made to harm or to smuggle that were accepted", f"0 of {len(HEADS)}")


# --- slow clients


def test_slow_clients_hold_nobody_up(strict, evidence):
    """200 connections that send a byte now and then, or nothing at all, are closed in time; others are served."""
    slow = [connect(strict) for _ in range(200)]
    for number, one in enumerate(slow):
        part = [b"", b"POST /tr", b"POST /translate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"][
            number % 3
        ]
        one.send(part)
    started = time.monotonic()
    seconds = []
    while time.monotonic() - started < 1.0:
        begun = time.monotonic()
        assert strict.ask("POST", "/translate", GOOD).status == 200
        seconds.append(time.monotonic() - begun)
        for one in slow[1::3]:
            with suppress(OSError):
                one.send(b"a")
    wait_until(lambda: len(strict.server.server_state.connections) < 20, 4)
    held = time.monotonic() - started
    for one in slow:
        one.close()
    seconds.sort()
    evidence("S4", "seconds that 200 slow connections were held, limit 1.0", f"{held:.1f}")
    evidence("S4", "p95 of others meanwhile, in ms", f"{1000 * seconds[int(0.95 * len(seconds))]:.0f}")


def test_who_does_not_read_is_let_go(echo, evidence):
    """An answer of 8 MB, more than the system's own buffers hold, to a client that takes none of it."""
    size = 8_000_000
    limits = replace(
        ServerLimits(),
        send_seconds=0.5,
        characters=size,
        body_bytes=3 * size,
        characters_waiting=2 * size,
        idle_seconds=60,
    )
    with live(echo, limits=limits) as server:
        body = json.dumps({"q": [" " * 1_000_000] * 8, "source": "en", "target": "zh"})
        with connect(server) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1_024)
            length = len(body.encode())
            one.sendall(f"{POST}content-length: {length}\r\n\r\n{body}".encode())
            wait_until(lambda: server.service.metrics.registry.get_sample_value(ANSWERED, OK), 10)
            started = time.monotonic()
            assert server.server.server_state.connections
            wait_until(lambda: not server.server.server_state.connections, 5)
            held = time.monotonic() - started
    evidence("S4", "seconds that a client is waited for that does not read its answer, limit 0.5", f"{held:.1f}")


def test_bytes_that_begin_no_request_do_not_hold_a_connection(strict):
    """A line break between two requests is allowed, and so is half of a second request in the packet of the first."""
    for more in (b"\r\n", GET + b"x: "):
        with connect(strict) as one:
            one.sendall(GET + b"\r\n" + (b"" if more == b"\r\n" else more))
            assert one.recv(65_536).startswith(b"HTTP/1.1 200")
            if more == b"\r\n":
                one.sendall(more)
            one.settimeout(3)
            started = time.monotonic()
            while one.recv(65_536):
                pass
            assert time.monotonic() - started < 2.5


def test_half_a_head_after_others_has_an_end_too(echo):
    """It came while an answer was made that took longer than a request may take to arrive."""
    limits = replace(ServerLimits(), receive_seconds=0.3, idle_seconds=1.0)
    slow = type(echo)(echo.bundle, echo.tokenizer, FakeEngine(remembers=False))
    with live(slow, limits=limits) as server, connect(server) as one:
        slow.engine.seconds = 0.8
        body, answers = json.dumps(GOOD).encode(), b""
        one.sendall(f"{POST}content-length: {len(body)}\r\n\r\n".encode() + body + GET + b"\r\n" + GET)
        while answers.count(b"HTTP/1.1 200") < 2:
            more = one.recv(65_536)
            assert more, answers
            answers += more
        one.sendall(b"x")
        started = time.monotonic()
        while one.recv(65_536):
            pass
        assert time.monotonic() - started < 2


def test_half_a_head_takes_no_answer_from_requests_that_arrived(echo):
    """Both take longer than a request may take to arrive; what comes after them is refused when they are answered."""
    limits = replace(ServerLimits(), receive_seconds=0.3, idle_seconds=1.0)
    slow = type(echo)(echo.bundle, echo.tokenizer, FakeEngine(remembers=False))
    with live(slow, limits=limits) as server, connect(server) as one:
        slow.engine.seconds = 0.8
        body, answers = json.dumps(GOOD).encode(), b""
        one.sendall((f"{POST}content-length: {len(body)}\r\n\r\n".encode() + body) * 2 + GET)
        while more := one.recv(65_536):
            answers += more
        assert (answers.count(b"HTTP/1.1 200"), answers.count(b"HTTP/1.1 408")) == (2, 1)


def test_requests_that_wait_for_no_answer_are_bounded(strict, evidence):
    """A client that sends on without reading is stopped after a few requests; its memory is not ours."""
    with connect(strict) as one, suppress(OSError):
        one.sendall((GET + b"\r\n") * 20_000)
    wait_until(lambda: len(strict.server.server_state.connections) < 5, 4)
    assert strict.ask("GET", "/live").status == 200
    four = raw(strict, (GET + b"\r\n") * 3 + GET + b"connection: close\r\n\r\n", whole=True)
    assert four.count(b"HTTP/1.1 200") == 4
    evidence("S4", "requests that a client may send ahead of its answers", "9 of 20,000")


def test_a_wish_for_another_protocol_is_passed_over(server):
    body = json.dumps(GOOD).encode()
    head = f"{POST}connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    answer = raw(server, f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("header", [b"host: evil.example\r\n", b"origin: http://evil.example\r\norigin: tauri://a\r\n"])
def test_names_that_come_twice_are_refused(server, header):
    assert raw(server, GET + header + b"\r\n").startswith(b"HTTP/1.1 400")


def test_an_image_of_another_page_is_not_served(server):
    image = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert server.ask("GET", "/translate_a/single?client=gtx&dt=t&sl=en&tl=zh&q=hello", headers=image).status == 403
    assert server.ask("GET", "/", headers=image | {"sec-fetch-mode": "navigate"}).status == 200


# --- paths and leaks


@pytest.mark.parametrize(
    "path",
    ["/../etc/passwd", "/page/../../app.py", "/page/%2e%2e/app.py", "/page/..%2fapp.py", "/page/%00", "/page/", "/%ff",
     "/page/connect.html%00.js", "//etc/passwd", "/page/C:/windows", "/static/x"],
)  # fmt: skip
def test_paths_lead_nowhere(server, evidence, path):
    answer = raw(
        server,
        f"GET {path} HTTP/1.1\r\nhost: localhost\r\nrange: bytes=0-1,0-1,0-1,0-1\r\nconnection: close\r\n\r\n".encode(),
    )
    assert answer.split(b" ")[1] in (b"404", b"400"), answer[:100]
    evidence("S17", "paths that lead out of the page's files", "0 of 11")


def test_errors_tell_nothing_of_the_inside(echo, evidence, caplog):
    class Broken:
        name, threads, tokens_per_batch, limits = "broken", None, 100, echo.engine.limits
        broken = False

        def search(self, requests, options):
            if self.broken:
                raise RuntimeError(f"/secret/path: {requests[0].text}")
            return echo.engine.search(requests, options)

    engine = Broken()
    with live(type(echo)(echo.bundle, echo.tokenizer, engine)) as server:
        engine.broken = True
        reply = server.translate("my private words\r\nforged log line", to="zh")
        assert reply.status == 500
        assert b"secret" not in reply.body
        assert b"Traceback" not in reply.body
    assert "private" not in caplog.text
    assert "secret" not in caplog.text
    assert "forged" not in caplog.text
    evidence("S17", "paths, tracebacks or words of users in errors and in the log", "0")


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=5)


def raw(server, *parts, times=1, whole=False):
    """What comes back for these bytes, up to the end of a head or all of it; the last part is sent `times` times."""
    with connect(server) as one:
        with suppress(OSError):
            for part in (*parts[:-1], *parts[-1:] * times):
                one.sendall(part)
        answer = b""
        with suppress(OSError):
            while (whole or b"\r\n\r\n" not in answer) and (some := one.recv(65_536)):
                answer += some
        return answer
