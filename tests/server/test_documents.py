"""Documents over HTTP: real clients and their forms, limits, files and names made to harm, and who leaves or ends."""

import io
import logging
import random
import re
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace

import deepl
import pytest
import requests

import attendo
from attendo.documents.file_translation import FileTranslation
from attendo.documents.find import finder_for
from attendo.server.access import Access, digest_of
from attendo.server.document_job import known_endings, result_name, text_bytes
from attendo.server.job import RequestError
from attendo.server.limits import ServerLimits
from attendo.server.uploads import disposition, file_name
from attendo.translation.translator import Translator
from tests.documents.laws import SAMPLES, parts_of, samples
from tests.documents.office_parts import zipped
from tests.server.live_server import live, wait_until
from tests.translation.fake_engine import FakeEngine, Listener

KEYS = ("first-key-of-two", "second-key-of-two")
SRT = b"1\n00:00:01,000 --> 00:00:02,000\nGood morning.\n\n2\n00:00:03,000 --> 00:00:04,000\nHow are you?\n"
FILES = [SAMPLES / "srt/chinese.srt", SAMPLES / "docx/chinese.docx", SAMPLES / "html/chinese.html"]
NAMES = [path.name for path in FILES]


@pytest.fixture(scope="module")
def real():
    """With the default model."""
    with live(attendo.load(threads=1)) as one:
        yield one


@pytest.fixture(scope="module")
def as_translate(tmp_path_factory):
    """What `attendo translate -i FILE -o FILE --to en` makes of each file, by its name."""
    translator, found = attendo.load(threads=1), {}
    for path in FILES:
        target = tmp_path_factory.mktemp("out") / path.name
        with path.open("rb") as stream:
            work = FileTranslation(source=path, target=target, to="en")
            work.run(translator, stream, io.BytesIO(), Listener())
        found[path.name] = target.read_bytes()
    return found


def send(server, data=SRT, name="talk.srt", path="/translate_file", key=None, timeout=20, **fields):
    fields = fields or {"source": "en", "target": "zh"}
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return requests.post(
        f"{server.address}{path}", files={"file": (name, data)}, data=fields, headers=headers, timeout=timeout
    )


def own(server, data=SRT, name="talk.srt", key=None, **fields):
    return send(server, data, name, "/api/document", key, **(fields or {"from": "en", "to": "zh"}))


def get(server, path, key=None):
    return server.ask("GET", path, headers={"authorization": f"Bearer {key}"} if key else {})


def slow(echo, seconds, **settings):
    return Translator(echo.bundle, echo.tokenizer, FakeEngine(remembers=False, seconds=seconds, **settings))


def lines(count, word="hello"):
    return "".join(f"{word} {number}\n" for number in range(count)).encode()


# --- clients


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_as_libretranslate(real, as_translate, path):
    """Its clients send a form, and fetch the address that they are told."""
    reply = send(real, path.read_bytes(), path.name, source="zh", target="en")
    assert reply.status_code == 200, reply.text
    address = reply.json()["translatedFileUrl"]
    assert address.startswith(f"{real.address}/download_file/")
    assert requests.head(address, timeout=20).status_code == 200  # and takes nothing away
    found = requests.get(address, timeout=20)
    assert_same(found.content, as_translate[path.name])
    assert f'filename="chinese.en{path.suffix}"' in found.headers["content-disposition"]
    again = requests.get(address, timeout=20)
    assert again.status_code == 404
    assert set(again.json()) == {"error"}


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_as_deepl(real, as_translate, tmp_path, path):
    client, target = deepl.Translator("any", server_url=real.address), tmp_path / "out"
    status = client.translate_document_from_filepath(path, target, source_lang="ZH", target_lang="EN-US")
    assert status.done
    assert status.billed_characters > 0
    assert_same(target.read_bytes(), as_translate[path.name])


def test_as_deepl_with_a_stream_and_step_by_step(real, as_translate):
    client, path = deepl.Translator("any", server_url=real.address), FILES[0]
    handle = client.translate_document_upload(path.read_bytes(), target_lang="EN-GB", filename=path.name)
    with pytest.raises(deepl.DeepLException, match="Not found"):
        client.translate_document_get_status(deepl.DocumentHandle(handle.document_id, "0" * 64))
    assert client.translate_document_wait_until_done(handle).done
    out = io.BytesIO()
    client.translate_document_download(handle, out)
    assert out.getvalue() == as_translate[path.name]
    with pytest.raises(deepl.DeepLException, match="Not found"):
        client.translate_document_download(handle, io.BytesIO())


def assert_same(found, expected):
    """An archive may be compressed by another zlib; its parts are the same."""
    if expected.startswith(b"PK"):
        assert parts_of(found) == parts_of(expected)
    else:
        assert found == expected


def test_a_file_that_is_for_another_language(server):
    path = SAMPLES / "xliff/targets.xlf"  # from English into German
    reply = send(server, path.read_bytes(), path.name)
    assert (reply.status_code, set(reply.json())) == (400, {"error"})
    client = deepl.Translator("any", server_url=server.address)
    status = client.translate_document_wait_until_done(
        client.translate_document_upload(path.read_bytes(), target_lang="ZH", filename=path.name)
    )
    assert (status.ok, status.error_message) == (False, reply.json()["error"])


@pytest.mark.slow
def test_every_sample_of_every_format(real):
    """As it is answered by the default model, or refused for a reason that is the file's."""
    found = samples()
    assert len(found) > 100
    for path in found:
        for target in ("en", "zh-Hant"):
            reply = send(real, path.read_bytes(), path.name, source="auto", target=target)
            if path.name in ("targets.xlf", "two.xlf"):  # these say that they are for German
                assert reply.status_code == 400
            else:
                assert reply.status_code == 200, (path, reply.text)
                assert requests.get(reply.json()["translatedFileUrl"], timeout=20).content


def test_our_own_way_has_the_report(server):
    data = lines(3) + b"\n----\r\n" + "  你好\n".encode()
    begun = own(server, data, "talk.txt", **{"from": "en", "to": "zh"}).json()
    path = f"/api/document/{begun['id']}"
    wait_until(lambda: get(server, path).json["status"] == "done")
    state = get(server, path).json
    assert state["characters"] == sum(len(line.strip()) for line in data.decode().splitlines())
    assert not state["fetched"]
    report = get(server, f"{path}/report").json
    assert (report["document"], report["found"], report["kept"]) == ("lines", 5, 1)
    assert report["from"] == "en"
    assert report["ledger"]["lines_in"] == 4
    reply = get(server, f"{path}/result")
    assert reply.body == data  # the model says what it read
    assert reply.headers["cache-control"] == "no-store"
    assert get(server, f"{path}/result").status == 404
    assert get(server, path).json["fetched"]
    assert get(server, f"{path}/report").status == 200


def test_what_is_said_of_files_is_true(server):
    said = server.ask("GET", "/frontend/settings").json
    assert said["filesTranslation"] is True
    assert said["supportedFilesFormat"] == server.ask("GET", "/api/info").json["files"] == list(known_endings())
    assert {".srt", ".docx", ".html", ".txt"} < set(known_endings())
    for kind in ("odt", "pptx"):  # listed when there is a finder for it, and not before
        assert (f".{kind}" in known_endings()) == (finder_for(kind) is not None)
    assert server.ask("GET", "/api/info").json["limits"]["document_bytes"] == ServerLimits().document_bytes


def test_without_the_libraries_of_some_formats():
    """Installed without attendo[files], the server starts and lists what it can read; the rest is refused."""
    code = """
import sys
sys.modules |= dict.fromkeys(["lxml", "markdown_it", "yaml"])
import attendo.server.app
from attendo.server.document_job import known_endings, read_document
from attendo.server.job import RequestError
from attendo.server.limits import ServerLimits
from attendo.server.uploads import UploadedFile
assert {".srt", ".html", ".docx", ".txt"} < set(known_endings()), known_endings()
assert not {".md", ".yaml"} & set(known_endings())
try:
    read_document(UploadedFile("a.md", b"# A\\n\\n**b**\\n"), ServerLimits())
except RequestError as error:
    print(error.kind, error.text)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("bad-request a.md is Markdown: this server translates .srt")


# --- what is refused, and how


PDF = b"%PDF-1.7\n1 0 obj\n"
LAUGHS = b"<!DOCTYPE a [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><a>&b;</a>"
HOSTILE = {
    "a PDF": (PDF, "paper.pdf"),
    "a zip bomb": (zipped({"[Content_Types].xml": "<a/>", "word/document.xml": b"<a>" + b" " * 30_000_000}), "b.docx"),
    "entities": (zipped({"[Content_Types].xml": LAUGHS, "word/document.xml": LAUGHS}), "a.docx"),
    "paths in an archive": (zipped({"[Content_Types].xml": "<a/>", "word/../../x": "a"}), "a.docx"),
    "half an archive": (FILES[1].read_bytes()[:-30], "a.docx"),
    "subtitles without times": (b"1\nhello\n", "a.srt"),
    "not UTF-8": (b"caf\xe9\n", "a.txt"),
    "zero bytes": (b"a\0b\n", "a.txt"),
    "deep JSON": (b'{"a":' * 50_000, "a.json"),
    "a program": (b"\x7fELF\x01\x02", "a.txt"),
}
FORMS = {
    "/translate_file": ({"source": "en", "target": "zh"}, "error"),
    "/v2/document": ({"source_lang": "EN", "target_lang": "ZH"}, "message"),
    "/api/document": ({"from": "en", "to": "zh"}, "error"),
}


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("what", HOSTILE)
def test_files_made_to_harm(server, evidence, what, path):
    fields, key = FORMS[path]
    before, started = set(server.desk.documents), time.monotonic()
    reply = send(server, *HOSTILE[what], path, **fields)
    assert reply.status_code == 400, reply.text
    assert len(reply.json()[key].splitlines()) == 1
    assert time.monotonic() - started < 5
    assert set(server.desk.documents) <= before  # it takes no place
    evidence("S1", "hostile documents (10, in 3 dialects) that got anything but 400", "0 of 30")


@pytest.mark.parametrize(
    "name",
    ["../talk.srt", "/etc/talk.srt", "a\\b.srt", "C:talk.srt", "..", "a\0.srt", "a\x1b[1m", "a" * 201, "\u202etrs.srt"],
)
def test_names_are_no_paths(name):
    with pytest.raises(RequestError, match="expected a name"):
        file_name(name)


@pytest.mark.parametrize("name", ["../../talk.srt", "/etc/passwd", "a/b.srt"])
def test_path_tricks_are_refused(server, evidence, name):
    body = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + SRT
    for field, value in FORMS["/translate_file"][0].items():
        body += f'\r\n--x\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}'.encode()
    reply = server.ask(
        "POST", "/translate_file", body + b"\r\n--x--\r\n", {"content-type": "multipart/form-data; boundary=x"}
    )
    assert (reply.status, "without folders" in reply.json["error"]) == (400, True)
    fields = {**FORMS["/v2/document"][0], "filename": name}
    assert send(server, path="/v2/document", **fields).status_code == 400
    evidence("S17", "names of files that are paths (3, in 2 dialects) that were accepted", "0 of 6")


@pytest.mark.parametrize(
    ("name", "kind", "saved"),
    [
        ("talk.srt", "srt", "talk.zh.srt"),
        ("TALK.SRT", "srt", "TALK.zh.SRT"),
        ("talk", "srt", "talk.zh.srt"),
        ("page.exe", "html", "page.exe.zh.html"),
        ("演讲 1.txt", "lines", "演讲 1.zh.txt"),
    ],
)
def test_a_result_has_a_name_of_its_kind(name, kind, saved):
    assert result_name(file_name(name), kind, "zh") == saved
    header = disposition(saved)
    assert header.isascii()
    assert re.search("filename\\*=UTF-8''(.*)", header)[1] == requests.utils.quote(saved, safe="")


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("/translate_file", {"source": "en"}, 400),
        ("/translate_file", {"source": "en", "target": "auto"}, 400),
        ("/translate_file", {"source": "en", "target": "xx"}, 400),
        ("/translate_file", {"source": "en", "target": "en"}, 400),
        ("/v2/document", {"target_lang": "FR"}, 400),
        ("/v2/document", {"target_lang": "ZH", "glossary_id": "a"}, 400),
        ("/v2/document", {"target_lang": "ZH", "output_format": "pdf"}, 400),
        ("/api/document", {"to": "zh", "from": "fr"}, 400),
    ],
)
def test_forms_that_ask_for_what_there_is_not(server, path, fields, status):
    assert send(server, path=path, **fields).status_code == status


def test_bodies_that_are_no_forms(server):
    json = {"content-type": "application/json"}
    form = {"content-type": "multipart/form-data; boundary=x"}
    for path in FORMS:
        assert server.ask("POST", path, b"{}", json).status == 415
        assert server.ask("POST", path, b"", {}).status == 415
        for body in (
            b"",
            b"--x--\r\n",
            b"--x\r\n\r\n",
            b"\xff" * 1_000,
            b"--x\r\nContent-Disposition: a\r\n\r\na\r\n--x--",
        ):
            assert server.ask("POST", path, body, form).status == 400, body
        two = {"file": ("a.srt", SRT), "other": ("b.srt", SRT)}
        reply = requests.post(server.address + path, files=two, data=FORMS[path][0], timeout=20)
        assert reply.status_code == 400
    wait_until(lambda: not [one for one in server.desk.documents.values() if one.state == "arriving"])


@pytest.mark.parametrize("name", ["x", "0" * 96 + ".srt", "..%2f..%2fetc%2fpasswd", "%00", "a" * 5_000])
def test_ids_that_are_none(server, name):
    for path in (f"/download_file/{name}", f"/api/document/{name}", f"/api/document/{name}/result"):
        assert get(server, path).status == 404
    for path in (f"/v2/document/{name}", f"/v2/document/{name}/result"):
        reply = server.ask("POST", path, {"document_key": "0" * 64})
        assert reply.status == 404
        if "%2f" not in name:
            assert set(reply.json) == {"message"}


# --- keys


def test_documents_belong_to_who_sent_them(echo, caplog):
    caplog.set_level(logging.DEBUG)
    with live(echo, access=Access(keys=frozenset(map(digest_of, KEYS)))) as server:
        for path in FORMS:
            assert send(server, path=path).status_code in (401, 403)
            assert server.ask("POST", path, b"{}", {"content-type": "application/json"}).status in (401, 403)
        assert not server.desk.documents
        id_ = own(server, key=KEYS[0]).json()["id"]
        wait_until(lambda: get(server, f"/api/document/{id_}", KEYS[0]).json["status"] == "done")
        for end in ("", "/result", "/report"):
            assert get(server, f"/api/document/{id_}{end}", KEYS[1]).status == 404
            assert get(server, f"/api/document/{id_}{end}").status == 401
        assert get(server, f"/api/document/{id_}/result", KEYS[0]).status == 200
        # LibreTranslate's clients have their key in the form, and fetch without one.
        reply = send(server, source="en", target="zh", api_key=KEYS[1])
        assert requests.get(reply.json()["translatedFileUrl"], timeout=20).content == SRT
    for secret in ("morning", "talk.srt", id_, *KEYS):
        assert secret not in caplog.text


def test_foreign_pages_send_no_documents(server):
    for origin, status in (("https://example.org", 403), ("chrome-extension://abc", 200)):
        reply = requests.post(
            f"{server.address}/translate_file", files={"file": ("a.srt", SRT)}, data=FORMS["/translate_file"][0],
            headers={"origin": origin}, timeout=20,
        )  # fmt: skip
        assert reply.status_code == status


# --- limits


def test_sizes(echo):
    limits = replace(
        ServerLimits(),
        document_bytes=300_000,
        document_text_bytes=299_000,
        document_characters=1_000,
        body_bytes=100_000,
    )
    with live(echo, limits=limits) as server:
        large = zipped({"[Content_Types].xml": "<a/>", "word/document.xml": b"<a>" + b"bcd " * 75_000})
        assert send(server, large, "a.docx").status_code == 413  # before anything of it is unpacked
        blank = b" " * 290_000
        assert send(server, SRT + b"\n" + blank).status_code == 200  # more than other bodies may have
        for path, (fields, key) in FORMS.items():
            reply = send(server, SRT + blank + blank, path=path, **fields)
            assert (reply.status_code, key in reply.json()) == (413, True)
            reply = send(server, lines(200), "a.txt", path, **fields)
            assert (reply.status_code, "characters" in reply.json()[key]) == (413, True)
        # Of a length that nobody knows before: refused as soon as it is too much.
        head = "POST /translate_file HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=x\r\n"
        part = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        chunks = [part, *(b"a" * 50_000 for _ in range(20))]
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as one:
            with suppress(OSError):
                one.sendall(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
                for chunk in chunks:
                    one.sendall(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            assert one.recv(1_000).startswith(b"HTTP/1.1 413")
        assert server.desk.nbytes < 1_000_000


def test_pictures_are_not_text():
    noise = random.Random(0).randbytes(50_000)
    data = zipped({"word/document.xml": b"a" * 1_000, "word/a.png": noise, "word/b.png": b"<a>" * 1_000})
    assert text_bytes(data, "a.docx") == 1_000 + 3_000  # b.png shrinks like text


def test_how_many_and_how_long(echo):
    """One client has so many; its own oldest results make room, and nobody else's. Then they vanish."""
    limits = replace(ServerLimits(), documents=4, documents_of_a_client=3, document_kept_seconds=0.8)
    with live(echo, limits=limits, access=Access(keys=frozenset(map(digest_of, KEYS)))) as server:
        ids = []
        for _ in range(4):
            ids.append(own(server, key=KEYS[0]).json()["id"])
            wait_until(lambda: server.desk.documents[ids[-1]].state == "done")
        assert [id_ in server.desk.documents for id_ in ids] == [False, True, True, True]
        theirs = own(server, key=KEYS[1]).json()["id"]
        wait_until(lambda: server.desk.documents[theirs].state == "done")
        own(server, key=KEYS[0])  # four are here: it takes the place of one of its own
        assert theirs in server.desk.documents
        assert len(server.desk.documents) == 4
        wait_until(lambda: not server.desk.documents, 4)
        assert get(server, f"/api/document/{theirs}", KEYS[1]).status == 404
        assert server.desk.nbytes == 0


def test_all_together_are_bounded(echo):
    limits = replace(ServerLimits(), documents_total_bytes=10_000, document_bytes=6_000, documents_at_once=1)
    with live(slow(echo, 0.2), limits=limits) as server:
        first = own(server, lines(300)[:3_000], "a.txt")
        assert first.status_code == 200
        reply = own(server, lines(300)[:3_000], "a.txt")
        assert (reply.status_code, "retry-after" in reply.headers) == (503, True)
        few = replace(limits, documents_of_a_client=1)
        server.desk.service.limits = few
        reply = own(server)
        assert (reply.status_code, "retry-after" in reply.headers) == (429, True)


def test_clients_have_their_turns(echo):
    """Who came first with many files does not keep another waiting for all of them."""
    limits = replace(ServerLimits(), documents_at_once=3)
    with live(slow(echo, 0.03), limits=limits, access=Access(keys=frozenset(map(digest_of, KEYS)))) as server:
        many = [own(server, lines(8), "a.txt", KEYS[0]).json()["id"] for _ in range(5)]
        one = own(server, lines(8, "bye"), "b.txt", KEYS[1]).json()["id"]
        documents = [server.desk.documents[id_] for id_ in (*many, one)]
        wait_until(lambda: documents[-1].state == "done")
        assert documents[-2].state == "queued"
        wait_until(lambda: all(document.state == "done" for document in documents))
        assert documents[-1].begun < documents[2].begun


def test_two_at_once_and_a_third_that_waits(echo):
    with live(slow(echo, 0.03, tokens_per_batch=100)) as server:
        ids = [own(server, lines(20, f"word {n}"), "a.txt").json()["id"] for n in range(3)]
        documents = [server.desk.documents[id_] for id_ in ids]
        wait_until(lambda: documents[1].state == "translating")
        assert documents[2].state == "queued"
        assert get(server, f"/api/document/{ids[2]}/result").status == 503
        started = time.monotonic()
        assert server.translate("hello", "zh").status == 200  # in the same queue, and at once
        answered = time.monotonic() - started
        assert documents[1].state == "translating"
        assert answered < 1.0
        wait_until(lambda: all(one.state == "done" for one in documents), 20)
        for number, id_ in enumerate(ids):
            assert get(server, f"/api/document/{id_}/result").body == lines(20, f"word {number}")


# --- who leaves, and the end


def test_a_client_that_leaves_is_forgotten(echo):
    with live(slow(echo, 0.1, tokens_per_batch=50)) as server:
        request = requests.Request(
            "POST", f"{server.address}/translate_file", files={"file": ("a.txt", lines(2_000))},
            data=FORMS["/translate_file"][0],
        ).prepare()  # fmt: skip
        head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
        with socket.create_connection(("127.0.0.1", server.port)) as one:
            one.sendall(f"POST /translate_file HTTP/1.1\r\nhost: localhost\r\n{head}\r\n".encode() + request.body)
            wait_until(lambda: any(document.begun for document in server.desk.documents.values()))
            document = next(iter(server.desk.documents.values()))
        wait_until(lambda: not server.desk.documents and document.state == "error", 3)
        assert document.refusal.kind == "cancelled"
        wait_until(lambda: not server.service.models.models[0].queue.size)
        wait_until(lambda: not server.desk.under_way)


def test_who_leaves_while_sending_takes_no_place(server):
    before = len(server.desk.documents)
    with socket.create_connection(("127.0.0.1", server.port)) as one:
        one.sendall(
            b"POST /v2/document HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=x\r\n"
            b"content-length: 5000000\r\n\r\n--x\r\n"
        )
        wait_until(lambda: any(document.state == "arriving" for document in server.desk.documents.values()))
    wait_until(lambda: not any(document.state == "arriving" for document in server.desk.documents.values()))
    assert len(server.desk.documents) <= before


def test_when_the_server_ends_so_do_its_documents(echo):
    replies = []
    with live(slow(echo, 0.1, tokens_per_batch=50)) as server:
        threads = [
            threading.Thread(target=lambda: replies.append(send(server, lines(2_000), "a.txt"))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: sum(one.state == "translating" for one in server.desk.documents.values()) == 2)
        wait_until(lambda: any(one.state == "queued" for one in server.desk.documents.values()))
        documents, started = list(server.desk.documents.values()), time.monotonic()
        server.server.should_exit = True
        for thread in threads:
            thread.join(timeout=10)
        assert time.monotonic() - started < 5
        assert [reply.status_code for reply in replies] == [503] * 3
        assert not server.desk.documents
        assert not any(document.result for document in documents)


def test_a_mistake_of_ours_is_told_as_one(echo, monkeypatch, caplog):
    def fails(*_):
        raise KeyError("secret words of a user")

    monkeypatch.setattr("attendo.server.document_desk.translate_document", fails)
    with live(echo) as server:
        reply = send(server)
        assert (reply.status_code, reply.json()) == (500, {"error": "a mistake of the server's"})
        client = deepl.Translator("any", server_url=server.address)
        handle = client.translate_document_upload(SRT, target_lang="ZH", filename="a.srt")
        status = client.translate_document_wait_until_done(handle)
        assert (status.ok, status.error_message) == (False, "a mistake of the server's")
        with pytest.raises(deepl.DeepLException, match="Not found"):  # which it does not try again
            client.translate_document_download(handle, io.BytesIO())
    assert "secret words" not in caplog.text
