"""One connection, with an end to everybody's patience: uvicorn's protocol, and a deadline for each stage.

    receiving   from the first byte of a request (or from the connection, if none comes) to its last
    sending     until the client has taken the answer
    head        so many bytes, so many headers

uvicorn has only a deadline for idle connections, and no limit to a head: who sends a byte a second would hold a
connection for ever. The parser is llhttp's, which refuses two lengths, a length beside chunks, and bare line feeds.
"""

import re
from asyncio import AbstractEventLoop, TimerHandle, Transport
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from attendo.server.limits import ServerLimits

MOST_PIPELINED = 8  # requests that a client may send before it has its answers
UPGRADE = re.compile(rb"\r\n[Uu]pgrade:[^\r\n]*(?=\r\n)")
LINGER = 0.3  # seconds in which an idle connection may still bring a request that was on its way when we end


def guarded_by(limits: ServerLimits) -> type[HttpToolsProtocol]:
    """The class that uvicorn makes a connection of."""

    class LimitedConnection(GuardedConnection):
        def __init__(
            self,
            config: Config,
            server_state: ServerState,
            app_state: dict[str, Any],
            _loop: AbstractEventLoop | None = None,
        ) -> None:
            super().__init__(config, server_state, app_state, _loop)
            self.limits = limits
            self.access_log = False  # it would have queries in it, and so keys

    return LimitedConnection


class GuardedConnection(HttpToolsProtocol):
    limits: ServerLimits
    receiving: TimerHandle | None = None
    sending: TimerHandle | None = None
    in_head = True
    in_message = False  # a request has begun to arrive and has not ended
    ending = False  # the server is
    head_bytes = 0
    num_headers = 0
    bytes_of_headers = 0  # of their names and values
    refusal = ""  # a status line, found while the parser was at work

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self.refuse("503 Service Unavailable")
            return
        self.receive_until()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_receiving()
        self.stop_sending()
        super().connection_lost(exc)

    # --- what comes in

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.in_head:
            if not self.head_bytes and b"pgrade:" in data:
                # Java's client asks for HTTP/2 so. A server may go on as if it did not; the parser would take what
                # follows for another protocol.
                head, border, rest = data.partition(b"\r\n\r\n")
                data = UPGRADE.sub(b"", head) + border + rest
            self.head_bytes += len(data)
        super().data_received(data)
        # What stands in the same packet after a head is its body: only what no head ended is counted against it.
        if self.in_head and self.head_bytes > self.limits.header_bytes:
            self.refusal = self.refusal or "431 Request Header Fields Too Large"
        if self.refusal and not self.transport.is_closing():
            self.refuse(self.refusal)
        answered = self.cycle is None or self.cycle.response_complete
        if answered and not self.receiving and not self.timeout_keep_alive_task and not self.transport.is_closing():
            self.receive_until()  # some bytes have come that begin no request

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.num_headers = self.bytes_of_headers = 0
        self.in_message = True
        self.receive_until()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > self.limits.header_bytes:
            self.refusal = "414 URI Too Long"
            raise ValueError(self.refusal)

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self.num_headers += 1
        self.bytes_of_headers += len(name) + len(value)
        if self.num_headers > self.limits.headers or self.bytes_of_headers > self.limits.header_bytes:
            self.refusal = "431 Request Header Fields Too Large"
            raise ValueError(self.refusal)  # the parser stops here

    def on_headers_complete(self) -> None:
        self.in_head, self.head_bytes = False, 0
        if len(self.pipeline) >= MOST_PIPELINED:
            self.refusal = "429 Too Many Requests"
            raise ValueError(self.refusal)
        super().on_headers_complete()
        if self.is_large():
            self.receive_until(self.limits.upload_seconds)
        if self.ending:
            self.cycle.keep_alive = False

    def is_large(self) -> bool:
        """A body that only a route for files will read; others refuse it by its length, at once."""
        length = next((value for name, value in self.headers if name == b"content-length"), b"")
        return length.isdigit() and int(length[:20]) > self.limits.body_bytes

    def on_message_complete(self) -> None:
        self.in_head, self.head_bytes, self.in_message = True, 0, False
        self.stop_receiving()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What the parser stopped at; of limits we know better than it what was wrong."""
        self.refuse(self.refusal or "400 Bad Request")

    def refuse(self, status: str) -> None:
        if not self.transport.is_closing():
            body = f'{{"error": "{status[4:]}"}}'.encode()
            head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
            retry = "retry-after: 5\r\n" if status.startswith("503") else ""
            self.transport.write(f"{head}{retry}connection: close\r\n\r\n".encode() + body)
            self.transport.close()

    # --- deadlines

    def receive_until(self, seconds: float | None = None) -> None:
        self.stop_receiving()
        self.receiving = self.loop.call_later(seconds or self.limits.receive_seconds, self.received_too_late)

    def stop_receiving(self) -> None:
        if self.receiving:
            self.receiving.cancel()
            self.receiving = None

    def received_too_late(self) -> None:
        self.receiving = None  # it has passed, and the next one may begin
        waiting = self.cycle is not None and not self.cycle.response_complete
        if self.pipeline or (waiting and not self.cycle.more_body):
            return  # answers are on their way; what comes after them is counted from their end
        self.refuse("408 Request Timeout")
        if self.cycle and not self.cycle.response_complete:  # its body will not come any more
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and self.transport.get_write_buffer_size():
            self.send_until()
        if not self.in_message:
            self.stop_receiving()  # uvicorn's own deadline for idle connections holds from here on
        elif not self.receiving and not self.transport.is_closing():
            self.receive_until()  # the last one passed while this answer was made
        if self.pipeline and not self.transport.is_closing():
            self.flow.pause_reading()  # uvicorn reads on after every answer, however many requests wait

    def pause_writing(self) -> None:
        super().pause_writing()
        self.send_until()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.stop_sending()

    def send_until(self) -> None:
        self.stop_sending()
        self.sending = self.loop.call_later(self.limits.send_seconds, self.sent_too_late)

    def stop_sending(self) -> None:
        if self.sending:
            self.sending.cancel()
            self.sending = None

    def sent_too_late(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    # --- the end

    def shutdown(self) -> None:
        """On an idle connection a request may be on its way: it gets a moment to arrive, and is sent elsewhere."""
        self.ending = True
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LINGER, self.close_if_idle)
        else:
            self.cycle.keep_alive = False

    def close_if_idle(self) -> None:
        if self.transport.is_closing() or self.in_message:  # what has begun to arrive is answered, and then it closes
            return
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:
            self.cycle.keep_alive = False
