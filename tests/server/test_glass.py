"""The glass over HTTP: its numbers are those of `look`, and it obeys what every route obeys."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import pytest

import attendo
from attendo.explain.explain import explain
from attendo.explain.page_data import page_data
from attendo.explain.view import view_of
from attendo.glass import search
from attendo.glass.hands import Hands
from attendo.glass.look import look
from attendo.glass.reading import open_glass
from attendo.model_folder.bundle_writing import write_bundle
from attendo.server import look_pace, looking
from attendo.server.access import Access, digest_of
from attendo.server.batching import Ticket
from attendo.server.job import RequestError
from attendo.server.limits import ServerLimits
from tests.server.live_server import live, wait_until
from tests.server.small_model import write_small_model
from tests.translation.fake_engine import FakeEngine, fake_tokenizer, fake_translator, logged

SENTENCE, OTHER = "我爱机器学习。", "机器学习很有趣！"
GOOD = {"text": SENTENCE, "to": "en"}
HANDS = {"erase": [2, 3], "heads_off": [["cross", 1, 0]], "temperature": 2.0}
NOT_IN_A_HEAD = {"tensors", "weights", "output_rows", "code"}
KEY = "a-key-of-the-tests"
KINDS = {
    "the default model": None,
    "post-norm": {},
    "pre-norm": {"norm_order": "pre", "norm": "rms", "activation": "swiglu", "bias": False},
    "rotary": {"positions": "rotary", "tied_output": False},
    "learned": {"positions": "learned", "max_length": 200, "activation": "gelu"},
    "additive": {"compatibility": "additive", "positions": "none"},
}


@pytest.fixture(scope="module", params=KINDS)
def looked(request, tmp_path_factory):
    """A server of one model, and its glass."""
    choices = KINDS[request.param]
    folder = None if choices is None else write_small_model(tmp_path_factory.mktemp("model") / "small", **choices)
    glass = open_glass(folder)
    with live(fake_translator(glass.bundle.folder, FakeEngine())) as server:
        yield server, glass


def ask(server, **more):
    return server.ask("POST", "/api/glass", {**GOOD, **more})


def numbers(server, path):
    reply = server.ask("GET", f"/api/glass/{path}")
    assert reply.status == 200, reply.body
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["cache-control"] == "no-store"
    return np.frombuffer(reply.body, "<f4")


def fetched(server, head):
    """Every tensor that the head names, by its name."""
    found = {}
    for group, tensors in head["groups"].items():
        flat, begin = numbers(server, f"{head['id']}/{group}"), 0
        for name, shape in tensors:
            found[name] = flat[begin : begin + prod(shape)].reshape(shape)
            begin += prod(shape)
        assert begin == len(flat)
    return found


# --- what is told


@pytest.mark.parametrize("hands", [{}, HANDS], ids=["untouched", "hands"])
def test_the_numbers_are_those_of_a_look(looked, hands):
    server, glass = looked
    head = ask(server, hands=hands).json
    witness = look(SENTENCE, "en", model=glass, hands=Hands.from_dict(hands))
    assert head["translation"] == witness.translation
    tensors, weights = fetched(server, head), glass.model.weights
    for name, array in tensors.items():
        theirs = witness.trace[name] if name in witness.trace else weights[name]
        np.testing.assert_allclose(array, theirs, rtol=1e-6, atol=1e-6, err_msg=name)
    last = ("Q", "K", "V", "w", "out", "inner", "gate", "up")
    layered = {name for name in witness.trace if ".layers." not in name and name.rpartition(".")[2] in last}
    norms = {name for name in weights.arrays if ".norm." in name}
    assert layered - {"decoder.out"} | norms <= set(tensors)
    layers = [f"{stack}.{n}" for stack in ("encoder", "decoder") for n in range(head["config"][f"{stack}_layers"])]
    assert set(head["groups"]) == {"source", "target", *layers}


def test_a_word_is_told_by_its_pieces(looked):
    """Forced by these, the model says it; what is no word is refused in a line."""
    server, glass = looked
    head = ask(server).json
    address = f"/api/glass/{head['id']}/pieces"
    ids = server.ask("POST", address, {"word": "adore", "step": 2}).json["ids"]
    assert glass.tokenizer.decode(ids).strip() == "adore"
    force = {"1": head["target"]["ids"][0], **{str(2 + at): piece for at, piece in enumerate(ids)}}
    assert ask(server, hands={"force": force}).json["target"]["ids"][1 : 1 + len(ids)] == ids
    for body in ({}, {"word": " "}, {"word": 7}, {"word": "a" * 101}, {"word": "a", "step": 0}, {"word": "\ud800"}):
        assert server.ask("POST", address, body).status == 400, body
    assert server.ask("POST", "/api/glass/unknown/pieces", {"word": "a"}).status == 404


def test_every_product_can_be_unfolded(looked):
    """A number of Q, K, V, of the feed-forward part and of the logits, made again from what the routes tell."""
    server, glass = looked
    config = glass.model.config
    head = ask(server).json
    trace, tensors = look(SENTENCE, "en", model=glass).trace, fetched(server, head)
    first, second = ("gate", "down") if config.activation == "swiglu" else ("inner", "outer")
    for layer, part, weight, name, reads in (
        ("encoder.{}0", "self_attention", "query", "Q", "in"),
        ("decoder.{}1", "cross_attention", "output", "out", "concat"),
        ("encoder.{}1", "feed_forward", first, first, "in"),
        ("decoder.{}0", "feed_forward", second, "out", "hidden"),
    ):
        made = f"{layer.format('')}.{part}"
        *column, bias = numbers(server, f"{head['id']}/column/{layer.format('layers.')}.{part}.{weight}/5")
        product = trace[f"{made}.{reads}"] @ np.array(column, np.float32) + bias
        found = tensors[f"{made}.{name}"]
        shown = found[5 // config.head_dim, :, 5 % config.head_dim] if name == "Q" else found[:, 5]
        np.testing.assert_allclose(product, shown, rtol=1e-4, atol=1e-4)
    piece = head["target"]["ids"][0]
    *row, bias = numbers(server, f"{head['id']}/output/{piece}")
    logit = trace["decoder.out"][0] @ np.array(row, np.float32) + bias
    assert logit == pytest.approx(head["steps"][0]["logit"], rel=1e-4, abs=1e-4)


def test_the_head_is_that_of_a_page(looked):
    server, glass = looked
    head = ask(server, hands=HANDS, target="I love machine learning.").json
    found = explain(SENTENCE, "en", model=glass, hands=Hands.from_dict(HANDS), target="I love machine learning.")
    page = json.loads(json.dumps(page_data(found, view_of(found), "en")))
    assert set(page) - NOT_IN_A_HEAD == set(head) - {"id", "groups"}
    same = set(page) - NOT_IN_A_HEAD - {"steps", "pieces", "model", "best", "search", "comparison", "training"}
    assert {key: head[key] for key in same} == {key: page[key] for key in same}
    assert head["model"] == "model-1"
    assert head["training"]["given"]
    assert head["training"]["loss"] == pytest.approx(page["training"]["loss"], rel=1e-5)
    assert [len(step["ids"]) for step in head["steps"]] == [20] * len(head["target"]["ids"])
    assert [step["ids"][:5] for step in head["steps"]] == [step["ids"][:5] for step in page["steps"]]
    named = {one for step in head["steps"] for one in step["ids"]}
    assert {str(one) for one in named} <= set(head["pieces"])


def test_what_attention_gave_to_the_erased(looked):
    server, glass = looked
    looked_at = ask(server, hands={"erase": [2, 3]}).json["comparison"]["looked"]
    plain = look(SENTENCE, "en", model=glass)
    for layer, row in enumerate(looked_at):
        weights = plain.trace[f"decoder.{layer}.cross_attention.weights"].mean(axis=0)  # [target, source]
        assert row == pytest.approx(weights[:, 2] + weights[:, 3], rel=1e-4)
    assert ask(server, hands={"positions": "off"}).json["comparison"]["looked"] is None
    assert ask(server).json["comparison"] is None


def test_pieces_are_joined_to_words(tmp_path):
    with live(fake_translator(write_small_model(tmp_path / "small"), FakeEngine())) as server:
        head = ask(server, text="I love xylophones 24", to="zh").json
    labels = head["source"]["labels"]
    words = ["".join(labels[begin:end]) for begin, end in head["words"]["source"]]
    assert [word.strip("␣") for word in words] == [">>zh<<", "I", "love", "xylophones", "24", "</s>"]
    ends = [end for _, end in head["words"]["target"]]
    assert ends[-1] == len(head["target"]["ids"])
    assert [begin for begin, _ in head["words"]["target"]] == [0, *ends[:-1]]


def test_the_code_beside_each_station(server):
    found = server.ask("GET", "/api/glass/code").json
    assert {
        "pieces", "embedding", "positions", "encoder", "attention", "multi_head", "add_and_norm", "norms",
        "feed_forward", "decoder", "masks", "cache", "logits", "softmax", "search", "training_pass",
    } <= set(found)  # fmt: skip
    root = Path(attendo.__file__).parents[1]
    for station, code in found.items():
        lines = code["source"].split("\n")
        there = (root / code["file"]).read_text(encoding="utf-8").split("\n")[code["line"] - 1 :]
        assert [line.strip() for line in lines] == [line.strip() for line in there[: len(lines)]], station
        assert len(lines) <= 60


# --- what is kept


def test_the_same_request_is_the_same_look(server, monkeypatch):
    first = ask(server, text=OTHER).json
    monkeypatch.setattr(looking, "look_job", None)  # nothing is computed
    assert ask(server, text=OTHER).json == first
    assert ask(server, text=OTHER, hands={}, model="model-1", beam=4).json == first
    monkeypatch.undo()
    others = [ask(server, text=OTHER, **more).json for more in ({"beam": 2}, {"hands": HANDS}, {"target": "I love."})]
    assert len({one["id"] for one in [first, *others]}) == 4


def test_ids_are_of_one_process(echo, server):
    with live(echo) as another:
        assert ask(server).json["id"] != ask(another).json["id"]


def test_a_look_without_hands_is_not_searched_for_again(server, monkeypatch):
    steps = watched_steps(monkeypatch)

    def searches(**more):
        steps.clear()
        ask(server, text="机器学习", **more)
        return [step.number for step in steps].count(1)

    assert searches() == 2  # with its training pass, which is fed its own pieces
    assert searches(hands={"erase": [1]}) == 2
    assert searches(hands={"erase": [1]}, beam=2) == 3  # by another beam, what is untouched is new


def test_what_is_forgotten_is_told_so_and_made_again(echo, evidence):
    with live(echo, limits=replace(ServerLimits(), glass_bytes=400_000)) as server:
        first = ask(server).json
        source = numbers(server, f"{first['id']}/source")
        for number in range(12):
            assert ask(server, text=f"{OTHER}{number}", beam=1).status == 200
            assert server.looking.looks.nbytes <= 400_000
            assert server.looking.looks.nbytes == sum(one.nbytes for one in server.looking.looks.kept.values())
        for path in ("source", "column/encoder.layers.0.self_attention.query/0", "output/3"):
            reply = server.ask("GET", f"/api/glass/{first['id']}/{path}")
            assert reply.status == 404
            assert reply.json["kind"] == "gone"
        assert ask(server).json == first
        np.testing.assert_array_equal(numbers(server, f"{first['id']}/source"), source)
    evidence("S6", "bytes of looks over glass_bytes, after 12 looks", "0")


# --- what is refused

BAD = {
    "no text": ({"text": None}, 400),
    "a list": ({"text": ["a"]}, 400),
    "nothing to look at": ({"text": "  "}, 400),
    "an unknown hand": ({"hands": {"hat": 1}}, 400),
    "hands of another type": ({"hands": [1]}, 400),
    "a head that is not there": ({"hands": {"heads_off": [["cross", 7, 0]]}}, 400),
    "a head in no stack": ({"hands": {"heads_off": [["hat", 0, 0]]}}, 400),
    "lists in lists": ({"hands": {"heads_off": [[["cross"], [0], [0]]]}}, 400),
    "a position beyond the source": ({"hands": {"erase": [77]}}, 400),
    "a position that is a text": ({"hands": {"erase": ["1"]}}, 400),
    "too cold": ({"hands": {"temperature": 0}}, 400),
    "a huge temperature": ({"hands": {"temperature": 10**400}}, 400),
    "a piece that is not there": ({"hands": {"force": {"1": 10_000_000}}}, 400),
    "a step that is none": ({"hands": {"force": {"first": 7}}}, 400),
    "force as a list": ({"hands": {"force": [[[], 7]]}}, 400),
    "a beam of none": ({"beam": 0}, 400),
    "a beam too wide": ({"beam": 9}, 400),
    "a beam far too wide": ({"beam": 10**9}, 400),
    "a beam that is a text": ({"beam": "wide"}, 400),
    "an unknown language": ({"to": "Klingon"}, 400),
    "a language that no model has": ({"to": "fr"}, 400),
    "an unknown model": ({"model": "../../etc/passwd"}, 400),
    "a model that is a number": ({"model": 7}, 400),
    "an empty target": ({"target": ""}, 400),
    "a target that is a list": ({"target": ["I"]}, 400),
    "a target that is too long": ({"target": "love " * 1_000}, 400),
    "too many tokens": ({"text": "我爱" * 100}, 413),
    "too many characters": ({"text": "我" * 60_000}, 413),
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_looked_at(server, what):
    more, status = BAD[what]
    reply = ask(server, **more)
    assert reply.status == status, reply.body
    assert set(reply.json) == {"error", "kind", "retry_after"}
    assert "\n" not in reply.json["error"]
    assert "Traceback" not in reply.json["error"]


@pytest.mark.parametrize(
    "path",
    ["hat", "encoder.9", "encoder", "column/embedding/0", "column/encoder.layers.0.self_attention.query/16",
     "column/encoder.layers.0.self_attention.query/-1", "column/encoder.layers.0.self_attention.query/٣",
     "column/encoder.layers.0.self_attention.query.weight/0", "column/../0", "output/450000", "output/x",
     "output/" + "9" * 5_000],
)  # fmt: skip
def test_numbers_that_are_not_there(server, path):
    reply = server.ask("GET", f"/api/glass/{ask(server).json['id']}/{quote(path)}")
    assert reply.status in (400, 404)
    assert reply.json["error"]


def test_nobody_learns_of_a_look_without_its_id(server):
    ask(server)
    for guessed in ("0" * 32, "plain", "", "%2e%2e"):
        assert server.ask("GET", f"/api/glass/{guessed}/source").status == 404


def test_keys(echo):
    with live(echo, access=Access(keys=frozenset([digest_of(KEY)]))) as server:
        assert ask(server).status == 401
        assert server.ask("GET", "/api/glass/code").status == 401
        head = ask(server, api_key=KEY).json
        path = f"/api/glass/{head['id']}/source"
        assert server.ask("GET", path).status == 401
        assert server.ask("GET", path, headers={"authorization": f"Bearer {KEY}"}).status == 200
        assert server.ask("GET", f"{path}?api_key={KEY}").status == 200


def test_pages_of_other_sites(server):
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        assert server.ask("POST", "/api/glass", GOOD, headers).status == 403
        assert server.ask("GET", f"/api/glass/{ask(server).json['id']}/source", headers=headers).status == 403


def test_other_families_are_refused(tmp_path):
    table = {"family": "recurrent", "vocab_size": fake_tokenizer().vocab_size}
    write_bundle(
        tmp_path / "old", table, fake_tokenizer(), [("zh", "en"), ("en", "zh")], "# Old\n",
        lambda path: path.write_bytes(b"none"), needs=1,
    )  # fmt: skip
    small = fake_translator(write_small_model(tmp_path / "small"), FakeEngine())
    with live(fake_translator(tmp_path / "old", FakeEngine()), small) as server:
        reply = ask(server)
        assert reply.status == 400
        assert "recurrent" in reply.json["error"]
        assert str(tmp_path) not in reply.json["error"]
        assert ask(server, model="model-2").status == 200


def test_broken_weights_are_a_mistake_of_ours_and_show_no_path(tmp_path):
    translator = fake_translator(write_small_model(tmp_path / "small"), FakeEngine())
    translator.bundle.weights.write_bytes(b"none")
    with live(translator) as server:
        reply = ask(server)
        assert reply.status == 500
        assert str(tmp_path) not in reply.json["error"]


def test_too_much_to_keep(echo):
    with live(echo, limits=replace(ServerLimits(), glass_bytes=10_000)) as server:
        reply = ask(server)
        assert reply.status == 413
        assert "MB" in reply.json["error"]


# --- many at once, and those who leave


class Step(NamedTuple):
    at: float  # of the clock time.monotonic, when it began
    number: int  # from 1 in each search


def watched_steps(monkeypatch, seconds=0.0):
    """Each step of every search, as it begins; it takes so long."""
    steps, real = [], search.next_log_probs

    def slowly(model, target_in, *more):
        steps.append(Step(time.monotonic(), target_in.shape[-1]))
        time.sleep(seconds)
        return real(model, target_in, *more)

    monkeypatch.setattr(search, "next_log_probs", slowly)
    return steps


def begin(server, text):
    """A request that is sent, and whose answer nobody has read yet."""
    body = json.dumps({**GOOD, "text": text}).encode()
    head = (
        f"POST /api/glass HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    )
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    connection.sendall(f"{head}\r\n\r\n".encode() + body)
    return connection


def outcome(server, kind):
    return server.service.metrics.registry.get_sample_value(
        "attendo_requests_total", {"dialect": "glass", "outcome": kind}
    )


def test_who_leaves_stops_the_search_within_a_step(echo, monkeypatch, evidence):
    with live(echo) as server:
        steps = watched_steps(monkeypatch, 0.05)
        connection = begin(server, SENTENCE)
        wait_until(lambda: len(steps) >= 3)
        connection.close()
        left = time.monotonic()
        wait_until(lambda: not server.service.under_way and not server.looking.under_way)
        wasted = sum(step.at > left + 0.02 for step in steps)  # so long the news may take
        assert wasted <= 1
        assert outcome(server, "cancelled") == 1
        evidence("S8", "steps of a search after the client of a look has left", wasted)
        monkeypatch.undo()
        assert ask(server).status == 200


def test_who_leaves_the_line_is_not_looked_at(echo, monkeypatch):
    with live(echo) as server:
        steps = watched_steps(monkeypatch, 0.03)
        first = begin(server, SENTENCE)
        wait_until(lambda: steps)
        texts = []
        monkeypatch.setattr(looking, "look_job", lambda asked, *more: texts.append(asked.text))
        second, third = begin(server, OTHER), begin(server, "机器学习。")
        wait_until(lambda: server.looking.under_way.total() == 3)
        second.close()
        wait_until(lambda: server.looking.under_way.total() == 2)
        third.close()
        wait_until(lambda: server.looking.under_way.total() == 1)
        first.close()
        wait_until(lambda: not server.service.under_way)
        assert texts == []


def test_the_end_of_its_time(echo, monkeypatch, evidence):
    with live(echo, limits=replace(ServerLimits(), glass_seconds=0.4)) as server:
        watched_steps(monkeypatch, 0.1)
        started = time.monotonic()
        reply = ask(server)
        late = time.monotonic() - started - 0.4
        assert reply.status == 504
        assert abs(late) < 0.3
        wait_until(lambda: not server.service.under_way)
        monkeypatch.undo()
        wait_until(lambda: ask(server, beam=1).status == 200)  # at once, if the machine is not busy
        evidence("S7", "ms by which the end of a look's time was missed", round(1000 * abs(late)))


def test_the_line_is_bounded(echo, monkeypatch, evidence):
    """40 at once with room for 4: those are answered one after the other, the rest is sent away at once."""
    limits = replace(ServerLimits(), glass_waiting=4, glass_of_a_client=4)
    with live(echo, limits=limits) as server, ThreadPoolExecutor(40) as pool:
        watched_steps(monkeypatch, 0.002)
        replies = list(pool.map(lambda number: ask(server, text=f"{OTHER}{number}", beam=1), range(40)))
        statuses = [reply.status for reply in replies]
        assert set(statuses) <= {200, 429, 503}
        assert statuses.count(200) >= 4
        assert all(int(reply.headers["retry-after"]) >= 1 for reply in replies if reply.status != 200)
        assert not server.looking.under_way
        assert not server.service.under_way
    evidence("S5", "statuses of 40 looks at once with room for 4, besides 200, 429 and 503", "0")


def test_one_client_has_not_all_places(echo, monkeypatch):
    with live(echo, limits=replace(ServerLimits(), glass_of_a_client=2)) as server:
        watched_steps(monkeypatch, 0.02)
        begun = [begin(server, SENTENCE), begin(server, OTHER)]
        wait_until(lambda: server.looking.under_way.total() == 2)
        assert ask(server, text="机器学习。").status == 429
        for connection in begun:
            connection.close()


def test_one_after_the_other(echo, monkeypatch):
    """Two clients at once: each gets its own look, and never are two computed together."""
    real, inside, most = looking.look_job, [], []

    def watched(*arguments):
        inside.append(threading.get_ident())
        most.append(len(inside))
        try:
            return real(*arguments)
        finally:
            inside.pop()

    monkeypatch.setattr(looking, "look_job", watched)
    with live(echo) as server, ThreadPoolExecutor(2) as pool:
        texts = [f"{text}{number}" for number in range(6) for text in (SENTENCE, OTHER)]
        heads = [reply.json for reply in pool.map(lambda text: ask(server, text=text, beam=1), texts)]
    assert [head["text"] for head in heads] == texts
    assert set(most) == {1}


def test_translations_go_on_beside_looks(echo, monkeypatch):
    with live(echo) as server:
        watched_steps(monkeypatch, 0.05)
        connection = begin(server, SENTENCE)
        wait_until(lambda: server.looking.under_way)
        started = time.monotonic()
        assert server.translate("hello", "zh").status == 200
        assert time.monotonic() - started < 1
        connection.close()


def test_looks_rest_while_others_translate(echo, monkeypatch):
    rests = []
    monkeypatch.setattr(look_pace.time, "sleep", rests.append)
    now = time.monotonic()
    pace = look_pace.LookPace(Ticket("one", now + 10, now + 10), lambda: True, since=now - 0.01)
    pace(1)
    pace.since -= 5
    pace(2)
    assert 0.02 <= rests[0] < rests[1] == look_pace.LONGEST_REST
    pace.others_wait = lambda: False
    pace(3)
    assert len(rests) == 2
    pace.ticket.cancelled = True
    with pytest.raises(RequestError, match="nobody waits"):
        pace(4)


def test_looks_do_not_rest_for_looks(echo, monkeypatch):
    slow = type(echo)(echo.bundle, echo.tokenizer, FakeEngine(seconds=0.3, remembers=False))
    with live(slow) as server, ThreadPoolExecutor(1) as pool:
        watched_steps(monkeypatch, 0.02)
        connection = begin(server, SENTENCE)
        wait_until(lambda: server.service.under_way)
        assert not server.looking.others_wait()
        translated = pool.submit(server.translate, "hello", "zh")
        wait_until(server.looking.others_wait)
        assert translated.result().status == 200
        wait_until(lambda: not server.looking.others_wait())
        connection.close()


def test_a_server_about_to_end_looks_at_nothing(echo):
    with live(echo) as server:
        server.service.draining = True
        reply = ask(server)
        assert reply.status == 503
        assert reply.headers["retry-after"]


def test_nothing_of_a_text_is_logged(echo):
    with live(echo) as server, logged() as messages:
        ask(server)
        ask(server, hands={"hat": "秘密"})
        assert not any("机器" in message or "秘密" in message for message in messages)


def test_it_is_counted_and_its_limits_are_told(echo):
    with live(echo) as server:
        ask(server)
        ask(server, beam=9)
        assert outcome(server, "ok") == outcome(server, "rejected") == 1
        limits = server.ask("GET", "/api/info").json["limits"]
    usual = {key: value for key, value in ServerLimits().to_dict().items() if key.startswith("glass_")}
    assert usual.items() <= limits.items()
    assert len(usual) == 7
