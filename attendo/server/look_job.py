"""One look, in a thread of its own: what a client asks, and from its sentence to what is kept and sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from attendo.explain.explain import Explanation, explain
from attendo.explain.groups import Group, tensor_groups
from attendo.explain.page_data import head_data
from attendo.explain.view import view_of
from attendo.glass.hands import Hands
from attendo.glass.look import Look
from attendo.glass.reading import Glass, read_text
from attendo.glass.search import OnStep
from attendo.glass.trace import Trace
from attendo.server.dialects import reading
from attendo.server.exchange import as_json
from attendo.server.job import Job, RequestError
from attendo.server.limits import ServerLimits
from attendo.server.looks import KeptLook, KeptPlain

BEAM = 4
LARGEST_BEAM = 64  # that anybody can mean; what this server allows, its limits say
LONGEST_MODEL = 200  # characters of a name
LOGITS = 20  # of each step; the 50 of a page that has no server would make the head half as large again


@dataclass(frozen=True, kw_only=True)
class LookRequest:
    """A sentence, how it is translated, and the hands on the machine."""

    text: str
    to: str | None = None
    from_: str | None = None
    beam: int = BEAM
    hands: Hands = field(default_factory=Hands)
    target: str | None = None  # a translation of the client's, for the training pass
    model: str | None = None  # the name of one that is served; None: who has the direction

    @property
    def job(self) -> Job:
        """The same as all that is checked and counted of any request."""
        return Job(texts=(self.text, self.target or ""), targets=(self.to or "",), source=self.from_, beam=self.beam)

    @property
    def without_hands(self) -> "LookRequest":
        return replace(self, hands=Hands(), target=None)


def read_look_request(body: Mapping[str, Any]) -> LookRequest:
    hands = body.get("hands")
    return LookRequest(
        text=reading.one_text(body, "text"),
        to=reading.source(body, "to"),
        from_=reading.source(body, "from"),
        beam=reading.whole_number(body, "beam", 1, LARGEST_BEAM) or BEAM,
        hands=Hands() if hands is None else Hands.from_dict(hands),
        target=None if body.get("target") is None else reading.one_text(body, "target"),
        model=None
        if body.get("model") is None
        else reading.checked("model", body["model"], "the name of a model", LONGEST_MODEL),
    )


class Looked(NamedTuple):
    look: KeptLook
    plain: KeptPlain


def look_job(
    asked: LookRequest, key: str, name: str, glass: Glass, plain: Look | None, limits: ServerLimits, on_step: OnStep
) -> Looked:
    """`plain`: a look at the same text without hands, if one is kept. `name` is the model's, as clients know it,
    and `key` what they will ask by."""
    check_tokens("the text", len(read_text(glass, asked.text, asked.to, asked.from_).request.ids), limits)
    found = explain(
        asked.text,
        asked.to,
        asked.from_,
        glass,
        target=asked.target,
        beam=asked.beam,
        hands=asked.hands,
        plain=None if asked.hands == Hands() else plain,
        on_step=on_step,
    )
    check_tokens("the translation", len(found.shown.best.ids), limits)
    groups = tensor_groups(found.shown.trace, found.config, glass.model.weights)
    head = {
        **head_data(found, view_of(found), "en", LOGITS),
        "model": name,
        "id": key,
        "groups": {
            group: [[tensor, list(array.shape)] for tensor, array in tensors.items()]
            for group, tensors in groups.items()
        },
    }
    kept = KeptLook(as_json(head), {group: as_bytes(tensors) for group, tensors in groups.items()}, glass)
    if kept.nbytes > limits.glass_bytes:
        megabytes, most = kept.nbytes / 1e6, limits.glass_bytes / 1e6
        raise RequestError("too-large", f"this look has {megabytes:.1f} MB: the server keeps at most {most:g} MB")
    return Looked(kept, KeptPlain(without_tensors(found)))


def without_tensors(found: Explanation) -> Look:
    """What `compare_looks` needs of the look without hands, which is nothing of what it was made from."""
    layers = range(found.config.decoder_layers)
    names = ["log_probs", *(f"decoder.{layer}.cross_attention.weights" for layer in layers)]
    return replace(found.plain, trace=Trace({name: found.plain.trace[name] for name in names}))


def as_bytes(tensors: Group) -> bytes:
    return b"".join(np.ascontiguousarray(array, dtype="<f4").tobytes() for array in tensors.values())


def check_tokens(what: str, tokens: int, limits: ServerLimits) -> None:
    if tokens > limits.glass_tokens:
        most = limits.glass_tokens
        raise RequestError("too-large", f"{what} has {tokens} tokens: the glass of this server shows at most {most}")
