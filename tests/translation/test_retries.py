"""What the first answer lost is looked for in a wider beam; what lost nothing is asked once."""

from types import SimpleNamespace

import pytest

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SearchOptions
from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import warnings_of
from attendo.documents.progress import TranslationProgress
from attendo.engines.engine import Request
from attendo.translation.glossary import Glossary, Term
from attendo.translation.options import TranslationOptions
from attendo.translation.retries import POLICIES, WIDER_BEAM, Searcher
from tests.translation.fake_engine import Beams, fake_translator, logged, write_fake_model

SOURCE = "他有12本书。"
FIRST = "He has books."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("fake") / "model")


def translate(folder, engine, text=SOURCE, **options):
    return fake_translator(folder, engine).translate(text, to="en", options=TranslationOptions(beam=4, **options))


def test_the_likeliest_that_keeps_all_is_taken(folder):
    engine = Beams(FIRST, ["He has books.", "He has 12 books.", "He owns 12 books."])
    answer = translate(folder, engine)
    assert answer.text == "He has 12 books."
    assert answer.sentences[0].hypothesis.log_prob == pytest.approx(-1.1 * len(answer.sentences[0].hypothesis.ids))
    assert engine.beams == [4, WIDER_BEAM]
    assert answer.ledger.is_clean
    assert answer.remarks == (
        f"'{SOURCE}': missing at first: the number '12'; taken from an attempt with a wider beam (16)",
    )


def test_what_lost_nothing_is_asked_once(folder):
    engine = Beams("He has 12 books.", ["never"])
    assert translate(folder, engine).text == "He has 12 books."
    assert engine.beams == [4]


def test_without_it_the_first_answer_stays_and_is_flagged(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    answer = fake_translator(folder, engine).translate(SOURCE, to="en", options=TranslationOptions(wider_retry=False))
    assert answer.text == FIRST
    assert engine.beams == [4]
    assert answer.ledger.flagged == 1


def test_where_nothing_helps_the_first_answer_stays_and_is_flagged(folder):
    answer = translate(folder, Beams(FIRST, ["She has books.", "He has a book."]))
    assert answer.text == FIRST
    assert answer.ledger.flagged == 1
    assert "missing in the translation: the number '12'" in answer.remarks[0]


def test_the_one_that_loses_least_is_taken_and_what_it_lost_is_said(folder):
    engine = Beams(FIRST, ["He has books.", "He has 12 books.", "He has 45 books."])
    answer = translate(folder, engine, "他有12本书，45支笔。")
    assert answer.text == "He has 12 books."
    assert answer.ledger.flagged == 1
    assert any("missing in the translation: the number '45'" in remark for remark in answer.remarks)


def test_one_that_runs_wild_is_not_taken(folder):
    engine = Beams(FIRST, ["He has 12 books " * 20, "He has 12 books."])
    assert translate(folder, engine).text == "He has 12 books."


def test_the_other_answers_come_after(folder):
    engine = Beams(FIRST, ["He has books.", "He has 12 books.", "He owns 12 books."])
    answer = translate(folder, engine, n_best=2)
    assert (answer.text, *answer.alternatives) == ("He has 12 books.", "He has books.")


def test_each_of_many_gets_its_own(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    answers = translate(folder, engine, [SOURCE, "他有书。", SOURCE])
    assert [answer.text for answer in answers] == ["He has 12 books.", FIRST, "He has 12 books."]
    assert engine.beams == [4, 4, WIDER_BEAM]  # the same sentence once


def test_a_wider_beam_stays_as_wide(folder):
    engine = Beams(FIRST, ["He has books."])
    fake_translator(folder, engine).translate(SOURCE, to="en", options=TranslationOptions(beam=WIDER_BEAM + 4))
    assert engine.beams == [WIDER_BEAM + 4] * 3  # the third with a stand-in


def test_what_a_glossary_put_in_its_place_is_not_undone(folder):
    engine = Beams("He has {1}.", ["He has 12 books."])
    glossary = Glossary([Term("12本书", "a dozen books")])
    answer = fake_translator(folder, engine).translate(SOURCE, to="en", options=TranslationOptions(glossary=glossary))
    assert answer.text == "He has a dozen books."
    assert engine.beams == [4]


def test_what_the_guard_decoded_again_is_left_alone(folder):
    class Wild(Beams):
        def search(self, requests, options, *, attention=False):
            self.narrow = "He has books." if options.no_repeat_ngram else "books " * 90
            return super().search(requests, options)

    engine = Wild(FIRST, ["He has 12 books."])
    answer = translate(folder, engine)
    assert answer.text == FIRST
    assert answer.ledger.flagged == answer.ledger.repeated == 1
    assert WIDER_BEAM not in engine.beams


def test_a_stream_is_looked_at_too(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    assert "".join(fake_translator(folder, engine).stream(SOURCE, to="en")) == "He has 12 books."


def test_what_is_recovered_needs_no_force(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    assert (
        fake_translator(folder, engine).translate(SOURCE, to="en", options=TranslationOptions(keep=True)).text
        == "He has 12 books."
    )
    assert engine.beams == [4, WIDER_BEAM]


def test_what_was_recovered_is_no_warning(folder):
    """stderr names what deserves a look; the first ten only."""
    progress, chunk = TranslationProgress(None, "line", None), Chunk(1, [SOURCE], True, 1)
    recovered, lost = (translate(folder, Beams(FIRST, [wide])) for wide in ("He has 12 books.", FIRST))
    assert recovered.remarks
    assert (recovered.recovered, lost.recovered) == (True, False)
    with logged() as messages:
        progress.done(chunk, warnings_of([recovered]))
        assert messages == []
        progress.done(chunk, warnings_of([lost]))
        assert "missing in the translation" in messages[-1]
        says_so = translate(folder, Beams(FIRST, [FIRST]), f"missing at first: {SOURCE}")  # a text hides nothing
        assert not says_so.recovered
        progress.done(chunk, warnings_of([says_so]))
        assert "missing in the translation" in messages[-1]
        assert len(messages) == 2


def test_what_is_lost_weighs_more_than_letters_that_are_too_many(folder):
    answer = translate(folder, Beams("He has 12 咖啡 and 茶.", ["He has books."]))
    assert answer.text == "He has 12 咖啡 and 茶."
    assert (answer.ledger.strange, answer.ledger.flagged, answer.ledger.is_clean) == (1, 0, False)
    assert answer.ledger.remarks() == ["1 × segment with letters of another script in its translation"]
    assert answer.remarks == (f"'{SOURCE}': letters of another script in the translation: '咖啡', '茶'",)


def test_of_those_that_lose_as_much_the_one_with_fewest_strange_letters_is_taken(folder):
    answer = translate(folder, Beams("He has 咖啡.", ["He has 12 咖啡.", "He has 12 books."]))
    assert answer.text == "He has 12 books."
    assert answer.ledger.is_clean
    assert [remark.partition(": ")[2] for remark in answer.remarks] == [
        "missing at first: the number '12'; taken from an attempt with a wider beam (16)",
        "letters of another script at first: '咖啡'; taken from an attempt with a wider beam (16)",
    ]


# --- the facts that an answer carries


def test_an_answer_says_which_attempt_it_is_and_what_it_misses(folder):
    first, wider, lost = (
        translate(folder, Beams(narrow, [wide])).sentences[0]
        for narrow, wide in (("He has 12 books.", "never"), (FIRST, "He has 12 books."), (FIRST, FIRST))
    )
    assert [one.attempt for one in (first, wider, lost)] == ["first", "wider", "first"]
    assert [[miss.text for miss in one.misses] for one in (first, wider, lost)] == [[], [], ["12"]]
    assert [miss.text for miss in wider.missed_at_first] == ["12"]
    assert wider.search.beam_size == WIDER_BEAM


def test_backing_off_ends_with_a_copy(folder):
    class Wild(Beams):
        def search(self, requests, options, *, attention=False):
            self.searches = [*getattr(self, "searches", []), (options.beam_size, options.no_repeat_ngram)]
            return super().search(requests, options)

    engine = Wild("books " * 90, ["books " * 90])
    answer = translate(folder, engine)
    [sentence] = answer.sentences
    assert engine.searches == [(4, 0), (4, 4), (6, 3), (1, 2)]
    assert (sentence.attempt, sentence.outcome, sentence.text, sentence.repeated) == ("copied", "copied", SOURCE, True)
    assert answer.ledger.untranslated == answer.ledger.repeated == 1
    assert answer.remarks[0].endswith("left untranslated: no attempt helped")


def test_the_policies_stand_in_the_order_in_which_they_are_tried():
    assert [policy.attempt for policy in POLICIES] == [*["backoff"] * 3, "copied", "wider", "stand-ins", "pieces"]


class Says(Beams):
    """Answers by what it reads: `answers` has the translation of a source text, the others get `narrow`."""

    answers: dict

    def search(self, requests, options, *, attention=False):
        self.read = [*getattr(self, "read", []), *(request.text for request in requests)]
        self.beams += [options.beam_size] * len(requests)
        texts = [self.answers.get(request.text, self.narrow) for request in requests]
        return [[self.hypothesis(text, rank) for rank in range(options.n_best)] for text in texts]


def says(narrow, answers):
    engine = Says(narrow, [])
    engine.answers = answers
    return engine


def test_what_every_attempt_lost_is_asked_for_with_a_stand_in(folder):
    engine = says(FIRST, {"他有 {1} 本书。": "He has {1} books."})
    answer = translate(folder, engine)
    assert (answer.text, answer.sentences[0].attempt) == ("He has 12 books.", "stand-ins")
    assert engine.beams == [4, WIDER_BEAM, 4]
    assert answer.ledger.is_clean
    assert "with a stand-in for it" in answer.remarks[0]


def test_a_term_that_no_attempt_says_is_put_between_pieces(folder):
    engine = says("Nothing 12.", {"他有12本": "He has 12."})
    options = TranslationOptions(glossary=Glossary([Term("书", "tomes")]))
    answer = fake_translator(folder, engine).translate(SOURCE, to="en", options=options)
    assert answer.text == "He has 12 tomes."
    assert engine.read[0] == "他有12本 {1}。"
    assert answer.sentences[0].attempt == "pieces"
    assert answer.ledger.flagged == 1
    assert "translated piece by piece" in answer.remarks[0]


def test_a_number_that_no_attempt_says_is_put_between_pieces_only_by_choice(folder):
    answers = {"他有": "He has", "本书。": "books."}
    assert translate(folder, says("Nothing.", answers)).text == "Nothing."
    answer = translate(folder, says("Nothing.", answers), keep=True)
    assert (answer.text, answer.ledger.flagged) == ("He has 12 books.", 1)


def test_pieces_that_run_wild_are_not_taken_or_stay_by_choice(folder):
    text = "他有{name}的书。"
    wild = {"他有": "has " * 90, "的书。": "books."}
    answer = translate(folder, says("Nothing.", wild), text)
    assert answer.text == "Nothing."
    assert [miss.text for miss in answer.sentences[0].misses] == ["{name}"]
    assert translate(folder, says("Nothing.", wild), text, keep=True).text == "他有 {name} books."


def test_a_piece_that_is_answered_with_nothing_is_asked_once_more(folder):
    class MayBeSilent(Says):
        """Says nothing to 的书。 unless something must be said."""

        def search(self, requests, options, *, attention=False):
            self.answers["的书。"] = "books." if options.min_length > 1 else ""
            return super().search(requests, options, attention=attention)

    engine = MayBeSilent("Nothing.", [])
    engine.answers = {"他有": "He has"}
    answer = translate(folder, engine, "他有{name}的书。")
    assert (answer.text, answer.sentences[0].attempt) == ("He has {name} books.", "pieces")
    assert engine.read[-1] == "的书。"


def test_a_sentence_that_runs_wild_with_its_stand_ins_is_taken_apart(folder):
    engine = says("books " * 90, {"他有12本": "He has 12."})
    options = TranslationOptions(glossary=Glossary([Term("书", "tomes")]))
    answer = fake_translator(folder, engine).translate(SOURCE, to="en", options=options)
    assert (answer.text, answer.ledger.repeated, answer.ledger.untranslated) == ("He has 12 tomes.", 1, 0)


REQUEST = Request((5,) * 40, 128)


@pytest.mark.parametrize(
    ("how", "attention", "request_of_all", "expected"),
    [
        (SearchOptions(), False, REQUEST, 512),
        (SearchOptions(), True, REQUEST, 375),
        (SearchOptions(no_repeat_ngram=3), False, REQUEST, 375),
        (SearchOptions(min_length=4), False, REQUEST, 375),
        (SearchOptions(repetition_penalty=1.1), False, REQUEST, 375),
        (SearchOptions(), False, REQUEST._replace(prefix=(7,)), 375),
    ],
)
def test_an_engine_that_fills_powers_of_two_is_given_as_many(how, attention, request_of_all, expected):
    """40 tokens each, a beam of 4: 375 would be computed as 512, if nothing is asked for besides."""

    class Counting:
        name, tokens_per_batch, fills_powers_of_two = "counting", 60_000, True

        def search(self, requests, options, *, attention=False):
            sizes.append(len(requests))
            return [[Hypothesis((9,), -1.0, -1.0, (-1.0,))] for _ in requests]

    sizes = []
    searcher = Searcher(Counting(), SimpleNamespace(decode=lambda ids: "a text"))
    assert len(list(searcher.ask([request_of_all] * 600, how, attention=attention))) == 600
    assert sizes == [expected, 600 - expected]
