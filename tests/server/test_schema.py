"""/openapi.json tells what is so: what clients send, what is answered, and which routes need a key."""

import json
import re
from fnmatch import fnmatch

import jsonschema_rs
import pytest

from attendo.server import schemas
from attendo.server.access import OPEN, SECRET_PATHS, Access, digest_of
from attendo.server.dialects.statuses import STATUSES
from attendo.server.limits import ServerLimits
from attendo.server.metrics import Metrics
from attendo.server.models import ServedModels
from attendo.server.run import configured
from attendo.server.service import Service
from tests.server.client_requests import REQUESTS
from tests.server.live_server import live

KEY = "a-key-of-the-tests"
WITH_JSON = [one for one in REQUESTS if one.body.startswith(b"{") and one.path != "/suggest"]
FILES = ("/download_file/{name}", "/v2/document/{id}/result", "/api/document/{id}/result")


@pytest.fixture(scope="module")
def schema(server):
    return server.ask("GET", "/openapi.json").json


@pytest.mark.parametrize("request_", WITH_JSON, ids=str)
def test_what_clients_send_is_as_it_says(schema, request_):
    path = request_.path.partition("?")[0]
    body = schema["paths"][path][request_.method.lower()]["requestBody"]["content"]["application/json"]["schema"]
    jsonschema_rs.validate(body, json.loads(request_.body))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/kiss", {"texts": ["hello"], "from": "en", "to": "zh"}),
        ("/translate", {"text": ["hello"], "target_lang": "zh"}),
        ("/translate", {"text": "hello", "to": "zh"}),
    ],
)
def test_bodies_that_have_two_forms(server, schema, path, body):
    assert server.ask("POST", path, body).status == 200
    expected = schema["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    jsonschema_rs.validate(expected, body)
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(expected, {"to": "zh"})


def answers_of(schema, method, path):
    return schema["paths"][path][method.lower()]["responses"]


def as_told(schema, method, path, reply):
    """Its status is one of those that the schema names, and so is its type."""
    content = answers_of(schema, method, path)[str(reply.status)].get("content", {})
    return not content or any(fnmatch(reply.headers["content-type"], f"{one}*") for one in content)


def test_the_answers_are_of_the_type_it_says(server, schema):
    look = server.ask("POST", "/api/glass", {"text": "我爱机器学习。", "to": "en"}).json
    found = {
        ("GET", "/metrics"): server.ask("GET", "/metrics"),
        ("POST", "/api/translate"): server.translate("hello", to="zh"),
        ("POST", "/api/translate/stream"): server.ask("POST", "/api/translate/stream", {"text": "hello", "to": "zh"}),
        ("GET", "/api/glass/{id}/{group}"): server.ask("GET", f"/api/glass/{look['id']}/source"),
        ("GET", "/api/glass/{id}/output/{piece}"): server.ask("GET", f"/api/glass/{look['id']}/output/5"),
        ("GET", "/live"): server.ask("GET", "/live"),
        ("POST", "/suggest"): server.ask("POST", "/suggest", {"q": "a"}),
    }
    assert {reply.status for reply in found.values()} == {200, 403}
    for (method, path), reply in found.items():
        assert as_told(schema, method, path, reply), path
    for path in FILES:
        (method,) = schema["paths"][path].values()
        assert list(method["responses"]["200"]["content"]) == ["*/*"]
    assert "200" not in answers_of(schema, "POST", "/suggest")


def test_the_statuses_are_those_of_the_dialects(schema):
    """Besides 499, which nobody reads, and those that the connection says by itself."""
    named = set(map(int, answers_of(schema, "POST", "/api/translate"))) - {200}
    assert named - set(STATUSES.values()) == {408, 414, 431}
    assert set(STATUSES.values()) - named == {499}
    assert {"401", "413"}.isdisjoint(answers_of(schema, "GET", "/live"))


def test_it_says_which_routes_need_a_key(echo, schema):
    """Where the server has keys; what the routes do is asked in test_doors.py."""
    assert "security" not in schema
    with live(echo, access=Access(keys=frozenset({digest_of(KEY)}))) as locked:
        assert locked.ask("GET", "/openapi.json").status == 401
        found = locked.ask("GET", "/openapi.json", headers={"authorization": f"Bearer {KEY}"}).json
        schemes = found["components"]["securitySchemes"]
        assert {name for one in found["security"] for name in one} == set(schemes)
        assert all(re.fullmatch(r"[a-zA-Z0-9._-]+", name) for name in schemes)  # else it is no OpenAPI
        open_ = {path for path, methods in found["paths"].items() if next(iter(methods.values())).get("security") == []}
        assert open_ == OPEN | SECRET_PATHS
        for one in schemes.values():
            prefix = "DeepL-Auth-Key " if one.get("name") == "Authorization" else ""
            header = one["name"] if one.get("in") == "header" else "authorization" if one["type"] == "http" else None
            value = prefix + KEY if one["type"] == "apiKey" else f"Bearer {KEY}"
            query = "" if header else f"?{one['name']}={KEY}"
            assert locked.ask("GET", f"/api/info{query}", headers={header: value} if header else {}).status == 200, one


@pytest.mark.parametrize("change", ["a route that nothing is told of", "a line without a route"])
def test_a_server_is_not_built_with_a_route_that_nothing_is_told_of(monkeypatch, change):
    if change == "a line without a route":
        monkeypatch.setitem(schemas.ABOUT, "/nowhere", ("server", "Nothing.", None))
    else:
        monkeypatch.delitem(schemas.ABOUT, "/live")
    service = Service(ServedModels(()), ServerLimits(), Metrics())
    with pytest.raises(ValueError, match="/nowhere" if "line" in change else "/live"):
        configured(service, Access())
