"""The ledger adds up for whatever comes, and a pass over lines loses none (X1, X2, X4)."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.text.normalize import EDGE, for_model, one_line, repair
from attendo.text.sentences import Segment, join, split
from attendo.translation.answer import Ledger, account, total

NOTHING = ["", " ", "\u00a0", "\u3000", "\u200b", "\t \t", "\x01\x02", "\0", "\ufeff", "\u2028", "\u202e"]
NOTHING += ["...", "。！？", "! ?", "—", "😀"]
BREAKS = ["\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
HOSTILE = [
    "\ud800",
    "\0",
    "\ufeffBOM",
    "\u202egnp.exe",
    "a\u0301" * 50,
    "<s> </s> {0}",
    "\ufffe",
    "\x1b[31mred",
    "é" * 900,
]


@dataclass(frozen=True)
class Became:
    outcome: str
    repeated: bool = False
    flagged: bool = False
    strange: tuple = ()
    doubtful: bool = False
    language: object = None


class FakeModel:
    """Says something for all it is asked, with line breaks thrown in, and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def translate(self, text):
        self.asked.append(text)
        return f" {text[::-1]}\n\u2028"


def translate(line, model, longest=400):
    """The whole way of a line, as a translator goes it."""
    text, repaired = repair(line)
    segments = split(text, "en", longest)
    answers, fates = [], []
    for segment in segments:
        fates.append(Became("silent" if segment.is_silent else "translated"))
        answers.append(segment.text if segment.is_silent else model.translate(for_model(segment.text)))
    return join(answers, segments, "de"), account(line, repaired, zip(segments, fates, strict=True))


LINES = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from([*NOTHING, *BREAKS, *HOSTILE, "Hi. ", "你好。", "3.14"]), max_size=8).map("".join),
    ),
    max_size=5,
)


def test_n_lines_in_n_lines_out_and_all_accounted_for(evidence):
    @settings(max_examples=300, deadline=None)
    @given(LINES, st.sampled_from([5, 400]))
    def check(lines, longest):
        lines = [line.replace("\n", " ") for line in lines]  # as a file's lines are
        done = [translate(line, FakeModel(), longest) for line in lines]
        outputs, ledger = [text for text, _ in done], total(ledger for _, ledger in done)
        assert len("".join(text + "\n" for text in outputs).split("\n")) - 1 == len(lines)
        assert ledger.lines_in == ledger.lines_out == len(lines)
        assert ledger.characters_in == ledger.characters_accounted_for == sum(map(len, lines))
        assert ledger.adds_up
        for line, output in zip(lines, outputs, strict=True):
            assert not Segment(line).is_silent or output == repair(line)[0]
            assert [c for c in output if c in BREAKS] == [c for c in line if c in BREAKS]

    check()
    evidence("X1", "drawn lists of lines with a line lost, added, or broken in two (fake model)", "0 of 300")
    evidence("X4", "drawn lists of lines with characters not accounted for", "0 of 300")


def test_nothing_to_say_does_not_reach_the_model(evidence):
    model = FakeModel()
    outputs = [translate(line, model)[0] for line in NOTHING]
    assert model.asked == []
    assert outputs == [line.replace("\0", "\ufffd") for line in NOTHING]
    evidence("X2", "texts of nothing to say that reach the model, or change", f"0 of {len(NOTHING)}")


def test_hostile_lines_neither_crash_nor_vanish(evidence):
    model = FakeModel()
    done = [translate(line, model) for line in HOSTILE]
    ledger = total(ledger for _, ledger in done)
    assert ledger.adds_up
    assert ledger.repaired == 2
    assert not any("\ud800" in text or "\0" in text for text, _ in done)
    assert not any(character in "\x1b\u202e\ufeff" for text in model.asked for character in text)
    evidence("X3", "hostile lines dropped, or crashes, on the way to a model and back", f"0 of {len(HOSTILE)}")


def test_what_the_model_is_shown_and_says():
    assert for_model("a\x01b \t\u00a0 c\u200bd ") == "ab cd"
    assert for_model("می\u200cخواهم") == "می\u200cخواهم"
    assert one_line(" a\n\nb\u2028c\r\n") == "a b c"


def test_what_is_printable_has_nothing_to_set_aside_but_plain_spaces():
    """The quick look of normalize.py relies on it."""
    assert [character for character in EDGE if character.isprintable()] == [" "]
    assert not any(chr(code).isprintable() for code in (0, *range(0xD800, 0xE000)))


def test_the_table_of_the_report():
    text, ledger = translate("Hello there. " * 3 + "X" * 900, FakeModel())
    table = ledger.to_dict()
    assert list(table)[:8] == [
        "lines_in", "lines_out", "characters_in", "characters_accounted_for", "segments", "cut", "repeated", "flagged",
    ]  # fmt: skip
    assert table["cut"] == 2
    assert table["segments"] == 6
    assert table["split"] == 1
    assert not ledger.is_clean
    assert ledger.remarks() == ["2 × cut in a sentence that was too long"]
    assert text


def test_ledgers_are_added():
    one = Ledger(lines_in=1, lines_out=1, characters_in=3, characters_translated=2, characters_of_space=1)
    assert (one + one).characters_accounted_for == 6
    assert one + Ledger() == total([one]) == one
    assert one.is_clean
    assert one.remarks() == []


def test_what_is_lost_is_seen():
    """The guard of the guard: a segment that is forgotten, and how a lost line would be called."""
    segments = split("One. Two.", "en")
    lost = account("One. Two.", 0, [(segments[0], Became("translated"))])
    assert not lost.adds_up
    assert lost.remarks() == ["of 9 characters 5 are accounted for"]
    assert Ledger(lines_in=1).remarks() == ["1 lines came in and 0 went out"]


def test_copies_and_flags_are_counted():
    segment = split("Ok", "en")[0]
    fates = [Became("copied", repeated=True), Became("translated", flagged=True)]
    ledger = account("OkOk", 0, [(segment, fate) for fate in fates])
    assert (ledger.untranslated, ledger.repeated, ledger.flagged, ledger.segments) == (1, 1, 1, 2)
    assert ledger.characters_accounted_for == 4
