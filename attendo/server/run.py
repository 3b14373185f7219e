"""A server from its start to its end: a socket, the models on it, and a quiet end on SIGTERM.

At the first signal /ready says no, who still comes is sent elsewhere for a moment, then the door closes, and what is
under way is answered; at the second all ends at once. uvicorn is told nothing of the texts: its access log, which would
write queries and so keys, is off.
"""

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from attendo.errors import InputError
from attendo.server.access import Access
from attendo.server.app import build_app
from attendo.server.connection import guarded_by
from attendo.server.service import Service

logger = logging.getLogger("attendo.server")

BACKLOG = 2_048
NOTICE = 0.5  # seconds for which the door stays open when we end: who has been let in by the system alone, and may have
# sent all of a request, is told to come again, and not cut off; and who asks /ready learns it


def serve_until_told(
    service: Service,
    access: Access,
    bound: socket.socket,
    on_ready: Callable[[], None] = lambda: None,
    *,
    on_loaded: Callable[[], None] = lambda: None,
    spec_title: str | None = None,
) -> None:
    """Returns when the server has been told to end and has."""
    server = DrainingServer(configured(service, access, spec_title), service, on_ready, on_loaded)
    try:
        server.run([bound])
    finally:
        service.close()
    if server.failure:
        raise server.failure


def configured(service: Service, access: Access, spec_title: str | None = None) -> uvicorn.Config:
    limits = service.limits
    return uvicorn.Config(
        build_app(service, access, spec_title=spec_title),
        http=guarded_by(limits),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # anybody can write them
        timeout_keep_alive=max(1, round(limits.idle_seconds)),
        timeout_graceful_shutdown=max(1, round(limits.drain_seconds)),
        backlog=BACKLOG,
    )


class DrainingServer(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        service: Service,
        on_ready: Callable[[], None] = lambda: None,
        on_loaded: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self.service, self.on_ready, self.on_loaded = service, on_ready, on_loaded
        self.failure: Exception | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn would send itself the signal once more when all is done; to have ended in peace is no failure."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.service.draining = True
        self.force_exit = self.should_exit  # at the second signal
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """The socket answers at once that it lives; it is ready when the models have shown that they translate."""
        await super().startup(sockets)
        asyncio.get_running_loop().run_in_executor(None, self.warm_up)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.service.drain()
        end = asyncio.get_running_loop().time() + NOTICE
        while asyncio.get_running_loop().time() < end and not self.force_exit:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)

    def warm_up(self) -> None:
        try:
            self.service.start(self.on_loaded)
        except Exception as error:
            self.failure = error
            self.should_exit = True
            return
        self.on_ready()


def bind(host: str, port: int) -> socket.socket:
    """Before models are loaded: a port that is taken is told at once."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"cannot listen on {host}, port {port}: {why}") from error
    bound.setblocking(False)
    return bound
