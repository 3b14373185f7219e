"""Half an hour of mixed load: what 20 seconds of `make test` may be too short to show."""

import json
import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

import attendo
from tests.server.live_server import fake
from tests.server.test_load import slow, soak

SECONDS = float(os.environ.get("ATTENDO_SOAK_SECONDS", "1800"))
LINES = (Path(__file__).parents[1] / "corpora" / "small.tsv").read_text(encoding="utf-8").split("\n")[:300]
ZH, EN = zip(*(line.split("\t") for line in LINES if all(line.split("\t"))), strict=True)
SUBTITLES = "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n2\n00:00:02,100 --> 00:00:03,000\n{}\n"


@pytest.mark.slow
def test_half_an_hour_of_mixed_load_leaves_nothing_behind(tmp_path, evidence):
    echo = fake(tmp_path / "fake", tokens_per_batch=2_000)
    soak(slow(echo, 0.001), evidence, SECONDS)


@pytest.mark.slow
def test_half_an_hour_of_the_default_model_in_every_dialect_leaves_nothing_behind(evidence):
    soak(attendo.load(threads=2), evidence, SECONDS, any_dialect, "every dialect, by the default model")


def any_dialect(server, chosen):
    """Text, lists, markup, alternatives, streams, documents; bodies that are none, and clients that leave."""
    en, other, zh = chosen.choice(EN), chosen.choice(EN), chosen.choice(ZH)
    bodies = {
        "/translate": {"q": [zh, chosen.choice(ZH)], "source": "auto", "target": "en"},
        "/v2/translate": {"text": [f"<p>{en} <b>{other}</b></p>"], "target_lang": "DE", "tag_handling": "html"},
        "/deeplx": {"text": en, "source_lang": "EN", "target_lang": "ZH"},
        "/translate/batch": {"texts": [en, other], "from": "en", "to": "zh-Hans"},
        "/imme": {"source_lang": "auto", "target_lang": "zh-CN", "text_list": [f"{{0}} {en}"]},
        "/kiss": {"text": en, "from": "auto", "to": "zh-TW"},
        "/hcfy": {"name": "attendo", "text": zh, "destination": ["中文(简体)", "英语"], "source": ""},
        "/api/translate": {"text": [en, zh], "to": "en", "alternatives": 3, "glossary": {en.split()[0]: "X"}},
        "/api/translate/stream": {"text": f"{zh}{chosen.choice(ZH)}", "to": "en"},
        "/detect": {"q": en},
    }
    kind = chosen.randrange(len(bodies) + 4)
    if kind < len(bodies):
        path, body = list(bodies.items())[kind]
        assert server.ask("POST", path, body, timeout=60).status in (200, 429, 503), path
    elif kind == len(bodies):
        path = f"/translate_a/single?client=gtx&dt=t&dj=1&sl=auto&tl=de&q={'%20'.join(en.split())[:200]}"
        assert server.ask("GET", path.encode("ascii", "ignore").decode(), timeout=60).status in (200, 429, 503)
    elif kind == len(bodies) + 1:
        send_subtitles(server, SUBTITLES.format(en, other).encode())
    elif kind == len(bodies) + 2:
        assert server.ask("POST", "/translate", b'{"q": "\xff').status == 400
    else:
        body = json.dumps({"q": [en] * 20, "source": "en", "target": "de"}).encode()
        with suppress(OSError), socket.create_connection(("127.0.0.1", server.port)) as one:
            one.sendall(b"POST /translate HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % len(body) + body)


def send_subtitles(server, data):
    parts = [
        b'content-disposition: form-data; name="file"; filename="talk.srt"\r\n\r\n' + data,
        b'content-disposition: form-data; name="source"\r\n\r\nen',
        b'content-disposition: form-data; name="target"\r\n\r\nde',
    ]
    body = b"".join(b"--border\r\n" + part + b"\r\n" for part in parts) + b"--border--\r\n"
    headers = {"content-type": "multipart/form-data; boundary=border"}
    reply = server.ask("POST", "/translate_file", body, headers, timeout=60)
    assert reply.status in (200, 429, 503), reply.body
    if reply.status == 200:
        address = reply.json["translatedFileUrl"]
        assert server.ask("GET", address.partition(str(server.port))[2], timeout=60).status == 200
