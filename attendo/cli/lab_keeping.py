"""What attendo lab keeps with the claims: stored evidence, learning rates, and what lab list shows."""

from pathlib import Path
from typing import TYPE_CHECKING

from attendo.cli.lab_results import progress_on_stderr
from attendo.cli.terminal import print_note, print_result
from attendo.report.language import Tr

if TYPE_CHECKING:
    from attendo.lab.claim import Experiment
    from attendo.lab.run import ClaimResult


def keep(results: "list[ClaimResult]", full: bool, everything: bool, tr: Tr) -> None:
    """Full runs as stored evidence, with the learning rates they found; and of all claims what lab list shows."""
    from attendo.lab.index import PATH as INDEX
    from attendo.lab.index import write_index
    from attendo.lab.run import tuned_to
    from attendo.lab.tools.evidence import stored_path, write_evidence
    from attendo.lab.tools.tuning import PATH, write_rows

    if everything:
        write_index(results)
        print_note(wrote(INDEX, tr))
    if not full:
        return
    for result in results:
        if result.experiment.evidence != "measured":
            write_evidence(stored_path(result.claim_id), result.evidence)
            print_note(wrote(stored_path(result.claim_id), tr))
    if rows := {result.claim_id: tuned_to(result) for result in results if result.experiment.tunes}:
        write_rows(rows)
        print_note(wrote(PATH, tr))


def tune_and_keep(wanted: "list[Experiment]", workers: int, fresh: bool, tr: Tr) -> None:
    from attendo.lab.run import Wanted, run_all, tuned_to
    from attendo.lab.tools.tuning import ENDS, PATH, TUNING_SEED, read_rows, write_rows

    if not wanted:
        return
    read_rows()  # a broken table is found before the work, not after it
    with progress_on_stderr(len(wanted), tr) as on_result:
        results = run_all(wanted, Wanted("tuning", TUNING_SEED, fresh), workers, on_result)
    rows = {result.claim_id: tuned_to(result) for result in results}
    write_rows(rows)
    end = tr(" (end of the grid)", "（网格边缘）")
    for claim, row in rows.items():
        rates = ", ".join(f"{side} {rate:g}{end * (rate in ENDS)}" for side, rate in row.rates.items())
        print_result(f"{claim:4} {rates}")
    print_note(wrote(PATH, tr))


def wrote(path: Path, tr: Tr) -> str:
    return tr(f"wrote {path}", f"已写入 {path}")
