"""Which claims attendo lab works on, and what a user should know of them before the work begins."""

from typing import TYPE_CHECKING

from attendo.cli.terminal import print_note
from attendo.errors import UsageError
from attendo.report.language import Tr

if TYPE_CHECKING:
    from attendo.lab.claim import Experiment
    from attendo.lab.run import Wanted


def check_named(ids: list[str] | None, everything: bool) -> None:
    if everything == bool(ids):
        raise UsageError("name claims, such as L6 L18, or say --all")


def find_claim(experiments: dict[str, "Experiment"], name: str) -> "Experiment":
    if name.upper() not in experiments:
        raise UsageError(f"there is no claim '{name}' in the lab; attendo lab list shows them")
    return experiments[name.upper()]


def with_evidence(experiments: dict[str, "Experiment"], tr: Tr) -> "list[Experiment]":
    """Those that --quick can judge; of the others a line tells how to make them so."""
    from attendo.lab.run import wants_gpu
    from attendo.lab.tools.evidence import stored_path
    from attendo.lab.tools.tuning import rates_of

    found = []
    for experiment in experiments.values():
        trains = experiment.evidence == "real" or (experiment.tunes and not rates_of(experiment.id))
        if trains and not stored_path(experiment.id).exists():
            again = f"attendo lab run {experiment.id} --full --store"
            english = f"{experiment.id} is left out: it has no stored evidence yet; {again} makes it"
            chinese = f"略过 {experiment.id}：还没有存档数据；可用 {again} 生成"
            gpu = wants_gpu(experiment)
            print_note(tr(f"{english}{', on a GPU in minutes' * gpu}", f"{chinese}{'，在 GPU 上需几分钟' * gpu}"))
        else:
            found.append(experiment)
    return found


def check_knobs(chosen: "list[Experiment]", wanted: "Wanted") -> None:
    """Before anything is measured: every claim has these knobs, and the values fit."""
    from attendo.lab.knobs import settings_of

    for experiment in chosen:
        try:
            settings_of(experiment.knobs, wanted.measured_size, wanted.turned)
        except UsageError as error:
            if len(chosen) == 1:
                raise
            raise UsageError(f"claim {experiment.id}: {error}") from error
    if wanted.turned and (real := [one.id for one in chosen if one.evidence == "real" and wanted.size != "full"]):
        raise UsageError(f"{', '.join(real)}: measured from corpora by --full alone, so --set needs --full, too")


def warn_without_gpu(wanted: "list[Experiment]", tr: Tr) -> None:
    import torch

    from attendo.lab.run import wants_gpu

    real = ", ".join(experiment.id for experiment in wanted if wants_gpu(experiment))
    if real and not torch.cuda.is_available():
        english = f"{real}: there is no GPU here; what takes one minutes takes a CPU days"
        print_note(tr(english, f"{real}：这台机器没有 GPU；GPU 上几分钟的计算，CPU 上要几天"))
