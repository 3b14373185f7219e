"""The page at /: it runs nothing that is not its own, has all words twice, and its tests send what the server knows."""

import fnmatch
import gzip
import json
import re
import tomllib
from pathlib import Path

import pytest
from lxml import html

import attendo
from attendo.server.access import Access, digest_of
from attendo.server.app import Routes
from attendo.server.page import FOLDER, PAGE
from tests.server.live_server import live
from tests.server.page_clients import CLIENTS, DATA, PLACE, filled, request_of, table_for, value_at
from tests.test_chinese_terms import found_in, unwanted_words

ROOT = Path(__file__).parents[2]
KEY = "a-key-of-ours"
SCRIPTS = {address: file.path for address, file in PAGE.items() if file.path.suffix == ".js"}
DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|createContextualFragment|"
    r"DOMParser|srcdoc|setAttributeNS|javascript:|document\.cookie|set(?:Timeout|Interval)\(\s*[\"'`]"
)
WORD = re.compile(r"[\"'`]((?:page|key|box|mark|error|connect|paste|group|glass|tour|hand)\.[a-z]+)[\"'`]")


# Names of languages, which nobody fetches.
NAMESPACES = {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"}


def text_of(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def words():
    return json.loads(text_of("words.js").partition("WORDS =")[2].rstrip().removesuffix(";"))


@pytest.fixture(scope="module")
def server():
    with live(attendo.load(threads=1)) as one:
        yield one


@pytest.fixture(scope="module")
def locked():
    with live(attendo.load(threads=1), access=Access(keys=frozenset({digest_of(KEY)}))) as one:
        yield one


def test_every_file_is_served_and_is_in_the_wheel(server):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]
    package = Path(attendo.__file__).parent
    for path, file in PAGE.items():
        reply = server.ask("GET", path)
        assert (reply.status, reply.headers["content-type"]) == (200, file.media_type)
        assert reply.body == file.path.read_bytes()
        assert len(reply.body) > 100
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert any(fnmatch.fnmatch(str(file.path.relative_to(package)), one) for one in patterns["attendo"])


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip", True), ("br, GZIP;q=0.5", True), ("gzip;q=0", False), ("gzip; q=0.000", False), ("identity", False),
     ("gzipped", False), ("", False)],
)  # fmt: skip
def test_files_are_compressed_for_who_takes_it(server, accepted, packed):
    plain = server.ask("GET", "/")
    reply = server.ask("GET", "/", headers={"accept-encoding": accepted})
    assert reply.headers.get("content-encoding") == ("gzip" if packed else None)
    assert (gzip.decompress(reply.body) if packed else reply.body) == plain.body
    assert reply.headers["vary"] == "Accept-Encoding"


def test_a_file_that_is_there_already_is_not_sent_again(server):
    tag = server.ask("GET", "/").headers["etag"]
    for known in (tag, f'"other", {tag}'):
        reply = server.ask("GET", "/", headers={"if-none-match": known, "accept-encoding": "gzip"})
        assert (reply.status, reply.body, reply.headers["etag"]) == (304, b"", tag)
        assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert server.ask("GET", "/", headers={"if-none-match": '"other"'}).status == 200
    assert len({server.ask("GET", path).headers["etag"] for path in PAGE}) == len({one.path for one in PAGE.values()})


def test_it_needs_no_key_itself(locked):
    assert {locked.ask("GET", path).status for path in PAGE} == {200}
    assert locked.translate("你好").status == 401


def test_it_is_small():
    files = {file.path for file in PAGE.values()}
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 200_000


@pytest.mark.parametrize("address", SCRIPTS)
def test_a_script_makes_text_into_nothing_but_text(address, evidence):
    script = SCRIPTS[address].read_text(encoding="utf-8")
    assert DANGEROUS.findall(script) == []
    evidence("S16", "places in the page's scripts where a text could become markup or code", "0")
    assert set(re.findall(r"https?://[^\"]*", script)) <= NAMESPACES
    folder = address.rpartition("/")[0]
    for imported in re.findall(r" from \"(.*)\";$", script, re.MULTILINE):
        assert imported.replace("./", f"{folder}/") in PAGE


def test_the_page_loads_only_its_own_files_and_has_nothing_inline():
    page = html.fromstring(text_of("index.html"))
    loaded = [*page.xpath("//@src"), *page.xpath("//link/@href")]
    assert len(loaded) >= 4
    assert set(loaded) <= set(PAGE)
    assert page.xpath("//style | //*[@style] | //script[not(@src)] | //base | //iframe | //meta[@http-equiv]") == []
    assert [name for one in page.iter() for name in one.attrib if name.startswith("on")] == []
    assert all(link.startswith("#") for link in page.xpath("//a/@href"))


def test_the_style_loads_nothing():
    addresses = re.findall(r"url\(\"?(\w+:|.)", text_of("connect.css"))
    assert set(addresses) <= {"data:"}
    assert "@import" not in text_of("connect.css")


def test_every_word_is_there_in_both_languages_and_is_used():
    known, page = words(), html.fromstring(text_of("index.html"))
    assert all(set(one) == {"en", "zh"} and all(one.values()) for one in known.values())
    used = {key for one in ("word", "label", "hint") for key in page.xpath(f"//@data-{one}")}
    for path in SCRIPTS.values():
        if path.name != "words.js":
            used |= set(WORD.findall(path.read_text(encoding="utf-8")))
    assert used == set(known)


def test_both_languages_fill_in_the_same():
    for key, one in words().items():
        places = [sorted(re.findall(r"\{\w+\}", one[language])) for language in ("en", "zh")]
        assert places[0] == places[1], key


def test_its_chinese_keeps_to_the_terms():
    texts = [(key, one["zh"]) for key, one in words().items()]
    for client in CLIENTS.values():
        texts += [(client["id"], client[part]["zh"]) for part in ("name", "as", "where", "note") if part in client]
    unwanted = unwanted_words(ROOT / "docs" / "terms.md")
    assert list(found_in(texts, unwanted)) == []


@pytest.mark.parametrize("name", CLIENTS)
def test_a_program_is_told_whole(name):
    client = CLIENTS[name]
    assert client["group"] in DATA["groups"]
    for part in ("name", "as", "where", "note"):
        assert set(client.get(part, {"en": "", "zh": ""})) == {"en", "zh"}
    table = table_for("en", "zh", KEY)
    places = {match[1] for match in PLACE.finditer(json.dumps([client["paste"], client["request"]]))}
    assert places <= set(table)
    assert all(one["what"] in ("address", "key", "setting", "command", "code") for one in client["paste"])
    pasted = " ".join(filled(one["value"], table) for one in client["paste"])
    assert table["origin"] in pasted
    assert (KEY in pasted) != client.get("without_key", False)
    _, path, headers, body = request_of(client, table, as_page=True)
    sent = " ".join([path, *headers.values(), (body or b"").decode()])
    assert (KEY in sent) != client.get("without_key", False)


@pytest.mark.parametrize("name", CLIENTS)
def test_the_server_has_the_route(name):
    routes = {(method, path) for method, path, _ in Routes(None, Access(), "", dict).table()}
    method, path, _, _ = request_of(CLIENTS[name], table_for("zh", "en"))
    assert (method, path.partition("?")[0]) in routes


WAYS = [
    (name, kind)
    for name, client in CLIENTS.items()
    for kind in ("as the program", "as the page", "with a key", "as an extension")
    if kind != "as an extension" or client["group"] == "browser"
]


@pytest.mark.parametrize(("name", "kind"), WAYS)
def test_the_server_answers_what_the_program_reads(server, locked, name, kind):
    client, at = CLIENTS[name], locked if kind == "with a key" else server
    table = table_for("zh", "en", KEY if kind == "with a key" else "", at.address)
    method, path, headers, body = request_of(client, table, as_page=kind == "as the page")
    if kind == "as the page" and method == "POST":
        headers["Origin"] = at.address
    if kind == "as an extension":
        headers["Origin"] = "chrome-extension://abcdefghijklmnop"
    reply = at.ask(method, path, body, headers)
    if kind == "with a key" and client.get("without_key"):
        assert reply.status in (401, 403)
        return
    assert reply.status == 200, reply.body
    assert "library opens at nine" in value_at(reply.json, client["reads"])


def test_pages_of_other_sites_are_refused_as_the_page_says(server):
    reply = server.ask("POST", "/api/translate", {"text": "你好", "to": "en"}, {"Origin": "https://example.org"})
    assert reply.status == 403
    assert "--allow-origin" in reply.json["error"]


def test_dialect_is_told_of_the_servers_name(server):
    first = CLIENTS["dialect"]["first"]
    assert value_at(server.ask("GET", first["path"]).json, first["reads"]) != first["is"]
    assert "--spec-title LibreTranslate" in CLIENTS["dialect"]["note"]["en"]
