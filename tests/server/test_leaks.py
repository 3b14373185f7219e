"""What a request leaves in the server when it has been answered or refused: no memory, and no place taken."""

import gc
import time
import weakref

import pytest

from attendo.server.threads import RequestThreads
from tests.documents.laws import samples
from tests.server.live_server import live, wait_until
from tests.server.test_documents import own, send

GOOD = {"q": "hello", "source": "en", "target": "zh"}
LOOK = {"text": "我爱机器学习。", "to": "en"}
LARGE = "a" * 60_000  # characters, more than a request may have
MARKUP = "<p>hello <b>there <i>you</i></b><br>and me</p>"
TIMES = 20


def document_of(kind):
    path = samples(kind)[0]
    return lambda server: send(server, path.read_bytes(), path.name)


ASKED = {
    "answered": (200, lambda server: server.ask("POST", "/translate", GOOD)),
    "too much text": (413, lambda server: server.ask("POST", "/translate", GOOD | {"q": LARGE})),
    "no language": (400, lambda server: server.ask("POST", "/translate", GOOD | {"target": "fr"})),
    "no UTF-8": (400, lambda server: server.ask("POST", "/translate", b'{"q": "\xff"}')),
    "a stream": (200, lambda server: server.ask("POST", "/api/translate/stream", {"text": "hello", "to": "zh"})),
    "no stream": (400, lambda server: server.ask("POST", "/api/translate/stream", {"text": ["a", "b"], "to": "zh"})),
    "a look": (200, lambda server: server.ask("POST", "/api/glass", LOOK)),
    "no look": (400, lambda server: server.ask("POST", "/api/glass", LOOK | {"beam": 9})),
    "tags": (200, lambda server: server.ask("POST", "/translate", GOOD | {"q": MARKUP, "format": "html"})),
    "a document": (200, lambda server: send(server)),
    **{f"a document .{kind}": (200, document_of(kind)) for kind in ("docx", "odt", "pptx", "epub", "html", "xliff")},
    "no document": (400, lambda server: send(server, b"\x89PNG\r\n\x1a\n" + LARGE.encode(), "a.png")),
    "a broken document": (400, lambda server: send(server, b"PK\x03\x04" + LARGE.encode(), "a.docx")),
}


@pytest.mark.parametrize("what", ASKED)
def test_nothing_waits_for_the_search_for_cycles(server, what):
    """A ring of objects would hold the body until Python looks for it, and a server has it look less often."""
    status, ask = ASKED[what]
    for _ in range(3):  # what is made at the first request stays
        reply = ask(server)
    assert (getattr(reply, "status", None) or reply.status_code) == status
    wait_until(lambda: not server.service.under_way)
    gc.collect()
    gc.disable()
    try:
        for _ in range(TIMES):
            ask(server)
        time.sleep(0.2)  # the connections end
        left = gc.collect()
    finally:
        gc.enable()
    assert left < TIMES  # it was 57 to 153 a refusal


def test_a_thread_that_waits_holds_nothing():
    class Body:
        pass

    threads, bodies = RequestThreads(), []
    for number in range(2):  # with the first a thread is made, the second it finds
        body = Body()
        bodies.append(weakref.ref(body))
        threads.start(lambda body=body: None)
        del body
        wait_until(lambda: threads.idle == 1)
        assert threads.idle == 1, number
    wait_until(lambda: not any(body() for body in bodies), 2)


# --- where no thread can be made


@pytest.fixture
def breaking(monkeypatch):
    """Makes threads that cannot start; call what it gives to let them start again."""

    def break_(threads):
        def fail(work):
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threads, "start", fail)
        return monkeypatch.undo

    return break_


@pytest.mark.parametrize("path", ["/translate", "/api/translate/stream", "/api/glass"])
def test_a_place_is_free_again(echo, breaking, path):
    body = GOOD if path == "/translate" else LOOK
    with live(echo) as server:
        mend = breaking(server.looking.threads if path == "/api/glass" else server.service.threads)
        for _ in range(3):
            reply = server.ask("POST", path, body)
            assert (reply.status, int(reply.headers["retry-after"]) > 0) == (503, True)
            assert not server.service.under_way
        mend()
        assert server.ask("POST", path, body).status == 200  # one look is computed at a time: its turn is free, too
        wait_until(lambda: not server.service.under_way)
        assert server.service.characters == 0


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_document_without_a_thread_is_told_so(echo, breaking, allowed):
    """One thread reads it, and one translates it."""
    with live(echo) as server:
        start, left = server.desk.threads.start, [None] * allowed
        mend = breaking(server.desk.threads)
        fail = server.desk.threads.start
        server.desk.threads.start = lambda work: (start if left and not left.pop() else fail)(work)
        assert send(server).status_code == 503
        wait_until(lambda: not server.desk.under_way)
        mend()
        assert own(server).status_code == 200
        assert send(server).status_code == 200
