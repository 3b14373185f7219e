"""Every public function with arguments of the wrong kind: an error of ours, which names the argument."""

import math
import shutil
from pathlib import Path

import pytest

import attendo

GOLDEN = Path(__file__).parent / "golden" / "model-format-1"
WRONG = [
    None, 5, -1, 10**30, True, 1.5, math.nan, b"zh", "", "no such thing", "\udcff", [], [None], ["a"], {}, {"a": "b"},
    {1: 2}, object(),
]  # fmt: skip
SEARCH = attendo.SearchOptions()
OPTIONS = attendo.TranslationOptions()


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
        "TranslationOptions": (
            attendo.TranslationOptions,
            {
                "search": SEARCH, "glossary": None, "keep": False, "wider_retry": True, "doubt": True,
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
        "score": (translator.score, {"pairs": [("the sea", "no one")], "to": "en", "from_": None}),
        "evaluate": (
            attendo.evaluate, {"test_set": corpus, "model": translator, "to": "en", "options": OPTIONS, "samples": 0},
        ),
        "evaluate hypotheses": (
            attendo.evaluate, {"hypotheses": ["a"], "references": ["b"], "sources": None, "to": "en", "samples": 0},
        ),
        "compare": (
            attendo.compare, {"a": ["a"], "b": ["b"], "references": ["c"], "to": "en", "samples": 10, "trials": 10},
        ),
        "inspect": (
            attendo.inspect, {"text": "the sea", "to": "en", "from_": None, "model": model, "out": None, "beam": 1},
        ),
        "examine": (attendo.examine, {"corpus": corpus, "languages": ("en", "de"), "against": []}),
        "train": (attendo.train, {"recipe": folder / "recipe.toml", "run_dir": folder / "run", "callbacks": []}),
    }  # fmt: skip


def is_too_large(wrong):
    """Right in kind: a bootstrap of so many samples would take all memory there is."""
    return wrong == 10**30


def test_wrong_arguments_are_errors_of_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a path that is taken for a folder to write to stays in here
    for name, (function, good) in good_calls(tmp_path).items():
        for argument in good:
            for wrong in WRONG:
                if argument in ("samples", "trials") and is_too_large(wrong):
                    continue
                try:
                    function(**{**good, argument: wrong})
                except attendo.AttendoError:
                    pass
                except BaseException as error:
                    pytest.fail(f"{name}({argument}={wrong!r}): {error!r}")


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
