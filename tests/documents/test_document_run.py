"""A document through `attendo translate`: resumed after any accident, reported, and never half a file."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from attendo.cli.main import main
from attendo.documents.file_translation import FileTranslation
from attendo.documents.formats import po
from attendo.errors import InputError, UsageError
from attendo.model_folder import bundle
from attendo.translation import load as load_module
from tests.documents.laws import samples
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, logged, write_fake_model

ROOT = Path(__file__).parents[2]
WORDS = ["我爱机器学习", "机器学习很有趣", "他昨天买了三本书", "你好吗"]
CUES = 40


def srt(cues=CUES, words=WORDS):
    parts = []
    for number in range(1, cues + 1):
        begins = f"00:{number // 30:02}:{2 * number % 60:02}"
        text = f"{words[number % len(words)]}，{words[number // 4 % len(words)]}。"
        parts.append(f"{number}\n{begins},000 --> {begins},900\n{text}\n")
    return "\n".join(parts).encode()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("documents") / "model")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "in.srt").write_bytes(srt())
    return tmp_path / "in.srt", tmp_path / "out.srt"


def go(model, source, target, *, listener=None, engine=None, **settings):
    engine = engine or FakeEngine(backwards, tokens_per_batch=5)
    work = FileTranslation(source=source, target=target, **({"to": "en", "from_": "zh"} | settings))
    with work.opened() as stream, logged() as messages:
        account = work.run(fake_translator(model, engine), stream, sys.stdout.buffer, listener or Listener())
    return SimpleNamespace(account=account, engine=engine, messages=messages, data=target.read_bytes())


class Enough(Listener):
    """Stops the run after so many batches."""

    def __init__(self, batches):
        super().__init__()
        self.batches = batches

    def done(self, chunk, answers):
        self.batches -= 1
        if not self.batches:
            raise KeyboardInterrupt


def names(target):
    return sorted(path.name for path in target.parent.iterdir() if path.name not in ("cache", "in.srt"))


def test_a_document_is_translated_text_by_text(model, files):
    listener = Listener()
    run = go(model, *files, listener=listener)
    assert listener.counted == "segments"
    report = run.account.report.to_dict()
    assert (report["document"], report["found"], report["translated"], report["kept"]) == ("srt", CUES, CUES, 0)
    before, after = files[0].read_bytes().split(b"\n"), run.data.split(b"\n")
    assert len(before) == len(after)
    changed = [index for index, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert all(index % 4 == 2 for index in changed)
    assert len(changed) > CUES / 2
    assert names(files[1]) == ["out.srt"]
    assert run.account.ledger.adds_up


def test_the_same_text_is_asked_once(model, files):
    files[0].write_bytes(srt(words=["我爱机器学习"]))
    run = go(model, *files)
    assert len(run.engine.asked) == 1
    assert run.account.lines == CUES


@pytest.mark.parametrize("batches", [1, 2, 5])
def test_a_stopped_run_goes_on_where_it_was(model, files, batches, tmp_path):
    whole = go(model, files[0], tmp_path / "whole.srt")
    with pytest.raises(KeyboardInterrupt):
        go(model, *files, listener=Enough(batches))
    assert not files[1].exists()
    journal = tmp_path / "out.srt.segments.jsonl"
    done = len(journal.read_bytes().splitlines()) - 1
    assert done > 0
    again = go(model, *files, resume=True)
    assert again.data == whole.data
    assert len(again.engine.asked) == len(whole.engine.asked) - done
    assert again.account.ledger == whole.account.ledger
    assert not journal.exists()


def test_a_journal_cut_at_any_byte_is_good_up_to_there(model, files, tmp_path):
    whole = go(model, files[0], tmp_path / "whole.srt").data
    with pytest.raises(KeyboardInterrupt):
        go(model, *files, listener=Enough(4))
    journal = tmp_path / "out.srt.segments.jsonl"
    full = journal.read_bytes()
    head = full.index(b"\n") + 1
    for end in [0, head, head + 1, *range(head + 50, len(full), len(full) // 7), len(full)]:
        journal.write_bytes(full[:end])
        assert go(model, *files, resume=True).data == whole, end
        files[1].unlink()


def test_a_line_of_the_journal_that_was_changed_is_not_believed(model, files, tmp_path):
    whole = go(model, files[0], tmp_path / "whole.srt").data
    with pytest.raises(KeyboardInterrupt):
        go(model, *files, listener=Enough(2))
    journal = tmp_path / "out.srt.segments.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"text": "', b'"text": "evil '))
    assert go(model, *files, resume=True).data == whole


def test_what_is_still_the_same_in_a_changed_document_is_kept(model, files):
    with pytest.raises(KeyboardInterrupt):
        go(model, *files, listener=Enough(3))
    files[0].write_bytes(files[0].read_bytes().replace("你好吗，我爱机器学习".encode(), "你好，我爱机器学习".encode()))
    fresh, resumed = go(model, files[0], files[1].with_name("other.srt")), go(model, *files, resume=True)
    assert resumed.data == fresh.data
    assert len(resumed.engine.asked) < len(fresh.engine.asked)


def test_a_resumed_run_takes_the_same_command(model, files):
    with pytest.raises(KeyboardInterrupt):
        go(model, *files, listener=Enough(2))
    with pytest.raises(InputError, match="was made with another --from"):
        go(model, *files, resume=True, from_=None)
    run = go(model, *files)
    assert any("--resume would continue after them" in message for message in run.messages)


def test_a_finished_document_is_not_made_again(model, files):
    first = go(model, *files)
    again = go(model, *files, resume=True)
    assert again.engine.asked == []
    assert any("nothing to do" in message for message in again.messages)
    assert again.account.ledger == first.account.ledger
    with pytest.raises(InputError, match="another --bilingual"):
        go(model, *files, resume=True, bilingual="under")
    with pytest.raises(InputError, match="or without --full-vocabulary"):
        go(model, *files, resume=True, full_vocabulary=True)
    files[1].write_bytes(b"edited")
    with pytest.raises(InputError, match="was changed after"):
        go(model, *files, resume=True)
    files[0].write_bytes(srt(5))
    with pytest.raises(InputError, match="from another"):
        go(model, *files, resume=True)
    assert files[1].read_bytes() == b"edited"


def test_a_memory_is_taken_over_and_said(model, files, tmp_path):
    (tmp_path / "m.tmx").write_text(
        '<tmx version="1.4"><body><tu><tuv xml:lang="zh"><seg>你好吗，我爱机器学习。</seg></tuv><tuv xml:lang="en">'
        "<seg>Well?</seg></tuv></tu><tu><tuv xml:lang='zh'><seg>他昨天买了三本书，我爱机器学习。</seg></tuv>"
        "<tuv xml:lang='en'><seg>a &lt;b&gt;</seg></tuv></tu></body></tmx>"
    )
    run = go(model, *files, memory=tmp_path / "m.tmx")
    assert b"\nWell?\n" in run.data
    assert b"<b>" not in run.data  # no markup comes from a memory of plain texts
    notes = [note for note in run.account.report.notes if note.outcome == "from memory"]
    assert [note.place for note in notes] == ["cue 3", "cue 19", "cue 35"]
    assert run.account.report.to_dict()["from_memory"] == 3


def test_only_what_can_be_is_bilingual(model, files, tmp_path):
    assert b"\xe3\x80\x82\n\xe4\xbd" not in go(model, *files).data
    both = go(model, *files, bilingual="under").data
    assert both.count(b"\n") == files[0].read_bytes().count(b"\n") + CUES
    (tmp_path / "x.po").write_text('msgid "你好"\nmsgstr ""\n')
    with pytest.raises(UsageError, match="--bilingual is not for"):
        go(model, tmp_path / "x.po", tmp_path / "y.po", bilingual="over")
    (tmp_path / "x.txt").write_text("你好\n")
    with pytest.raises(UsageError, match="are for documents"):
        go(model, tmp_path / "x.txt", tmp_path / "y.txt", bilingual="over")


@pytest.fixture
def attendo(tmp_path, monkeypatch, capfdbinary, model):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(bundle, "model_folder", lambda name: model)
    monkeypatch.setattr(load_module, "load", lambda folder, **_: fake_translator(folder, FakeEngine()))

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["translate", "--to", "en", "--from", "zh", *map(str, arguments)])
        sys.stdout.flush()
        return end.value.code or 0, *capfdbinary.readouterr()

    return run


def test_the_command_reports(attendo, tmp_path):
    (tmp_path / "in.srt").write_bytes(srt(3, words=WORDS[:2]))
    code, out, err = attendo("-i", "in.srt", "-o", "out.srt")
    assert (code, out, err) == (0, b"", b"attendo: 3 segments found, 3 translated, 0 kept\n")
    report = json.loads((tmp_path / "out.srt.report.json").read_bytes())
    assert (report["found"], report["translated"], report["engine"]) == (3, 3, "fake")
    assert attendo("-i", "in.srt")[1] == (tmp_path / "out.srt").read_bytes()
    attendo("-i", "in.srt", "-o", "two.srt", "--report", "r.json")
    assert (tmp_path / "r.json").is_file()
    assert not (tmp_path / "two.srt.report.json").exists()


def test_an_entry_that_stays_untranslated_is_named_and_counts(attendo, tmp_path, monkeypatch):
    monkeypatch.setattr(po, "placeholder_problem", lambda source, answer: "placeholder lost: %s" * ("%s" in source))
    (tmp_path / "in.po").write_text('msgid "我爱机器学习 %s"\nmsgstr ""\n\nmsgid "你好"\nmsgstr ""\n')
    code, _, err = attendo("-i", "in.po", "-o", "out.po")
    assert code == 3
    assert b"in.po, line 1: left untranslated: placeholder" in err
    assert b"segment left untranslated" in err
    assert b'msgstr ""\n\n' in (tmp_path / "out.po").read_bytes()
    [note] = json.loads((tmp_path / "out.po.report.json").read_bytes())["notes"]
    assert (note["place"], note["outcome"]) == ("line 1", "refused")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-i", "in.srt", "--json"), b"--json is for lines: in.srt is a document"),
        (("-i", "in.srt", "--bilingual", "beside"), b"--bilingual is 'beside': expected under or over"),
        (("hello", "--bilingual", "under"), b"are for documents, and this is none"),
        (("-i", "in.srt", "-o", "out.srt", "--report", "out.srt.segments.jsonl"), b"name another file"),
    ],
)
def test_wrong_usage(attendo, tmp_path, arguments, words):
    (tmp_path / "in.srt").write_bytes(srt(3))
    code, out, err = attendo(*arguments)
    assert (code, out) == (2, b"")
    assert words in err
    assert err.count(b"\n") == 1
    assert not (tmp_path / "out.srt").exists()


def test_what_is_damaged_is_one_line(attendo, tmp_path):
    (tmp_path / "in.vtt").write_bytes(b"WEBVTT\n\n00:01.000 --> 00:02.000\nGr\xfcn\n")
    code, out, err = attendo("-i", "in.vtt", "-o", "out.vtt")
    assert (code, out) == (1, b"")
    assert err == b"attendo: in.vtt, line 4 is not UTF-8: expected UTF-8 (iconv -t UTF-8 makes it)\n"
    assert not (tmp_path / "out.vtt").exists()


def test_as_lines_still_takes_lines(attendo, tmp_path):
    (tmp_path / "in.srt").write_bytes(srt(3))
    attendo("-i", "in.srt", "-o", "out.srt", "--as-lines")
    assert (tmp_path / "out.srt").read_bytes().count(b"\n") == srt(3).count(b"\n")
    assert not (tmp_path / "out.srt.report.json").exists()


KILLED = """
import sys
from pathlib import Path
from attendo.documents.file_translation import FileTranslation
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator
model, source, target = map(Path, sys.argv[1:])
work = FileTranslation(source=source, target=target, to="en", from_="zh", resume=True)
with work.opened() as stream:
    print("ready", flush=True)
    work.run(fake_translator(model, FakeEngine(backwards, seconds=0.02)), stream, sys.stdout.buffer, Listener())
"""


@pytest.mark.slow
def test_kill_9_loses_nothing(model, files, tmp_path):
    whole = go(model, files[0], tmp_path / "whole.srt").data
    for pause in (0.0, 0.03, 0.06, 0.1, 0.15):
        command = [sys.executable, "-c", KILLED, model, *files]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(pause)
            process.send_signal(signal.SIGKILL)
        assert not files[1].exists() or files[1].read_bytes() == whole
    assert go(model, *files, resume=True).data == whole


def test_samples_are_there():
    assert len(samples("srt")) == len(samples("vtt")) == len(samples("po")) == 10
