"""What a look does between its steps: it ends if nobody waits for it, and rests while others translate."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from attendo.server.batching import Ticket
from attendo.server.job import RequestError

REST = 2.0  # times as long as the step before it took: a third of a processor is left to looks
LONGEST_REST = 0.05  # seconds


@dataclass(eq=False)
class LookPace:
    """Told of each step of a search, before it is computed."""

    ticket: Ticket
    others_wait: Callable[[], bool]
    since: float = field(default_factory=time.monotonic)  # the last rest

    def __call__(self, step: int) -> None:
        if not self.ticket.is_alive:
            raise RequestError("cancelled", "nobody waits for this look any more")
        if self.others_wait():
            time.sleep(min(LONGEST_REST, REST * (time.monotonic() - self.since)))
        self.since = time.monotonic()
