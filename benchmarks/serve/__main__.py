"""The server under 1, 8 and 64 clients, beside the engine without a server and beside plain wrappers, in one run.

    python -m benchmarks.serve [--seconds 6] [--rounds 3] [--libretranslate PYTHON]

Sentences are those of Tatoeba's Chinese test set, $ATTENDO_DATA/zh-en/tatoeba.test.tsv; clients run in a process of
their own on the same machine. All take turns, and the median of the rounds is shown. Then four times as many requests a
second are sent as the server can answer. --libretranslate names a Python in which LibreTranslate is installed with a
model for zh to en.
"""

import argparse
import json
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
from typing import Any

from benchmarks.machine import ROOT, data_folder, describe_machine

CLIENTS = (1, 8, 64)
BEAMS = (1, 4)
TEXTS = 4  # a request: what a page or a subtitle file sends at a time
# inter_threads and intra_threads; 1 and 0 are CTranslate2's own default.
WRAPPERS = {
    "wrapper, default threads": (1, 0),
    "wrapper, 2 × 1": (2, 1),
    "wrapper, 1 × 1": (1, 1),
    "wrapper, 1 × 2": (1, 2),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--libretranslate", help="a Python that has it")
    arguments = parser.parse_args()
    lines = [
        line.split("\t")[0] for line in (data_folder() / "zh-en" / "tatoeba.test.tsv").read_text("utf-8").split("\n")
    ]
    lines = [line for line in lines if line]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_text("\n".join(lines), encoding="utf-8")
        print(describe_machine())
        for beam in BEAMS:
            compare(beam, lines, path, arguments)
        overload(path)


def compare(beam: int, lines: list[str], path: Path, arguments: argparse.Namespace) -> None:
    servers = {"attendo serve": [sys.executable, "-m", "attendo", "serve", "--beam", str(beam), "--port", "{port}"]}
    for name, (inter, intra) in WRAPPERS.items():
        module = "benchmarks.serve.wrapper"
        servers[name] = [sys.executable, "-m", module, "{port}", str(beam), str(inter), str(intra)]
    if arguments.libretranslate:
        servers["LibreTranslate"] = [
            arguments.libretranslate,
            "-m",
            "libretranslate.main",
            "--port",
            "{port}",
            "--disable-web-ui",
        ]
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    offline: list[float] = []
    for _ in range(arguments.rounds):
        offline.append(engine_alone(beam, lines))
        for name, command in servers.items():
            with running(command) as port:
                ask(port, 8, 1.5, path)  # warm
                for clients in CLIENTS:
                    found.setdefault((name, clients), []).append(ask(port, clients, arguments.seconds, path))
    alone = statistics.median(offline)
    print(f"\nBeam {beam}, {TEXTS} sentences a request; the engine without a server: {alone:.0f} sentences/s\n")
    print(
        "| server | clients | sentences/s | of the engine | p50, ms | p95 | p99 |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for (name, clients), runs in found.items():
        median = {key: statistics.median(run[key] for run in runs) for key in ("texts_per_second", "p50", "p95", "p99")}
        rate = median["texts_per_second"]
        print(
            f"| {name} | {clients} | {rate:.0f} | {rate / alone:.0%} "
            f"| {median['p50']:.0f} | {median['p95']:.0f} | {median['p99']:.0f} |"
        )
    ours, default, *others = (statistics.median(run["texts_per_second"] for run in found[name, 64]) for name in servers)
    best = max([default, *others[: len(WRAPPERS) - 1]])
    print(
        f"\nAt 64 clients: {ours / default:.2f} times the wrapper with default threads, {ours / best:.2f} times its best."
    )


def engine_alone(beam: int, lines: list[str]) -> float:
    """In a process of its own, as the servers are."""
    code = (
        "import attendo, json, sys, time\n"
        "lines = json.load(sys.stdin); translator = attendo.load(); options = attendo.TranslationOptions(beam=BEAM)\n"
        "translator.translate(lines[:100], to='en', from_='zh', options=options)\n"
        "started = time.perf_counter(); translator.translate(lines, to='en', from_='zh', options=options)\n"
        "print(len(lines) / (time.perf_counter() - started))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code.replace("BEAM", str(beam))],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return float(done.stdout)


def overload(path: Path) -> None:
    """Four times as many requests as can be served, for ten seconds; and then one."""
    with running([sys.executable, "-m", "attendo", "serve", "--port", "{port}"]) as port:
        rate = ask(port, 64, 5.0, path)["texts_per_second"] / TEXTS
        found = ask(port, 0, 10.0, path, rate=4 * rate)
        started = time.perf_counter()
        after = ask(port, 1, 0.2, path)
        print(
            f"\nFour times the capacity ({4 * rate:.0f} requests/s for 10 s): {found['statuses']}; then {after['statuses']} ",
            end="",
        )
        print(f"within {time.perf_counter() - started:.1f} s, p50 {after['p50']:.0f} ms.")


def ask(port: int, clients: int, seconds: float, path: Path, rate: float | None = None) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.serve.load",
        str(port),
        str(clients),
        str(seconds),
        str(TEXTS),
        str(path),
    ]
    command += ["--rate", str(rate)] if rate else []
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return dict(json.loads(done.stdout))


@contextmanager
def running(command: list[str]) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [part.replace("{port}", str(port)) for part in command]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = "/languages" if "libretranslate.main" in command else "/ready"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=30)


if __name__ == "__main__":
    main()
