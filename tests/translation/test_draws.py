"""Translations that are drawn: how many, by which numbers, and what is tried where a draw will not do."""

import json
from dataclasses import dataclass, field, replace

import pytest

import attendo
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.decoding.seeds import sentence_seed
from attendo.engines.engine import Limits
from attendo.errors import ConfigError, UsageError
from attendo.report.messages import to_chinese
from attendo.special_tokens import SPECIAL
from attendo.translation.draws import REDRAWS
from attendo.translation.glossary import Glossary, Term
from attendo.translation.options import DRAWS_FOR_EACH, TranslationOptions
from tests.translation.fake_engine import fake_tokenizer, fake_translator, write_fake_model
from tests.translation.small_translator import save_random

SOURCE = "他有12本书。"
SAMPLED = TranslationOptions(sampling=SamplingOptions(seed=3))


@dataclass
class Sampler:
    """Draws what `texts` says, draw by draw, the last for ever; searches for `best`. Remembers the seeds."""

    texts: list[str]
    best: str = "never"
    tokenizer: object = field(default_factory=fake_tokenizer)
    name: str = "sampler"
    limits: Limits = field(default_factory=lambda: Limits(1_024, 6_272))
    tokens_per_batch: int = 10_000
    threads: int | None = None
    seeds: list[int] = field(default_factory=list)
    searched: int = 0

    def sample(self, requests, options, seeds):
        found = []
        for _, seed in zip(requests, seeds, strict=True):
            found.append(self.hypothesis(self.texts[min(len(self.seeds), len(self.texts) - 1)]))
            self.seeds.append(seed)
        return found

    def search(self, requests, options, *, attention=False):
        self.searched += len(requests)
        return [[self.hypothesis(self.best)] for _ in requests]

    def hypothesis(self, text):
        ids = (*self.tokenizer.encode(text), SPECIAL.eos)
        return Hypothesis.of(ids, [-3.0] * len(ids), 1.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("fake") / "model")


def translate(folder, engine, text=SOURCE, options=SAMPLED):
    return fake_translator(folder, engine).translate(text, to="en", options=options)


def test_one_draw_and_nothing_is_searched(folder):
    engine = Sampler(["He has 12 books."])
    answer = translate(folder, engine)
    assert (answer.text, len(engine.seeds), engine.searched) == ("He has 12 books.", 1, 0)
    assert answer.sampling == SamplingOptions(seed=3)
    assert json.loads(answer.to_line(as_json=True))["sampling"] == {
        "temperature": 1.0, "top_k": 0, "top_p": 1.0, "seed": 3
    }  # fmt: skip
    ids = fake_translator(folder, engine).preparer.prepare(SOURCE, "en", "zh", SAMPLED).asked[0].request.ids
    assert engine.seeds == [sentence_seed(3, ids, 0)]
    assert "sampling" not in json.loads(fake_translator(folder).translate("书", to="en").to_line(as_json=True))


def test_several_are_different_and_stand_in_the_order_in_which_they_were_drawn(folder):
    options = replace(SAMPLED, n_best=3)
    engine = Sampler(["12 a", "12 b", "12 a", "12 b", "12 c", "12 d"])
    answer = translate(folder, engine, options=options)
    assert (answer.text, *answer.alternatives) == ("12 a", "12 b", "12 c")
    assert len(engine.seeds) == len(set(engine.seeds)) == 6
    engine = Sampler(["12 a"])  # a model that is sure of itself
    assert translate(folder, engine, options=options).alternatives == ()
    assert len(engine.seeds) == 3 * DRAWS_FOR_EACH


def test_what_was_lost_is_drawn_again(folder):
    engine = Sampler(["He has books.", "He has no books.", "He has 12 books.", "He owns 12 books."])
    answer = translate(folder, engine)
    assert answer.text == "He has 12 books."
    assert len(set(engine.seeds)) == 1 + REDRAWS
    assert answer.recovered
    assert answer.ledger.is_clean
    assert answer.remarks == (f"'{SOURCE}': missing at first: the number '12'; drawn again",)
    assert "重新采样" in to_chinese(answer.remarks[0])
    engine = Sampler(["He has books.", "He has 12 books."])
    answer = translate(folder, engine, options=replace(SAMPLED, wider_retry=False))
    assert (answer.text, len(engine.seeds), answer.ledger.flagged) == ("He has books.", 1, 1)


def test_what_runs_wild_is_drawn_again_and_in_the_end_searched_for(folder):
    wild = "He " * 40
    answer = translate(folder, Sampler([wild, wild, "He has 12 books."]))
    assert (answer.text, answer.ledger.repeated) == ("He has 12 books.", 1)
    assert answer.sentences[0].attempt == "redrawn"
    assert answer.warnings == (f"'{SOURCE}': the translation repeated itself (39 times); drawn again",)
    engine = Sampler([wild], best="He has 12 books.")
    answer = translate(folder, engine)
    assert (answer.text, answer.sentences[0].attempt, engine.searched) == ("He has 12 books.", "backoff", 1)
    assert answer.remarks[0].endswith("decoded again with beam 4 and no repeated 4-grams")
    answer = translate(folder, Sampler([wild], best=wild))
    assert (answer.text, answer.ledger.untranslated) == (SOURCE, 1)


def test_terms_and_placeholders_are_safe_whatever_is_drawn(tmp_path, folder):
    glossary = Glossary([Term("书", "tomes")])
    engine = Sampler(["He " * 40], best="He has")
    answer = translate(folder, engine, "他有书，{name}。", replace(SAMPLED, glossary=glossary))
    assert ("tomes" in answer.text, "{name}" in answer.text, answer.sentences[0].attempt) == (True, True, "pieces")
    translator = attendo.load(save_random(tmp_path / "model", ends=9.0), engine="ct2", threads=1)
    options = replace(SAMPLED, glossary=glossary)
    for answer in translator.translate(["我爱书。", "你好，{name}！"], to="en", options=options):
        assert any(kept in answer.text for kept in ("tomes", "{name}"))
        assert answer.ledger.adds_up


def test_a_seed_decides_not_the_text_beside(tmp_path):
    folder = save_random(tmp_path / "model", ends=9.0)
    texts = ["我爱机器学习。", "你好吗？他昨天买了三本书。", "我爱机器学习。"]
    options = replace(SAMPLED, doubt=False, wider_retry=False)
    for engine in ("ct2", "torch"):
        translator = attendo.load(folder, engine=engine, device="cpu", threads=1)
        together = [answer.text for answer in translator.translate(texts, from_="zh", to="en", options=options)]
        assert together[0] == together[2]
        for text, drawn in zip(texts, together, strict=True):
            assert translator.translate(text, from_="zh", to="en", options=options).text == drawn
            assert "".join(translator.stream(text, from_="zh", to="en", options=options)) == drawn
        other = replace(options, sampling=SamplingOptions(seed=4))
        assert [answer.text for answer in translator.translate(texts, from_="zh", to="en", options=other)] != together


def test_thresholds_of_a_search_say_nothing_of_a_sample(folder):
    engine = Sampler(["He has 12 books."])
    assert not translate(folder, engine).doubtful
    assert translate(folder, engine, options=replace(SAMPLED, doubt_below=-1.0)).doubtful


def test_sampling_and_a_search_exclude_each_other():
    for more in ({"beam": 4}, {"search": SearchOptions(length_penalty=0.6)}, {"search": SearchOptions(beam_size=1)}):
        with pytest.raises(ConfigError, match="exclude each other"):
            TranslationOptions(sampling=SamplingOptions(), **more)
    with pytest.raises(UsageError, match="sampling is 2: expected SamplingOptions"):
        TranslationOptions(sampling=2)
    several = TranslationOptions(sampling=SamplingOptions(), n_best=30)
    assert replace(several, keep=True).search.n_best == 30
    assert several.to_dict()["sampling"]["temperature"] == 1.0
    assert "sampling" not in TranslationOptions().to_dict()
