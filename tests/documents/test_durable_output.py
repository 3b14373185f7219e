"""A file's translation that was stopped: how it is resumed, and what is no continuation of it."""

import os
import sys

import pytest

from attendo.decoding.options import SamplingOptions
from attendo.documents.file_translation import FileTranslation
from attendo.errors import InputError, UsageError
from attendo.translation.glossary import Glossary, Term
from attendo.translation.options import TranslationOptions
from tests.documents.resumed_run import TEXT, beside, go, stopped
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, logged, write_fake_model

# --- going on


def test_resumes_after_the_last_chunk(model, files, whole):
    source, target = files
    last = stopped(model, source, target)
    assert not target.exists()
    engine = FakeEngine(backwards)
    account, watch = go(model, source, target, engine=engine, resume=True)
    assert (target.read_bytes(), account.ledger) == whole[:2]
    assert watch.started_at == last["lines"] > 5
    assert watch.messages == [f"resuming {target}.partial after line {last['lines']}"]
    assert watch.warnings == [remark for remark in whole[2] if remark[0] > last["lines"]]
    assert account.seconds > last["seconds"] > 0
    everything = FakeEngine(backwards)
    go(model, source, target, engine=everything)
    assert len(engine.asked) < len(everything.asked)


def test_a_file_is_replaced_when_the_new_one_is_whole_and_not_before(model, files, whole):
    source, target = files
    target.write_bytes(b"precious")
    stopped(model, source, target)
    assert target.read_bytes() == b"precious"
    go(model, source, target, resume=True)
    assert target.read_bytes() == whole[0]


def test_without_resume_all_begins_anew_and_that_is_said(model, files, whole):
    source, target = files
    last = stopped(model, source, target)
    partial = target.with_name("out.txt.partial").read_bytes()

    class Waiting(FakeEngine):
        def search(self, requests, options, *, attention=False):
            assert target.with_name("out.txt.partial").read_bytes() == partial  # there is time to press Ctrl-C
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(model, source, target, engine=Waiting())
    _, watch = go(model, source, target)
    assert watch.messages == [
        f"{target}.partial holds {last['lines']} lines of a run that was stopped: --resume would continue after them, "
        "now all begins anew"
    ]
    assert target.read_bytes() == whole[0]


def test_the_first_run_may_say_resume_too(model, files, whole):
    account, watch = go(model, *files, resume=True)
    assert (files[1].read_bytes(), account.ledger, watch.messages) == (whole[0], whole[1], [])


def test_ctrl_c_says_how_to_go_on(model, files, whole):
    class Interrupted(FakeEngine):
        def search(self, requests, options, *, attention=False):
            if len(self.asked) > 30:
                raise KeyboardInterrupt
            return super().search(requests, options)

    source, target = files
    watch = Listener()
    work = FileTranslation(source=source, target=target, to="en", from_="zh")
    with work.opened() as stream, logged() as watch.messages, pytest.raises(KeyboardInterrupt):
        work.run(fake_translator(model, Interrupted(backwards)), stream, sys.stdout.buffer, watch)
    assert len(watch.messages) == 1
    assert watch.messages[0].endswith("lines are done: the same command with --resume continues after them")
    go(model, source, target, resume=True)
    assert target.read_bytes() == whole[0]


def test_a_finished_file_is_left_alone(model, files, evidence):
    source, target = files
    first, _ = go(model, source, target)
    before = target.stat()
    engine = FakeEngine(backwards)
    again, watch = go(model, source, target, engine=engine, resume=True)
    assert (target.stat().st_ino, target.stat().st_ctime_ns) == (before.st_ino, before.st_ctime_ns)
    assert engine.asked == []
    assert watch.messages == [f"{target} is there already, made by the same command: nothing to do"]
    assert (again.ledger, again.lines) == (first.ledger, first.lines)
    assert beside(target) == []


# --- another command


OTHERS = {
    "another model": {"model": "other"},
    "another --to": {"to": "zh", "from_": "en"},
    "another --from": {"from_": None},
    "another --beam, --passes or --n-best": {"options": TranslationOptions(beam=2)},
    "or without --sample, or another --temperature": {"options": TranslationOptions(sampling=SamplingOptions())},
    "or without --keep": {"options": TranslationOptions(keep=True)},
    "or without --no-wider-retry": {"options": TranslationOptions(wider_retry=False)},
    "another --glossary": {"options": TranslationOptions(glossary=Glossary([Term("我", "I")]))},
    "or without --json": {"as_json": True},
    "or without --full-vocabulary": {"full_vocabulary": True},
    "an input of another size": {"input": TEXT + b"\n"},
    "was made from another": {"input": TEXT.replace(b"see 21", b"see 12")},
}


@pytest.mark.parametrize("end", ["stopped", "finished"])
def test_another_command_is_refused(model, files, end, tmp_path, evidence):
    source, target = files
    other = write_fake_model(tmp_path / "model", "# Other\n")
    if end == "stopped":
        stopped(model, source, target)
    else:
        go(model, source, target)
    there = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and path != source}
    for words, changes in OTHERS.items():
        settings = dict(changes)
        source.write_bytes(settings.pop("input", TEXT))
        with pytest.raises(InputError, match=words) as error:
            go(other if settings.pop("model", None) else model, source, target, resume=True, **settings)
        assert "without --resume the translation begins anew" in str(error.value)
        assert str(error.value).count(" and ") == (words == "another --to")  # the changed keys and no other
        assert {path: path.read_bytes() for path in there} == there
    evidence(
        "X1",
        f"--resume of a {end} translation by another command: refused, nothing touched",
        f"{len(OTHERS)} of {len(OTHERS)}",
    )


def test_a_finished_file_that_is_not_known_is_not_touched(model, files):
    source, target = files
    target.write_bytes(b"mine\n")
    with pytest.raises(InputError, match="nothing tells that this command made it"):
        go(model, source, target, resume=True)
    go(model, source, target)
    target.write_bytes(target.read_bytes() + b"edited\n")
    with pytest.raises(InputError, match="was changed after this command made it"):
        go(model, source, target, resume=True)
    assert beside(target) == []


def test_another_engine_is_remarked_on(model, files, whole):
    source, target = files
    stopped(model, source, target)
    _, watch = go(model, source, target, engine=FakeEngine(backwards, name="faster"), resume=True)
    assert watch.messages[1] == "it was begun by another engine: fake; now it is faster"
    assert target.read_bytes() == whole[0]


def test_pipes_cannot_be_gone_on_with(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for source, target in ((None, "o"), ("i", None), ("pipe", "o"), ("i", "pipe"), ("i", "/dev/null")):
        ends = {"source": source and tmp_path / source, "target": target and tmp_path / target}
        with pytest.raises(UsageError, match="--resume needs"):
            FileTranslation(to="en", resume=True, **ends)
