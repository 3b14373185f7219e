"""Clients that ask a server as fast as it answers, or at a given rate: in a process of their own, on plain sockets.

    python -m benchmarks.serve.load PORT CLIENTS SECONDS TEXTS_A_REQUEST LINES.txt [--rate N]

Prints one line of JSON. Each client keeps its connection; with --rate a request is sent when its time has come, whether
or not those before it were answered, each on a connection of its own.
"""

import argparse
import asyncio
import json
import random
import time
from pathlib import Path
from typing import NamedTuple


class Answered(NamedTuple):
    status: int
    seconds: float
    at: float


class Load:
    def __init__(self, port: int, lines: list[str], texts: int, stop: float) -> None:
        self.port, self.lines, self.texts, self.stop = port, lines, texts, stop
        self.answers: list[Answered] = []

    def body(self, chosen: random.Random) -> bytes:
        texts = [chosen.choice(self.lines) for _ in range(self.texts)]
        body = json.dumps({"q": texts, "source": "zh", "target": "en"}).encode()
        head = "POST /translate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> None:
        started = time.perf_counter()
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next(line for line in head.split("\r\n") if line.startswith("content-length:"))
        await reader.readexactly(int(length.partition(":")[2]))
        now = time.perf_counter()
        self.answers.append(Answered(int(head[9:12]), now - started, now))

    async def client(self, number: int) -> None:
        chosen = random.Random(number)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while time.perf_counter() < self.stop:
            await self.exchange(reader, writer, self.body(chosen))
        writer.close()

    async def once(self, number: int) -> None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            await self.exchange(reader, writer, self.body(random.Random(number)))
            writer.close()
        except (OSError, asyncio.IncompleteReadError):
            self.answers.append(Answered(0, 0.0, time.perf_counter()))


async def run(arguments: argparse.Namespace) -> dict[str, float | dict[str, int]]:
    lines = [line for line in arguments.lines.read_text(encoding="utf-8").split("\n") if line]
    started = time.perf_counter()
    load = Load(arguments.port, lines, arguments.texts, started + arguments.seconds)
    if arguments.rate:
        waiting = []
        for number in range(int(arguments.rate * arguments.seconds)):
            await asyncio.sleep(max(0.0, started + number / arguments.rate - time.perf_counter()))
            waiting.append(asyncio.create_task(load.once(number)))
        await asyncio.gather(*waiting)
    else:
        await asyncio.gather(*(load.client(number) for number in range(arguments.clients)))
    seconds = max((answer.at for answer in load.answers), default=started) - started
    good = sorted(answer.seconds for answer in load.answers if answer.status == 200)
    statuses: dict[str, int] = {}
    for answer in load.answers:
        statuses[str(answer.status)] = statuses.get(str(answer.status), 0) + 1
    quantiles = {
        f"p{share}": 1000 * good[min(len(good) - 1, len(good) * share // 100)] if good else 0.0
        for share in (50, 95, 99)
    }
    return {"texts_per_second": len(good) * arguments.texts / seconds, "statuses": statuses, **quantiles}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("clients", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("texts", type=int)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--rate", type=float)
    print(json.dumps(asyncio.run(run(parser.parse_args()))))
