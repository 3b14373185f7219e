"""The server under 1, 8 and 64 clients, beside the engine without a server and beside rivals, in one run.

    python -m benchmarks.serve [--seconds 6] [--rounds 3] [--libretranslate PYTHON]

Sentences are those of Tatoeba's Chinese test set, $ATTENDO_DATA/zh-en/tatoeba.test.tsv, four a request; clients run in
a process of their own on the same machine. All take turns, and the median of the rounds is shown. Then four times as
many requests a second are sent as the server can answer. --libretranslate names a Python in which LibreTranslate is
installed: it serves the same weights, see libretranslate.py.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import ROOT, data_folder, describe_machine

CLIENTS = (1, 8, 64)
BEAMS = (1, 4)
TEXTS = 4  # a request: what a page or a subtitle file sends at a time
OURS, DEFAULT_WRAPPER = "attendo serve", "wrapper, CTranslate2's default threads"
# inter_threads and intra_threads of a plain wrapper, see wrapper.py.
WRAPPERS = {
    DEFAULT_WRAPPER: (1, 0),
    "wrapper, 2 × 1 threads": (2, 1),
    "wrapper, 1 × 1": (1, 1),
    "wrapper, 1 × 2": (1, 2),
}
LIBRETRANSLATE = {"LibreTranslate, its default threads": (1, 0), "LibreTranslate, 2 × 1 threads": (2, 1)}
QUANTITIES = ("texts_per_second", "p50", "p95", "p99")


class Server(NamedTuple):
    command: list[str]  # with {port}
    ready: str = "/ready"
    environment: dict[str, str] = {}  # noqa: RUF012 - never written to


def servers(beam: int, libretranslate: str | None, packages: Path) -> dict[str, Server]:
    python = [sys.executable, "-m"]
    found = {OURS: Server([*python, "attendo", "serve", "--beam", str(beam), "--port", "{port}"])}
    for name, threads in WRAPPERS.items():
        found[name] = Server([*python, "benchmarks.serve.wrapper", "{port}", str(beam), *map(str, threads)])
    for name, (inter, intra) in LIBRETRANSLATE.items() if libretranslate else ():
        settings = {"PACKAGES_DIR": packages, "BEAM_SIZE": beam, "INTER_THREADS": inter, "INTRA_THREADS": intra}
        found[name] = Server(
            [str(libretranslate), "-m", "libretranslate.main", "--port", "{port}", "--load-only", "zh,en"],
            "/languages",
            {f"ARGOS_{key}": str(value) for key, value in settings.items()},
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--libretranslate", help="a Python that has it")
    arguments = parser.parse_args()
    rows = (data_folder() / "zh-en" / "tatoeba.test.tsv").read_text(encoding="utf-8").split("\n")
    lines = [row.split("\t")[0] for row in rows if row]
    with tempfile.TemporaryDirectory() as folder:
        path, packages = Path(folder) / "lines.txt", Path(folder) / "packages"
        path.write_text("\n".join(lines), encoding="utf-8")
        if arguments.libretranslate:
            subprocess.run([sys.executable, "-m", "benchmarks.serve.libretranslate", packages], check=True, cwd=ROOT)
        print(describe_machine(), flush=True)
        for beam in BEAMS:
            rivals = servers(beam, arguments.libretranslate, packages)
            compare(beam, rivals, lines, path, arguments.rounds, arguments.seconds)
        overload(path)


def compare(beam: int, rivals: dict[str, Server], lines: list[str], path: Path, rounds: int, seconds: float) -> None:
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    offline: list[float] = []
    for _ in range(rounds):
        offline.append(engine_alone(beam, lines, seconds))
        for name, server in rivals.items():
            with running(server) as port:
                ask(port, 1, 0.1, path)  # who loads at the first request does so once
                ask(port, 8, 1.5, path)
                for clients in CLIENTS:
                    found.setdefault((name, clients), []).append(ask(port, clients, seconds, path))
    alone = statistics.median(offline)
    median = {
        key: {name: statistics.median(run[name] for run in runs) for name in QUANTITIES} for key, runs in found.items()
    }
    print(f"\nBeam {beam}, {TEXTS} sentences a request; the engine without a server: {alone:.0f} sentences/s\n")
    print("| server | clients | sentences/s | of the engine | p50, ms | p95 | p99 |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for (name, clients), row in median.items():
        rate = row["texts_per_second"]
        late = " | ".join(f"{row[quantile]:.0f}" for quantile in QUANTITIES[1:])
        print(f"| {name} | {clients} | {rate:.0f} | {rate / alone:.0%} | {late} |")
    at_most = {name: median[name, CLIENTS[-1]]["texts_per_second"] for name in rivals}
    best = max(at_most[name] for name in WRAPPERS)
    ratios = f"{at_most[OURS] / at_most[DEFAULT_WRAPPER]:.2f} times a wrapper with default threads"
    print(f"\nAt {CLIENTS[-1]} clients {ratios}, {at_most[OURS] / best:.2f} times its best setting.", flush=True)


def engine_alone(beam: int, lines: list[str], seconds: float) -> float:
    """Sentences a second, in a process of its own and for as long as the servers: all lines, over and over."""
    code = (
        "import attendo, json, sys, time\n"
        "lines = json.load(sys.stdin); translator = attendo.load(); options = attendo.TranslationOptions(beam=BEAM)\n"
        "translator.translate(lines[:100], to='en', from_='zh', options=options)\n"
        "started, count = time.perf_counter(), 0\n"
        "while time.perf_counter() < started + SECONDS:\n"
        "    translator.translate(lines, to='en', from_='zh', options=options); count += len(lines)\n"
        "print(count / (time.perf_counter() - started))"
    )
    command = [sys.executable, "-c", code.replace("BEAM", str(beam)).replace("SECONDS", str(seconds))]
    done = subprocess.run(command, input=json.dumps(lines), capture_output=True, text=True, check=True, cwd=ROOT)
    return float(done.stdout)


def overload(path: Path) -> None:
    """Four times as many requests as can be served, for ten seconds; and then one."""
    with running(Server([sys.executable, "-m", "attendo", "serve", "--port", "{port}"])) as port:
        rate = ask(port, 64, 5.0, path)["texts_per_second"] / TEXTS
        found = ask(port, 0, 10.0, path, rate=4 * rate)
        started = time.perf_counter()
        after = ask(port, 1, 0.2, path)
        seconds = time.perf_counter() - started
        print(f"\nFour times the capacity, {4 * rate:.0f} requests/s for 10 s: {found['statuses']} by status,")
        print(f"p99 of those served {found['p99']:.0f} ms. Then one client: {after['statuses']}, ", end="")
        print(f"p50 {after['p50']:.0f} ms,")
        print(f"all within {seconds:.1f} s of the last of them.")


def ask(port: int, clients: int, seconds: float, path: Path, rate: float | None = None) -> dict[str, Any]:
    """What clients in a process of their own see, see load.py."""
    arguments = map(str, (port, clients, seconds, TEXTS, path))
    command = [sys.executable, "-m", "benchmarks.serve.load", *arguments, *(["--rate", str(rate)] if rate else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return dict(json.loads(done.stdout))


@contextmanager
def running(server: Server) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [part.replace("{port}", str(port)) for part in server.command]
    environment, nowhere = {**os.environ, **server.environment}, subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=nowhere, stderr=nowhere)
    try:
        wait_for(f"http://127.0.0.1:{port}{server.ready}")
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(address: str, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(address, timeout=1)  # noqa: S310
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"{address} does not answer")


if __name__ == "__main__":
    main()
