"""The same shards over a Ray cluster of one machine, with two workers of which one is killed."""

import json
import os
import signal
import threading
import time
from contextlib import suppress

import pytest

from attendo.bulk.join import join
from attendo.bulk.make_plan import known_model, make_plan
from attendo.bulk.plan import PlanSettings
from attendo.bulk.run import RunnerMachine, load_translator, run
from attendo.model_folder.bundle import model_folder
from attendo.training.stop import Stop

pytest.importorskip("ray", reason="ray is not installed: pip install 'attendo[ray]'")
SENTENCES = [
    "我爱机器学习。",
    "你好吗？",
    "他昨天买了三本书。",
    "今天天气很好。",
    "谢谢你的帮助。",
    "",
    "我住在北京。",
    "再见！",
]
MACHINE = RunnerMachine(engine="ct2", device="cpu", threads=1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of ray's own
def test_one_of_two_workers_killed(tmp_path, monkeypatch):
    from attendo.bulk.ray_driver import run_on_ray

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    (tmp_path / "in.txt").write_text("\n".join(SENTENCES * 60) + "\n", encoding="utf-8")
    name, key = known_model(model_folder(None), "en", None)
    settings = PlanSettings(model=name, model_key=key, to="en", lines_per_shard=12)
    plans = [make_plan([tmp_path / "in.txt"], tmp_path / folder, settings) for folder in ("ray", "alone")]
    killed = []

    def kill_one():
        while not killed:
            time.sleep(0.02)
            if len(list(plans[0].shard_folder.glob("*.done"))) < 3:
                continue
            for path in plans[0].shard_folder.glob("*.lease-1"):
                with suppress(OSError, ValueError):
                    pid = json.loads(path.read_bytes())["pid"]
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    break

    threading.Thread(target=kill_one, daemon=True).start()
    run_on_ray(plans[0].folder, "local", MACHINE, 2)
    assert killed
    run(plans[1].folder, lambda plan: load_translator(plan, MACHINE), Stop())
    one, other = (join(plan)[0][0].read_bytes() for plan in plans)
    assert one == other
    assert one.count(b"\n") == len(SENTENCES) * 60
