"""The notes' other sentences: each has a computation that can say no, a claim that exists, or a reason."""

import ast
import inspect
import re
import textwrap

import pytest
import torch

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.errata.errata import CLAIM
from attendo.lab.sentences import attention, decoding, layers, scores, shipped_model
from attendo.lab.sentences.sentences import (
    LISTS,
    SENTENCES,
    blocks,
    other_sentences_page,
    read_checked,
    read_list,
    tried,
)
from attendo.lab.tools.texts import PLACEHOLDER

CHECKS = [(check, True) for sentence in SENTENCES for check in sentence.checks] + [
    (check, False) for sentence in SENTENCES for check in sentence.not_in_the_model
]
every_check = pytest.mark.parametrize(("check", "holds"), CHECKS, ids=lambda one: getattr(one, "__name__", ""))
both_languages = pytest.mark.parametrize("language", ["en", "zh"])
every_list = pytest.mark.parametrize("name", LISTS)


@every_check
def test_it_comes_out_as_the_page_says_and_moves_no_random_numbers_of_others(check, holds):
    before = torch.get_rng_state()
    assert tried(check).holds is holds, tried(check)
    assert torch.equal(torch.get_rng_state(), before)


@every_check
def test_what_comes_out_is_computed(check, holds):
    """No constant in the place of a result."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(check))))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [call.args[0] for call in calls if getattr(call.func, "id", "") == "Tried"]
    handed_on = [call for call in calls if getattr(call.func, "id", "") in ("who_has_a_say", "sentence_of_the_notes")]
    assert given or handed_on
    assert not any(isinstance(holds, ast.Constant) for holds in given)


@pytest.mark.parametrize(
    "planted",
    [  # where the sentence is false
        lambda: scores.positive_and_one((0.0, -2000.0)),  # less than any double
        lambda: scores.code_of_the_note(largest=5),  # not yet 1
        lambda: scores.variances_add(independent=False),
        lambda: scores.plain_exponentials_overflow(d_k=16),  # small enough
        lambda: scores.steepness_by_width(scaled=False),
        lambda: scores.large_negative_number(added=-1.0),
        lambda: attention.products_need_equal_widths(3, 3),
        lambda: attention.as_a_graph_network(queries_matter=True),
        lambda: attention.rows_stay_apart(left=True),
        lambda: attention.too_many_weights(context=1024),
        lambda: layers.blocks_of_the_paper("tiny"),
        lambda: layers.widths_of_the_paper("big"),
        lambda: layers.only_through_cross_attention(silent=False),
        lambda: layers.the_sum_needs_the_width_back(d_ff=512),
        lambda: layers.no_longer_normalised(layers=0),
        lambda: layers.between_two_positions(step=0.5),
        lambda: layers.computed_by_recursion("lstm"),
        lambda: decoding.gpt_looks_back(changed=1),  # an earlier one
        lambda: decoding.sentence_of_the_notes(expected="machines learn"),
        lambda: decoding.four_words_of_512("我爱"),
        lambda: shipped_model.meaning_by_company("My left hand hurts.", "My left foot hurts."),
        lambda: shipped_model.noun_in_the_vector_of_it("animal"),
        lambda: shipped_model.order_of_the_source(shuffled=False),
    ],
)
def test_a_computation_can_say_no(planted):
    assert not planted().holds


def test_no_hook_is_left_in_the_model():
    shipped_model.noun_in_the_vector_of_it()
    model = shipped_model.default_model()[0]
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in model.modules())


@both_languages
def test_each_that_is_checked_has_its_computation_and_its_words(language):
    title, introduction, texts = read_checked(language)
    assert title
    assert introduction
    assert texts.keys() == {sentence.id for sentence in SENTENCES}
    assert len({sentence.id for sentence in SENTENCES}) == len(SENTENCES)
    for sentence in SENTENCES:
        checks = (*sentence.checks, *sentence.not_in_the_model)
        assert checks, sentence.id
        known = {name for check in checks for name in tried(check).numbers}
        assert {found[0] for found in PLACEHOLDER.findall(texts[sentence.id].text)} <= known, sentence.id


@both_languages
def test_each_that_is_judged_names_a_claim_that_exists(language):
    for one in read_list("judged", language)[2]:
        assert re.fullmatch(r"L\d+(, L\d+)*", one.heading), one
        assert set(one.heading.split(", ")) <= set(EXPERIMENTS)


@both_languages
@pytest.mark.parametrize("name", ["waits", "untestable"])
def test_each_that_waits_or_cannot_be_tested_has_its_reason(language, name):
    listed = read_list(name, language)[2]
    assert listed or name == "waits"  # for machines, which get built
    assert [one.quotes for one in listed if not one.remark or not one.heading] == []


@both_languages
def test_every_claim_that_is_named_exists(language):
    words = [text.text for text in read_checked(language)[2].values()]
    words += [f"{one.heading} {one.remark}" for name in LISTS for one in read_list(name, language)[2]]
    assert {f"L{number}" for number in CLAIM.findall(" ".join(words))} <= set(EXPERIMENTS)


def test_both_languages_give_the_same_numbers():
    english, chinese = (read_checked(language)[2] for language in ("en", "zh"))
    for sentence in SENTENCES:
        sides = english[sentence.id], chinese[sentence.id]
        first, second = (sorted(set(PLACEHOLDER.findall(side.text))) for side in sides)
        assert first == second, sentence.id
        first, second = ([quote.place for quote in side.quotes] for side in sides)
        assert first == second, sentence.id
        assert re.search("[\u4e00-\u9fff]", sides[1].text)


@every_list
def test_both_languages_list_the_same(name):
    english, chinese = (read_list(name, language)[2] for language in ("en", "zh"))
    for one, other in zip(english, chinese, strict=True):
        assert [quote.place for quote in one.quotes] == [quote.place for quote in other.quotes]
        assert bool(one.remark) == bool(other.remark), one
        assert CLAIM.findall(one.heading + one.remark) == CLAIM.findall(other.heading + other.remark), one


@both_languages
def test_the_page(language):
    page = other_sentences_page(language)
    assert not PLACEHOLDER.search(page)
    for anchor in ("checked", *LISTS, *(sentence.id for sentence in SENTENCES)):
        assert page.count(f'<a id="{anchor}"></a>') == 1
    assert page.count("<details>") == len(CHECKS)
    assert page.count("✘</summary>") + page.count("✘ · ") == sum(not holds for _, holds in CHECKS)
    assert "[L27](L27.md)" in page
    assert "<bos>" not in page.lower().replace("`<bos>`", "")


def test_a_list_is_read_block_by_block():
    section = "\n> [A1] one\n> [A2] two\n\nBoth.\n\n> [A3] three\n\nThree.\nIt is.\n"
    assert [block.strip() for block in blocks(section)] == [
        "> [A1] one\n> [A2] two\n\nBoth.",
        "> [A3] three\n\nThree.\nIt is.",
    ]
