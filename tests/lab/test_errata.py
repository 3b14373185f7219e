"""Every erratum is backed, by a computation that can say no or by a claim; the page has them all in both languages."""

import ast
import inspect
import re
import textwrap

import pytest
import torch

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.errata import attention_checks, heads_checks, layers_checks, softmax_checks
from attendo.lab.errata.backing import close, normal, numbers_of
from attendo.lab.errata.errata import CLAIM, ERRATA, errata_page, outcome, read_errata, shown
from attendo.lab.tools.texts import PLACEHOLDER

CHECKS = [(erratum.id, check) for erratum in ERRATA for check in erratum.checks]
every_check = pytest.mark.parametrize("check", [check for _, check in CHECKS], ids=lambda check: check.__name__)
both_languages = pytest.mark.parametrize("language", ["en", "zh"])


@every_check
def test_the_note_is_wrong_there_and_the_correction_right(check):
    backing = outcome(check)
    assert (backing.noted, backing.corrected) == (False, True), backing


@every_check
def test_both_sides_are_computed(check):
    """No constant in the place of a result."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(check)))
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Backing"
    ]
    assert calls
    for call in calls:
        assert not any(isinstance(side, ast.Constant) for side in call.args[:2])


@pytest.mark.parametrize(
    "planted",
    [  # where the note's sentence happens to be true, or the correction false
        lambda: softmax_checks.sum_of_exponentials(numbers_of((1.0, 2.0, 3.0)).log_softmax(0)),
        lambda: softmax_checks.jacobian_cases(numbers_of((2.0, 2.0, 3.0))),  # y₁ = y₂
        lambda: softmax_checks.large_inputs((1000.0, 1100.0, 1200.0)),  # the gaps are large
        lambda: softmax_checks.large_absolute_value((1.0, 2.0, 3.0)),
        lambda: softmax_checks.ratios_grow((3.0, 5.0)),  # where e^x is steep
        lambda: softmax_checks.gradients_that_stay(scale=1.0),  # not saturated
        lambda: softmax_checks.scaled_product_is_not_normal(d_k=64),  # nearly normal
        lambda: softmax_checks.component_and_vector(d_k=1),
        lambda: softmax_checks.which_dimension(num_heads=1),
        lambda: attention_checks.product_is_not_cosine(((1.0, 0.0), (0.0, 1.0))),  # of equal lengths
        lambda: attention_checks.right_angle(((1.0, 0.0), (0.0, 1.0))),
        lambda: attention_checks.row_times_column(words=5, width=5),
        lambda: attention_checks.transposed_scores(n=64, d=64),
        lambda: attention_checks.own_word_highest(words=1),
        lambda: attention_checks.gradient_by_weight(scale=0.0),  # even weights
        lambda: attention_checks.mask_on_scores(words=2, at=1),  # nothing lies ahead
        lambda: attention_checks.mask_on_keys((1.0, 0.0)),  # a positive query
        lambda: heads_checks.head_width(d_k=64),
        lambda: heads_checks.weight_shape(words=512),
        lambda: layers_checks.linear_turns(degrees=0.0),
        lambda: layers_checks.added_once(layers=1),
    ],
)
def test_a_computation_can_say_no(planted):
    backing = planted()
    assert (backing.noted, backing.corrected) != (False, True), backing


def test_nothing_of_it_moves_the_random_numbers_of_others():
    before = torch.get_rng_state()
    for _, check in CHECKS:
        check()
    assert torch.equal(torch.get_rng_state(), before)


def test_close_is_about_numbers_and_shapes():
    assert close(normal(3), normal(3))
    assert not close(normal(3), normal(3, seed=2))
    assert not close(normal(3), normal(1, 3))
    assert not close(numbers_of((1.0, 2.0)), 1.0)


def test_every_erratum_is_backed():
    assert len({erratum.id for erratum in ERRATA}) == len(ERRATA) >= 40
    assert [erratum.id for erratum in ERRATA if not erratum.checks and not erratum.claims] == []
    assert {claim for erratum in ERRATA for claim in erratum.claims} <= set(EXPERIMENTS)


@both_languages
def test_each_has_its_words(language):
    _, introduction, texts = read_errata(language)
    assert introduction
    assert texts.keys() == {erratum.id for erratum in ERRATA}
    for erratum in ERRATA:
        text = texts[erratum.id]
        assert {f"L{number}" for number in CLAIM.findall(text.text)} <= set(erratum.claims), erratum.id
        known = {name for check in erratum.checks for name in outcome(check).numbers}
        assert {found[0] for found in PLACEHOLDER.findall(text.text)} <= known, erratum.id


def test_both_languages_quote_the_same_lines_and_give_the_same_numbers():
    english, chinese = (read_errata(language)[2] for language in ("en", "zh"))
    for erratum in ERRATA:
        sides = english[erratum.id], chinese[erratum.id]
        first, second = ([quote.place for quote in side.quotes] for side in sides)
        assert first == second, erratum.id
        first, second = (sorted(set(PLACEHOLDER.findall(side.text))) for side in sides)
        assert first == second, erratum.id
        assert re.search("[\u4e00-\u9fff]", sides[1].text)


@both_languages
def test_the_page(language):
    page = errata_page(language)
    assert not PLACEHOLDER.search(page)
    for erratum in ERRATA:
        assert page.count(f'<a id="{erratum.id}"></a>') == page.count(f"](#{erratum.id})") == 1
    for name in ("sum_of_exponentials", "one_new_position"):
        assert f"def {name}(" in page
    assert page.count("✘") == page.count("✔") == len(CHECKS)
    linked = set(re.findall(r"\[(L\d+)\]\(\1\.md\)", page))
    assert linked == {claim for erratum in ERRATA for claim in erratum.claims}
    assert "<bos>" not in page.lower()
    assert page.count("如果输入的数值整体偏大") == 1  # the note's own words, on the English page with a translation


def test_what_is_quoted_is_shown_as_it_stands():
    assert shown(r"显然~  \sum_{j=1}^{n} e^{x_j}=1") == r"`显然~  \sum_{j=1}^{n} e^{x_j}=1`"
    assert shown(r"$\frac{1}{2}$ 是一半") == r"$\frac{1}{2}$ 是一半"
    assert shown('将<bos>，"i"') == '将&lt;bos>，"i"'
