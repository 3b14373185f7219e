"""What looks cost those who translate: seconds of /translate alone, and beside clients that look without pause.

    python -m benchmarks.glass_load [--seconds 6] [--rounds 3] [--lookers 4]

Sentences are those of Tatoeba's Chinese test set, $ATTENDO_DATA/zh-en/tatoeba.test.tsv, four a request, beam 4. Each
look is at another text, so that none is kept already. All is on the same machine; medians of the rounds are shown.
"""

import argparse
import http.client
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from benchmarks.machine import data_folder, describe_machine
from benchmarks.serve.__main__ import Server, ask, running

CLIENTS = (1, 8)  # that translate
NUMBERS = count()  # of looks: no two are at the same text
QUANTITIES = ("texts_per_second", "p50", "p95", "p99")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lookers", type=int, default=4)
    arguments = parser.parse_args()
    rows = (data_folder() / "zh-en" / "tatoeba.test.tsv").read_text(encoding="utf-8").split("\n")
    lines = [row.split("\t")[0] for row in rows if row]
    print(describe_machine())
    found: dict[tuple[int, bool], list[dict[str, float]]] = {}
    looks: list[float] = []
    server = Server([sys.executable, "-m", "attendo", "serve", "--port", "{port}"])
    with tempfile.TemporaryDirectory() as folder, running(server) as port:
        path = Path(folder) / "lines.txt"
        path.write_text("\n".join(lines), encoding="utf-8")
        ask(port, 8, 1.5, path)
        for _ in range(arguments.rounds):
            for clients in CLIENTS:
                found.setdefault((clients, False), []).append(ask(port, clients, arguments.seconds, path))
                with looking(port, lines, arguments.lookers) as seconds:
                    found.setdefault((clients, True), []).append(ask(port, clients, arguments.seconds, path))
                looks += seconds
        with looking(port, lines, 1) as alone:
            time.sleep(arguments.seconds)
    print("\n| clients that translate | that look | sentences/s | p50, ms | p95 | p99 |")
    print("|---:|---:|---:|---:|---:|---:|")
    median = {
        key: {name: statistics.median(run[name] for run in runs) for name in QUANTITIES} for key, runs in found.items()
    }
    for (clients, beside), row in median.items():
        cells = " | ".join(f"{row[name]:.0f}" for name in QUANTITIES)
        print(f"| {clients} | {arguments.lookers if beside else 0} | {cells} |")
    for clients in CLIENTS:
        ratio = median[clients, True]["p95"] / median[clients, False]["p95"]
        print(f"p95 of {clients} beside looks: {ratio:.2f} times that alone")
    medians = [1000 * statistics.median(seconds) for seconds in (alone, looks)]
    print(f"A look takes {medians[0]:.0f} ms if it is alone, {medians[1]:.0f} ms among the others ({len(looks)} looks)")


@contextmanager
def looking(port: int, lines: list[str], clients: int) -> Iterator[list[float]]:
    """Clients that ask for looks, one after the other, until the end; the seconds of each that was answered."""
    seconds: list[float] = []
    done = threading.Event()

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not done.is_set():
            number = next(NUMBERS)
            asked = {"text": f"{lines[number % len(lines)]}{number}", "to": "en", "from": "zh"}
            started = time.perf_counter()
            connection.request("POST", "/api/glass", json.dumps(asked), {"content-type": "application/json"})
            reply = connection.getresponse()
            reply.read()
            if reply.status == 200:
                seconds.append(time.perf_counter() - started)
        connection.close()

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(0.5)
        yield seconds
    finally:
        done.set()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main()
