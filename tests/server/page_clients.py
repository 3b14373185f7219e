"""The page's list of programs, and the requests that it holds, made as the page makes them."""

import json
import re
from urllib.parse import quote, urlencode

from attendo.server.page import FOLDER

DATA = json.loads((FOLDER / "clients.json").read_text(encoding="utf-8"))
CLIENTS = {client["id"]: client for client in DATA["clients"]}
PLACE = re.compile(r"\{([a-z_.]+)(?:\|([a-z]+))?\}")
TYPES = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "multipart": "multipart/form-data; boundary=part",
    "text": "text/plain; charset=utf-8",
    "none": None,
}


def table_for(source, target, key="", origin="http://localhost:5000"):
    found = {
        "origin": origin,
        "key": key,
        "token": f"?token={quote(key)}" if key else "",
        "bearer": f"-H 'Authorization: Bearer {key}' " if key else "",
        "text": DATA["samples"][source],
        "from": source,
        "to": target,
    }
    for side, code in (("from", source), ("to", target)):
        found |= {f"{side}.{style}": name for style, name in DATA["names"][code].items()}
    return found


def filled(value, table):
    """Placeholders of a text, a list or an object; what would hold an empty key is left out."""
    if isinstance(value, str):
        return PLACE.sub(lambda match: table[match[1]] or match[2] or "", value)
    if isinstance(value, list):
        return [filled(one, table) for one in value]
    return {
        name: filled(one, table)
        for name, one in value.items()
        if table["key"] or not isinstance(one, str) or "{key}" not in one
    }


def request_of(client, table, *, as_page=False):
    """(method, path, headers, body): in the form of the program, or in JSON, as the page's test sends it."""
    request = client["request"]
    path = filled(request["path"], table)
    if query := filled(request.get("query", {}), table):
        path += ("&" if "?" in path else "?") + urlencode(query, doseq=True)
    headers = filled(request.get("headers", {}), table)
    if "body" not in request:
        return request["method"], path, headers, None
    kind = "json" if as_page else request["type"]
    if TYPES[kind]:
        headers["Content-Type"] = TYPES[kind]
    return request["method"], path, headers, written(filled(request["body"], table), kind)


def written(body, kind):
    if kind == "form":
        return urlencode(body).encode()
    if kind == "multipart":
        parts = [f'--part\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{body[name]}\r\n' for name in body]
        return ("".join(parts) + "--part--\r\n").encode()
    return json.dumps(body).encode()


def value_at(answer, path):
    for step in path:
        answer = answer[step]
    return answer
