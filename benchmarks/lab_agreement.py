"""Does --quick say what the stored full run says, with the seeds of every day and with others?

python -m benchmarks.lab_agreement                 all claims with toy models that have a stored full run
python -m benchmarks.lab_agreement L22 L23         some of them
python -m benchmarks.lab_agreement --seeds 1 1001

Each claim is measured quickly from four first seeds; the verdicts are kept in attendo/lab/evidence/quick.json, where
tests/lab/test_agreement.py holds them against the full run. On two idle cores a claim takes some minutes.
"""

import argparse
import json
import time

from attendo.files.durable import write_file
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.run import Wanted, from_stored, run_experiment
from attendo.lab.tools.evidence import FOLDER, stored_path

PATH = FOLDER / "quick.json"
FIRST_SEEDS = (1, 1001, 2001, 3001)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("claims", nargs="*", metavar="ID")
    options.add_argument("--seeds", nargs="*", type=int, default=FIRST_SEEDS)
    asked = options.parse_args()
    trained = [name for name, one in EXPERIMENTS.items() if one.evidence == "trained" and stored_path(name).exists()]
    for name in asked.claims or trained:
        full = from_stored(EXPERIMENTS[name]).verdict
        for seed in asked.seeds:
            started = time.perf_counter()
            result = run_experiment(EXPERIMENTS[name], Wanted("quick", seed))
            keep(name, result.evidence.code, seed, result.verdict)
            mark = "" if result.verdict == full else f"   full: {full}"
            print(f"{name:4} {seed:5} {result.verdict:14} {time.perf_counter() - started:6.1f} s{mark}", flush=True)


def keep(name: str, code: str, seed: int, verdict: str) -> None:
    """Verdicts of other code are forgotten."""
    table = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    kept = table.get(name, {})
    verdicts = kept.get("verdicts", {}) if kept.get("code") == code else {}
    table[name] = {"code": code, "verdicts": {**verdicts, str(seed): verdict}}
    in_order = {one: table[one] for one in EXPERIMENTS if one in table}
    write_file(PATH, (json.dumps(in_order, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
