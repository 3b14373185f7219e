"""Every public function with arguments of the wrong kind: an error of ours, which names the argument."""

import copy
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

import attendo
from attendo.doctor.examine import NO_PROGRESS
from attendo.files.tables import short_repr
from attendo.translation.glossary import MOST_TERMS, Term

GOLDEN = Path(__file__).parent / "golden" / "model-format-1"


class Unshowable:
    def __repr__(self):
        raise KeyError("no repr")


WRONG = [
    10**5000, np.zeros(3), Unshowable(), "a\0b", "\ud800", "x" * 5000, "\x1b[31m\n", {"sea"},
    None, 5, -1, 10**30, True, 1.5, math.nan, b"zh", "", "no such thing", "\udcff", [], [None], ["a"], {}, {"a": "b"},
    {1: 2}, object(),
]  # fmt: skip
SEARCH = attendo.SearchOptions()
OPTIONS = attendo.TranslationOptions()


JUDGED = {"hypotheses": ["a"], "references": ["b"], "to": "en"}


def good_calls(folder):
    """A call of each that is right, by name: one argument after another is replaced by what is wrong."""
    model = shutil.copytree(GOLDEN, folder / "model")
    translator = attendo.load(model, engine="ct2", threads=1)
    corpus = folder / "pairs.tsv"
    corpus.write_text("the sea\tno one\n", encoding="utf-8")
    text = {"to": "en", "from_": None, "options": OPTIONS}
    return {
        "load": (attendo.load, {"model": model, "engine": "ct2", "device": "cpu", "threads": 1}),
        "models": (attendo.models, {}),
        "SearchOptions": (attendo.SearchOptions, {name: getattr(SEARCH, name) for name in SEARCH.__dataclass_fields__}),
        "SamplingOptions": (attendo.SamplingOptions, {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "seed": 1}),
        "TranslationOptions": (
            attendo.TranslationOptions,
            {
                "search": SEARCH, "sampling": None, "glossary": None, "keep": False, "wider_retry": True, "doubt": True,
                "doubt_below": None, "beam": 4, "n_best": 1,
            },
        ),
        "Glossary": (attendo.Glossary, {"terms": []}),
        "Glossary.from_pairs": (attendo.Glossary.from_pairs, {"pairs": {"a": "b"}}),
        "translate": (translator.translate, {"text": "the sea", **text}),
        "translate_lines": (lambda **of: list(translator.translate_lines(**of)), {"lines": ["the sea"], **text}),
        "stream": (lambda **of: list(translator.stream(**of)), {"text": "the sea", **text}),
        "stream_tokens": (
            lambda **of: list(translator.stream_tokens(**of)), {"text": "the sea", "to": "en", "from_": None},
        ),
        "score": (translator.score, {"pairs": [("the sea", "no one")], "to": "en", "from_": None, "first": 1}),
        "evaluate": (
            attendo.evaluate, {"test_set": corpus, "model": translator, "to": "en", "options": OPTIONS, "samples": 0},
        ),
        "evaluate hypotheses": (
            attendo.evaluate,
            {
                "hypotheses": ["a"], "references": ["b"], "sources": None, "to": "en", "samples": 0,
                "published": False, "metrics": None,
            },
        ),
        "compare": (
            attendo.compare, {"a": ["a"], "b": ["b"], "references": ["c"], "to": "en", "samples": 10, "trials": 10},
        ),
        "inspect": (
            attendo.inspect, {"text": "the sea", "to": "en", "from_": None, "model": model, "out": None, "beam": 1},
        ),
        "examine": (
            attendo.examine, {
                "corpus": corpus, "languages": ("en", "de"), "against": [], "most_closely": 10,
                "progress": NO_PROGRESS,
            },
        ),
        "train": (
            attendo.train,
            {"recipe": folder / "recipe.toml", "run_dir": folder / "run", "settings": [], "callbacks": []},
        ),
    }  # fmt: skip


def test_wrong_arguments_are_errors_of_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a path that is taken for a folder to write to stays in here
    for name, (function, good) in good_calls(tmp_path).items():
        for argument in good:
            for wrong in WRONG:
                try:
                    function(**{**good, argument: wrong})
                except attendo.AttendoError:
                    pass
                except BaseException as error:
                    pytest.fail(f"{name}({argument}={short_repr(wrong)}): {error!r}")


def test_every_public_function_is_tried(tmp_path):
    tried = {name.partition(" ")[0].partition(".")[0] for name in good_calls(tmp_path)}
    functions = {name for name in dir(attendo) if callable(getattr(attendo, name)) and name[0].islower()}
    assert functions <= tried


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: t.translate(None), "a text is NoneType: expected str"),
        (lambda t: t.translate("a", to=5), "to is 5: expected the name of a language"),
        (lambda t: t.translate("a", from_=b"zh"), "from_ is b'zh': expected the name of a language"),
        (lambda t: t.translate("a", "en", options={}), "options is {}: expected TranslationOptions"),
        (lambda t: t.translate("a", "en", options=SEARCH), r"search=… takes SearchOptions"),
        (lambda t: list(t.translate_lines("a", "en")), "lines is 'a': expected lines of text"),
        (lambda t: list(t.translate_lines([b"a"], "en")), "a line is bytes: expected str"),
        (lambda t: t.score([("a",)], "en"), r"a pair is \('a',\): expected \(source, target\)"),
        (lambda t: attendo.load(threads="2"), "threads is '2': expected a whole number"),
        (lambda t: attendo.load(threads=True), "threads is True: expected a whole number"),
        (lambda t: attendo.load(engine=3), "engine is 3: expected auto, torch or ct2"),
        (lambda t: attendo.load(device=None), "device is None: expected auto, cpu or cuda"),
        (lambda t: attendo.SearchOptions(length_penalty=math.nan), "length_penalty = nan"),
        (lambda t: attendo.SearchOptions(beam_size=True), "beam_size = True"),
        (lambda t: attendo.TranslationOptions(glossary=["a"]), "glossary is .*: expected a Glossary, or a dict"),
        (lambda t: attendo.TranslationOptions(search=4), "search is 4: expected SearchOptions"),
        (lambda t: attendo.TranslationOptions(n_best="a"), "n_best = 'a': expected a whole number"),
        (lambda t: attendo.SearchOptions(beam_size=10**5000), "beam_size = a number of about 5000 digits"),
        (lambda t: attendo.SearchOptions(length_penalty=10**400), "length_penalty = a number of about 400 digits"),
        (lambda t: attendo.SearchOptions(stop=np.zeros(3)), r"stop = array\(.*\): expected 'exact' or 'early'"),
        (lambda t: attendo.SearchOptions(stop=Unshowable()), "stop = a Unshowable that cannot be shown"),
        (lambda t: attendo.load(threads=10**5000), "threads = a number of about 5000 digits: expected 1 to"),
        (lambda t: attendo.load(engine=np.zeros(3)), r"engine is array\(.*\): expected auto, torch or ct2"),
        (lambda t: attendo.load("x" * 5000), "model is 'xxx.*: expected a path that is not too long"),
        (lambda t: attendo.load("a\0b"), r"model is 'a\\x00b': expected a path of whole characters, without NUL"),
        (lambda t: attendo.load("\x1b[31m"), r"there is no model folder '\\x1b\[31m'"),
        (lambda t: attendo.load("\ud800"), r"model is '\\ud800': expected a path of whole characters"),
        (lambda t: attendo.evaluate("a\0b"), r"test_set is 'a\\x00b': expected a path"),
        (
            lambda t: attendo.evaluate(hypotheses="\ud800", references=["a"]),
            r"hypotheses is '\\ud800': expected a path",
        ),
        (lambda t: attendo.compare("a\0b", ["a"], ["a"]), r"A is 'a\\x00b': expected a path"),
        (lambda t: attendo.examine("a\0b"), r"a corpus is 'a\\x00b': expected a path"),
        (lambda t: attendo.examine(source="a\0b", target="b"), r"source is 'a\\x00b': expected a path"),
        (lambda t: attendo.train("r.toml", "a\0b"), r"run_dir is 'a\\x00b': expected a path"),
        (lambda t: attendo.train("a\0b", "run"), r"recipe is 'a\\x00b': expected a path"),
        (lambda t: attendo.train("r.toml", "run", settings=[5]), "a setting is 5: expected TABLE.KEY=VALUE"),
        (lambda t: attendo.train("r.toml", "run", callbacks=[5]), "a callback is 5: expected an object"),
        (
            lambda t: attendo.train("r.toml", "run", callbacks=[attendo.Callback]),
            "a callback is <class .*: expected an",
        ),
        (lambda t: attendo.train("r.toml", "run", language="xx"), "language is 'xx': expected en or zh"),
        (lambda t: attendo.train("r.toml", "run", force="no"), "force is 'no': expected True or False"),
        (
            lambda t: attendo.evaluate(**JUDGED, metrics=["bleu"]),
            r"metrics is \['bleu'\]: expected a dict of functions",
        ),
        (lambda t: attendo.evaluate(**JUDGED, metrics={"x": 5}), "metrics is {'x': 5}: expected a dict of functions"),
        (
            lambda t: attendo.evaluate(**JUDGED, samples=-5),
            "samples is -5: expected a whole number from 0 to 1,000,000",
        ),
        (lambda t: attendo.evaluate(hypotheses={"a"}, references=["b"]), "hypotheses is {'a'}: expected a list of str"),
        (lambda t: attendo.evaluate(hypotheses=["a"], references={"b"}), "references is {'b'}: expected a list of str"),
        (lambda t: attendo.examine("a.tsv", most_closely=-1), "most_closely is -1: expected a whole number from 0"),
        (lambda t: attendo.examine("a.tsv", most_closely="5"), "most_closely is '5': expected a whole number"),
        (lambda t: attendo.examine("a.tsv", progress=5), "progress is 5: expected ExaminationProgress"),
        (lambda t: t.score([("a", "b")], "en", first="a"), "first is 'a': expected a whole number"),
        (lambda t: Term("", "x"), "the source of a term is empty: expected a text"),
        (lambda t: Term("sea", 5), "the target of a term is 5: expected a text"),
        (
            lambda t: attendo.Glossary.from_pairs(dict.fromkeys(map(str, range(MOST_TERMS + 1)), "x")),
            "100,001 terms: e",
        ),
        (lambda t: t.translate("a", to="\x1b[31m\n" + "x" * 100_000), r"into '\\x1b\[31m\\nx+\.\.\.: it knows"),
        (lambda t: t.translate("a", to="en", from_="\x1b"), r"from '\\x1b' into 'en': it knows"),
        (
            lambda t: attendo.load(GOLDEN, engine="ct2", device="\x1b"),
            r"device is '\\x1b': expected auto, cpu or cuda",
        ),
        (lambda t: attendo.load(GOLDEN, engine="torch", device="\x1b"), r" is '\\x1b': expected auto, cpu or cuda"),
        (
            lambda translator: translator.__reduce_ex__(4),
            "a Translator cannot be pickled or copied deeply: .* load it anew in the other one",
        ),
        (copy.deepcopy, "a Translator cannot be pickled or copied deeply"),
    ],
)
def test_the_argument_is_named(call, words):
    with pytest.raises(attendo.AttendoError, match=words):
        call(attendo.load(GOLDEN, engine="ct2", threads=1))


def test_a_dict_is_a_glossary():
    options = attendo.TranslationOptions(glossary={"Bahnhof": "central station"})
    assert isinstance(options.glossary, attendo.Glossary)
    assert [(term.source, term.target) for term in options.glossary.terms] == [("Bahnhof", "central station")]


def test_an_answer_longer_than_its_room_ends_where_the_room_does():
    options = attendo.TranslationOptions(search=attendo.SearchOptions(min_length=100_000))
    answer = attendo.load(GOLDEN, engine="ct2", threads=1).translate("the sea", to="en", options=options)
    assert answer.ledger.lines_out == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda several, t: t.score(several([("the sea", "no one")]), to="en"),
        lambda several, t: attendo.Glossary(several([Term("sea", "X")])).matches("the sea"),
        lambda several, t: attendo.evaluate(
            hypotheses=several(["a b"]), references=["a"], to="en", samples=0
        ).to_dict(),
        lambda several, t: attendo.evaluate(
            hypotheses=["a b"], references=several(["a"]), to="en", samples=0
        ).to_dict(),
        lambda several, t: attendo.evaluate(
            hypotheses=["a b"], references=several([several(["a"]), several(["b"])]), to="en", samples=0
        ).to_dict(),
        lambda several, t: attendo.evaluate(
            hypotheses=["a b"], references=["a"], sources=several(["c"]), to="en", samples=0
        ).to_dict(),
        lambda several, t: attendo.compare(
            several(["a"]), several(["b"]), several(["c"]), samples=2, trials=2
        ).to_dict(),
    ],
)
def test_an_iterator_is_as_good_as_a_list(call):
    translator = attendo.load(GOLDEN, engine="ct2", threads=1)
    found = call(list, translator)
    assert found
    assert call(iter, translator) == found


def test_settings_of_an_iterator_are_applied(tmp_path):
    recipe = Path(__file__).parent.parent / "recipes" / "reverse.toml"
    with pytest.raises(attendo.AttendoError, match="max_steps = -7"):
        attendo.train(recipe, tmp_path / "run", settings=iter(["training.max_steps=-7"]))


def test_a_shallow_copy_of_a_translator_translates():
    translator = attendo.load(GOLDEN, engine="ct2", threads=1)
    assert copy.copy(translator).translate("the sea", to="en").text == translator.translate("the sea", to="en").text
