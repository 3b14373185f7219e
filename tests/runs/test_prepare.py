"""From a recipe to parts and validation sets: both directions, nothing held out is trained on, and the fingerprint."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from attendo.data.batches import DropoutCorpus
from attendo.data.prepare import tokenizer as recipe_tokenizer
from attendo.errors import AttendoError, ConfigError, DataError, InputError
from attendo.model.config import TransformerConfig, config_to_dict
from attendo.model_folder.bundle_writing import write_bundle
from attendo.recipe.recipe import recipe_from_dict
from attendo.runs.prepare import prepare
from attendo.training.fingerprint import as_today, differences
from tests.text.conftest import synthetic_texts


def write_pairs(path, number=300, seed=3, more=()):
    texts = list(synthetic_texts(number, seed=seed))
    lines = [f"{zh}\t{en}" for zh, en in zip(texts[::2], texts[1::2], strict=True)]
    path.write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path):
    return write_pairs(tmp_path / "corpus.tsv")


@pytest.fixture
def ready(tmp_path, corpus, caplog):
    """prepare(table, with changes) in a cache of the test's own; what was logged is in ready.logged."""
    caplog.set_level("INFO", "attendo")

    class Ready:
        logged: tuple[str, ...] = ()

        def __call__(self, data=None, **tables):
            base = {"languages": ["zh", "en"], "directions": ["zh-en", "en-zh"], "corpora": [{"file": str(corpus)}]}
            recipe = recipe_from_dict(
                {"data": base | (data or {}), "tokenizer": {"vocab_size": 500}, "model": {"preset": "tiny"}} | tables
            )
            caplog.clear()
            prepared = prepare(recipe, tmp_path / "cache")
            self.logged = tuple(caplog.messages)
            return prepared

    return Ready()


def texts_of(part, tokenizer, seed=1, epoch=1):
    """(source, target) of every pair in an epoch."""
    drawn = part.in_epoch(seed, epoch)
    return Counter(
        (tokenizer.decode(drawn.source[number]), tokenizer.decode(drawn.target[number]))
        for number in drawn.draw(seed, epoch).tolist()
    )


def pairs_in(path):
    return [tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_both_directions_from_one_corpus(ready, corpus, tmp_path):
    valid = write_pairs(tmp_path / "valid.tsv", 20, seed=9)
    prepared = ready({"validation": str(valid)})
    to_english, to_chinese = prepared.corpora
    pairs = Counter(pairs_in(corpus))
    assert texts_of(to_english, prepared.tokenizer) == pairs
    assert texts_of(to_chinese, prepared.tokenizer) == {(en, zh): count for (zh, en), count in pairs.items()}
    assert (to_english.tag, to_chinese.tag) == (prepared.tokenizer.tag("en"), prepared.tokenizer.tag("zh"))
    assert prepared.model == TransformerConfig(
        vocab_size=prepared.tokenizer.vocab_size, d_model=256, d_ff=1024, num_heads=4, decoder_layers=2
    )

    first, second = prepared.validation
    assert (first.direction, first.source, first.target) == ("zh-en", "zh", "en")
    assert (second.direction, second.source, second.target) == ("en-zh", "en", "zh")
    assert [(pair.line, pair.source, pair.target) for pair in first.pairs] == [
        (line, *pair) for line, pair in enumerate(pairs_in(valid), start=1)
    ]
    assert [(pair.source, pair.target) for pair in second.pairs] == [(en, zh) for zh, en in pairs_in(valid)]
    assert texts_of(second.corpus, prepared.tokenizer) == Counter((en, zh) for zh, en in pairs_in(valid))
    assert second.corpus.tag == prepared.tokenizer.tag("zh")


def test_columns_may_stand_the_other_way_round(ready, tmp_path, corpus):
    turned = tmp_path / "turned.tsv"
    turned.write_text("".join(f"{en}\t{zh}\n" for zh, en in pairs_in(corpus)), encoding="utf-8")
    valid = write_pairs(tmp_path / "valid.tsv", 20, seed=9)
    corpora = [{"file": str(corpus)}, {"file": str(turned), "languages": ["en", "zh"], "weight": 2.0}]
    prepared = ready({"corpora": corpora, "directions": ["zh-en"], "validation": str(valid)})
    one, other = (texts_of(part, prepared.tokenizer) for part in prepared.corpora)
    assert other == {pair: 2 * count for pair, count in one.items()}


def test_one_way_is_learnt_one_way(ready, tmp_path, corpus):
    valid = write_pairs(tmp_path / "valid.tsv", 20, seed=9)
    one_way = {"file": str(write_pairs(tmp_path / "other.tsv", 30, seed=5)), "one_way": True}
    prepared = ready({"corpora": [{"file": str(corpus)}, one_way], "validation": str(valid)})
    tags = [prepared.tokenizer.tag(language) for language in ("en", "en", "zh")]
    assert [part.tag for part in prepared.corpora] == tags
    assert texts_of(prepared.corpora[1], prepared.tokenizer) == Counter(pairs_in(tmp_path / "other.tsv"))
    assert "data.corpora.1.one_way" in prepared.made_of
    assert "data.corpora.0.one_way" not in prepared.made_of


def test_every_kind_of_corpus(ready, tmp_path):
    (tmp_path / "a.zh").write_text("我爱书。\n你看书。\n", encoding="utf-8")
    (tmp_path / "a.en").write_text("I love books.\nYou see books.\n", encoding="utf-8")
    with gzip.open(tmp_path / "b.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write('{"zh": "他们", "en": "they"}\n')
    corpora = [
        {"source": str(tmp_path / "a.zh"), "target": str(tmp_path / "a.en")},
        {"file": str(tmp_path / "b.jsonl.gz")},
        {"task": "copy", "pairs": 50},
    ]
    valid = write_pairs(tmp_path / "valid.tsv", 20, seed=9)
    prepared = ready({"corpora": corpora, "directions": ["zh-en"], "validation": str(valid)})
    found = [texts_of(part, prepared.tokenizer) for part in prepared.corpora]
    assert found[0] == {("我爱书。", "I love books."): 1, ("你看书。", "You see books."): 1}
    assert found[1] == {("他们", "they"): 1}
    assert found[2].total() == 50
    assert [name for name, _ in prepared.counts][2] == "synthetic words to copy"


def test_what_is_held_out_is_never_trained_on(ready, corpus, tmp_path):
    other = write_pairs(tmp_path / "other.tsv", 300, seed=4)
    prepared = ready({"corpora": [{"file": str(corpus)}, {"file": str(other), "weight": 3.0}], "held_out": 0.1})
    sources = {
        source
        for part in prepared.corpora
        for epoch in (1, 2)
        for source, _ in texts_of(part, prepared.tokenizer, 1, epoch)
    }
    for one in prepared.validation:
        assert 2 <= len(one.corpus) == len(one.pairs) <= 60
        assert not {pair.source for pair in one.pairs} & sources
        known = {*pairs_in(corpus), *pairs_in(other)}
        pairs = {(pair.source, pair.target) for pair in one.pairs}
        assert pairs <= (known if one.source == "zh" else {(en, zh) for zh, en in known})
    assert any("no validation file" in sentence for sentence in ready.logged)


def test_scores_are_taken_on_a_bounded_number_of_pairs(ready, corpus):
    prepared = ready({"held_out": 0.5}, validation={"max_pairs": 7})
    for one in prepared.validation:
        assert len(one.pairs) == 7
        assert len(one.corpus) > 7


def test_three_languages(ready, tmp_path):
    letters = {"abc": "copy", "cba": "reverse"}
    corpora = [{"task": task, "pairs": 300, "languages": [name, "xyz"]} for name, task in letters.items()]
    prepared = ready(
        {"languages": ["abc", "cba", "xyz"], "directions": ["abc-xyz", "xyz-abc", "cba-xyz"], "corpora": corpora},
        tokenizer={"kind": "char"},
    )
    assert len(prepared.corpora) == 3
    assert [part.tag for part in prepared.corpora] == [prepared.tokenizer.tag(name) for name in ("xyz", "abc", "xyz")]
    assert [one.direction for one in prepared.validation] == ["abc-xyz", "xyz-abc", "cba-xyz"]


def test_dropout_is_for_training_alone(ready):
    prepared = ready(tokenizer={"vocab_size": 500, "bpe_dropout": 0.2})
    assert all(type(part) is DropoutCorpus for part in prepared.corpora)
    assert all(type(one.corpus) is not DropoutCorpus for one in prepared.validation)
    part = prepared.corpora[0]
    assert texts_of(part, prepared.tokenizer, epoch=1) == texts_of(part, prepared.tokenizer, epoch=2)
    assert part.in_epoch(1, 1).source.lengths.sum() > part.source.lengths.sum()


def test_the_length_filter_holds_for_validation_and_the_others_do_not(ready, tmp_path):
    valid = write_pairs(tmp_path / "valid.tsv", 20, seed=9, more=["我" * 90 + "\tlong", "\tempty", "我\tI", "我\tI"])
    filters = {"max_length": 80, "duplicates": True, "language": True}
    prepared = ready({"validation": str(valid), "filters": filters})
    assert len(prepared.validation[0].corpus) == len(prepared.validation[0].pairs) == 22
    assert any("1 empty source" in sentence for sentence in ready.logged)


def test_problems_are_counted_and_three_are_shown(ready, tmp_path):
    broken = tmp_path / "broken.tsv"
    write_pairs(broken, 20)
    broken.write_bytes(broken.read_bytes() + b"no tab\n" * 5 + b"a\xff\tb\n" * 2)
    ready({"corpora": [{"file": str(broken)}]})
    (logged,) = [sentence for sentence in ready.logged if "broken lines" in sentence]
    assert "5 one column, 5 empty target, 2 invalid utf8" in logged
    assert logged.count("line ") == 3
    ready({"corpora": [{"file": str(broken)}]})
    assert any("27 pairs read, 22 kept, dropped: 5 empty" in sentence for sentence in ready.logged)


def test_sentences_that_leaked_are_said(ready, tmp_path, corpus):
    leaked = corpus.read_text(encoding="utf-8").split("\n")[:3]
    valid = write_pairs(tmp_path / "valid.tsv", 20, seed=9, more=leaked)
    ready({"validation": str(valid)})
    assert any("validation sentences of zh-en are also trained on" in sentence for sentence in ready.logged)


def test_the_tokenizer_is_learned_once_from_training_alone(ready, tmp_path, monkeypatch):
    learned = []
    real = recipe_tokenizer.train_tokenizer
    monkeypatch.setattr(
        recipe_tokenizer, "train_tokenizer", lambda texts, *more: (learned.append(set(texts())), real(texts, *more))[1]
    )
    valid = tmp_path / "valid.tsv"
    valid.write_text("囍\tdouble happiness\n", encoding="utf-8")
    first = ready({"validation": str(valid)})
    second = ready({"validation": str(valid), "directions": ["zh-en"]})
    assert len(learned) == 1
    assert "囍" not in learned[0]
    assert first.made_of["tokenizer"] == second.made_of["tokenizer"]
    ready({"validation": str(valid)}, tokenizer={"vocab_size": 480})
    ready({"validation": str(valid)}, tokenizer={"vocab_size": 500, "kind": "unigram"})
    assert len(learned) == 3
    for path in (tmp_path / "cache" / "tokenizers").iterdir():
        path.write_bytes(path.read_bytes()[:-9])
    third = ready({"validation": str(valid)})
    assert len(learned) == 4
    assert any("it is learned again" in sentence for sentence in ready.logged)
    assert third.made_of == first.made_of


def test_the_fingerprint_is_of_content(ready, tmp_path, corpus):
    def of(path, **data):
        return ready({"corpora": [{"file": str(path)}], **data}).made_of

    here = of(corpus)
    (tmp_path / "else").mkdir()
    moved = Path(tmp_path / "else" / "other.name.tsv")
    moved.write_bytes(corpus.read_bytes())
    assert of(moved) == here, "a corpus may move"

    raw = bytearray(corpus.read_bytes())
    raw[raw.index(b"I")] = ord("i")
    moved.write_bytes(raw)
    changed = of(moved)
    assert changed["data.corpora.0"] != here["data.corpora.0"], "one byte"
    for name, change in {
        "data.directions": {"directions": ["zh-en"]},
        "data.held_out": {"held_out": 0.02},
        "data.filters": {"filters": {"max_length": 99}},
        "data.corpora.0.weight": {"corpora": [{"file": str(corpus), "weight": 2}]},
        "data.corpora.0": {"corpora": [{"file": str(corpus), "languages": ["en", "zh"]}]},
    }.items():
        other = of(corpus, **change)
        assert {key for key in {*here, *other} if here.get(key) != other.get(key)} == {name}
    assert here["model.d_model"] == "256"
    assert here["model.family"] == "transformer"
    begun_earlier = {key: value for key, value in here.items() if key != "model.compatibility"}
    assert differences(as_today(begun_earlier), as_today(here)) == [], "begun before there was a choice, it goes on"
    additive = ready({"corpora": [{"file": str(corpus)}]}, model={"preset": "tiny", "compatibility": "additive"})
    assert differences(as_today(begun_earlier), as_today(additive.made_of))[0].startswith("model.compatibility (dot")
    assert all(type(key) is type(value) is str for key, value in here.items())
    validated = of(corpus, validation=str(write_pairs(tmp_path / "valid.tsv", 20, seed=9)))
    assert "data.validation.0" in validated
    assert "data.held_out" not in validated


def test_a_ready_tokenizer(ready, tmp_path, bpe):
    bpe.save(tmp_path / "tokenizer.json")
    file = {"file": str(tmp_path / "tokenizer.json")}
    prepared = ready(tokenizer=file)
    assert prepared.tokenizer.subwords == bpe.subwords
    assert not (tmp_path / "cache" / "tokenizers").exists()
    with pytest.raises(ConfigError, match=r"does not know the language 'fr' of \[data\]: it knows zh, en"):
        ready({"languages": ["fr", "en"], "directions": ["fr-en"]}, tokenizer=file)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="not a tokenizer"):
        ready(tokenizer=file)


@pytest.fixture
def model(tmp_path, bpe):
    config = TransformerConfig(vocab_size=bpe.vocab_size, d_model=32, d_ff=64, num_heads=2)
    folder = tmp_path / "model"
    write_bundle(folder, config_to_dict(config), bpe, [("zh", "en")], "", lambda path: path.write_bytes(b""), 0)
    return folder


def test_going_on_from_a_model(ready, model, bpe, tmp_path):
    go_on = {"init_from": str(model)}
    prepared = ready(model=go_on | {"dropout": 0.4})
    assert prepared.tokenizer.subwords == bpe.subwords
    assert (prepared.model.d_model, prepared.model.dropout) == (32, 0.4)
    assert len(prepared.made_of["model.init_from"]) == 64
    bpe.save(tmp_path / "same.json")
    ready(model=go_on, tokenizer={"file": str(tmp_path / "same.json")})
    other = ready().tokenizer
    other.save(tmp_path / "other.json")
    with pytest.raises(ConfigError, match=r"other.json is not the tokenizer of"):
        ready(model=go_on, tokenizer={"file": str(tmp_path / "other.json")})
    with pytest.raises(ConfigError, match=r"unknown key 'word_dropout' in \[model\]: did you mean"):
        ready(model=go_on | {"word_dropout": 0.4})
    (model / "README.md").write_text("changed")
    with pytest.raises(AttendoError, match=r"README.md has 7 bytes"):
        ready(model=go_on)


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"validation": {"metric": "accuracy"}}, "metric = accuracy in [validation] is for encoder-only models"),
        ({"model": {"family": "encoder-only"}, "validation": {"metric": "bleu"}}, "expected loss or accuracy"),
        ({"model": {"preset": "tiny", "positions": "learned", "max_length": 200}}, "may have 252: expected max_length"),
        ({"model": {"family": "decoder-only", "positions": "learned", "max_length": 500}}, "of at most 248"),
    ],
)
def test_models_that_do_not_fit(ready, tables, sentence):
    with pytest.raises(ConfigError) as caught:
        ready(**tables)
    assert sentence in str(caught.value)


def test_corpora_with_nothing_to_learn_from(ready, tmp_path):
    empty = tmp_path / "empty.tsv"
    empty.write_text("\t\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"empty.tsv has no pairs to use: 1 pairs read, 0 kept, dropped: 1 empty"):
        ready({"corpora": [{"file": str(write_pairs(tmp_path / "a.tsv"))}, {"file": str(empty)}]})
    with pytest.raises(DataError, match=r"empty.tsv has no pairs to use"):
        ready({"validation": str(empty)})
    one = tmp_path / "one.tsv"
    one.write_text("我\tI\n我\tme\n", encoding="utf-8")
    with pytest.raises(DataError, match="too few pairs of zh-en to hold some out: name a validation file"):
        ready({"corpora": [{"file": str(one)}]}, tokenizer={"kind": "char"})
    same = tmp_path / "same.tsv"
    same.write_text("我\tI\n你\tI\n", encoding="utf-8")
    with pytest.raises(DataError, match="too few different sentences to hold some out"):
        ready({"corpora": [{"file": str(same)}]}, tokenizer={"kind": "char"})
    with pytest.raises(DataError, match="cannot read"):
        ready({"corpora": [{"file": str(tmp_path / "none.tsv")}]})
