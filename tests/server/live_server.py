"""A server in a thread of the test, with a fake or a real model behind it, on a port of its own."""

import http.client
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field

from attendo.server.access import Access
from attendo.server.batching import SentenceQueue
from attendo.server.document_desk import DocumentDesk
from attendo.server.limits import ServerLimits
from attendo.server.metrics import Metrics
from attendo.server.models import ServedModel, ServedModels
from attendo.server.run import DrainingServer, bind, configured
from attendo.server.service import Service
from tests.server.small_model import write_small_model
from tests.translation.fake_engine import FakeEngine, fake_translator

PATIENT = ServerLimits()


@dataclass
class Reply:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


@dataclass
class LiveServer:
    port: int
    service: Service
    server: DrainingServer
    access: Access = field(default_factory=Access)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def looking(self):
        """What the server holds for the glass; the route knows it."""
        app = self.server.config.loaded_app
        while not hasattr(app, "routes"):
            app = app.app
        return next(route.endpoint.__self__.looking for route in app.routes if route.path == "/api/glass")

    @property
    def desk(self):
        """What the server holds of documents: it is told when the server is to end."""
        return next(end.__self__ for end in self.service.at_end if isinstance(end.__self__, DocumentDesk))

    def ask(self, method, path, body=None, headers=None, timeout=20):
        """One request on a connection of its own; a dict goes as JSON."""
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers.setdefault("content-type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            assert len(told) == len(response.getheaders()), f"a header twice: {response.getheaders()}"
            return Reply(response.status, told, response.read())
        finally:
            connection.close()

    def translate(self, text, to="en", **more):
        return self.ask("POST", "/api/translate", {"text": text, "to": to, **more})


def served(*translators, metrics):
    return ServedModels(
        tuple(
            ServedModel(f"model-{number}", one, SentenceQueue(one.engine, metrics.on_batch))
            for number, one in enumerate(translators, start=1)
        )
    )


@contextmanager
def live(*translators, limits=PATIENT, access=None, **settings):
    """Around these translators, ready to be asked."""
    access = access or Access()
    metrics = Metrics()
    service = Service(served(*translators, metrics=metrics), limits, metrics, **settings)
    bound = bind("127.0.0.1", 0)
    server = DrainingServer(configured(service, access), service, lambda: None)
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    thread.start()
    wait_until(lambda: service.ready)
    try:
        yield LiveServer(bound.getsockname()[1], service, server, access)
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        service.close()
        bound.close()


def fake(folder, **settings):
    """A translator that says what it read, from zh into en and back; its weights are for the glass alone."""
    return fake_translator(write_small_model(folder), FakeEngine(remembers=False, **settings))


def wait_until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("what was waited for did not happen")
        time.sleep(0.005)
