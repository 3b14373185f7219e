"""A file to translate, the run that translates it, and one that is stopped in the middle."""

import json
import sys

import pytest

from attendo.documents.file_translation import FileTranslation
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, logged

LINES = 150
TEXT = "".join(
    f"{'我爱机器学习' * (n % 5)}{n}。 see {n * 7}{'' if n % 11 else chr(0)}\n" for n in range(LINES)
).encode().replace(b"see 49", b"s\xffe 49").removesuffix(b"\n")  # fmt: skip


def go(model, source, target, *, engine=None, **settings):
    watch = Listener()
    work = FileTranslation(source=source, target=target, **({"to": "en", "from_": "zh"} | settings))
    with work.opened() as stream, logged() as watch.messages:
        account = work.run(fake_translator(model, engine or FakeEngine(backwards)), stream, sys.stdout.buffer, watch)
    return account, watch


def beside(target):
    """What lies in the folder besides input and output."""
    return sorted(path.name for path in target.parent.iterdir() if path.name not in ("in.txt", "cache", target.name))


def stopped(model, source, target, after=5):
    """A run that ends in the middle, having done so many chunks."""

    class EnoughError(Exception):
        pass

    class Watch(Listener):
        def done(self, chunk, answers):
            self.chunks = getattr(self, "chunks", 0) + 1
            if self.chunks == after:
                raise EnoughError

    work = FileTranslation(source=source, target=target, to="en", from_="zh")
    with work.opened() as stream, pytest.raises(EnoughError):
        work.run(fake_translator(model, FakeEngine(backwards)), stream, sys.stdout.buffer, Watch())
    return json.loads((target.parent / "out.txt.partial.jsonl").read_bytes().split(b"\n")[-2])
