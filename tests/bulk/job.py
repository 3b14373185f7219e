"""A bulk translation by an engine without a model: at once, always the same, each line apart from its neighbours."""

import random
from dataclasses import dataclass
from pathlib import Path

from attendo.bulk.join import join
from attendo.bulk.make_plan import make_plan
from attendo.bulk.plan import PlanSettings, read_plan
from attendo.bulk.run import Share, run
from attendo.model_folder.bundle import read_bundle
from attendo.training.stop import Stop
from tests.translation.fake_engine import FakeEngine, backwards, fake_translator

WORDS = ("机器学习", "我爱", "the", "sea", "and", "how", "are", "you", "three", "books", "他昨天", "7", "3.5")


def lines_of_text(count, seed=1):
    """Short and long ones, empty ones, and one that is no UTF-8."""
    draw = random.Random(seed)
    lines = [" ".join(draw.choices(WORDS, k=draw.randint(0, 8))).encode() for _ in range(count)]
    lines[count // 2] = b"the \xff sea"
    return b"\n".join(lines) + b"\n"


@dataclass(frozen=True)
class Job:
    """A model folder, an input, and the folder of its plan."""

    model: Path
    source: Path
    folder: Path
    tokens: int = 100  # decoded together: few, so that a small shard takes a while

    def plan(self, *others, **settings):
        table = {"model": str(self.model), "model_key": read_bundle(self.model).key, "to": "en", "from_": "zh"}
        table |= {"lines_per_shard": 20, "stale_after": 1.0} | settings
        return make_plan([self.source, *others], self.folder, PlanSettings(**table))

    def translator(self, seconds=0.0, say=backwards):
        return fake_translator(
            self.model, FakeEngine(say, seconds=seconds, remembers=False, tokens_per_batch=self.tokens)
        )

    def run(self, seconds=0.0, say=backwards, share=Share(), stop=None, **options):  # noqa: B008
        return run(self.folder, lambda plan: self.translator(seconds, say), stop or Stop(), share, **options)

    def join(self):
        return join(read_plan(self.folder))[0][0].read_bytes()

    def expected(self, data=None):
        """By the translator alone, line by line, in one process."""
        data = self.source.read_bytes() if data is None else data
        texts = data.removesuffix(b"\n").decode("utf-8", "surrogateescape").split("\n")
        answers = self.translator().translate_lines(texts, "en", "zh")
        lines = "\n".join(answer.to_line() for answer in answers)
        return (lines + "\n" * data.endswith(b"\n")).encode()

    def names(self):
        """Of the files in the folder of shards, without the ids of runners."""
        return sorted(path.name for path in (self.folder / "shards").iterdir())

    def is_clean(self):
        """Nothing is there but a marker and a file for each shard."""
        markers = [name for name in self.names() if name.endswith(".done")]
        return len(self.names()) == 2 * len(markers) == 2 * len(read_plan(self.folder).shards)
