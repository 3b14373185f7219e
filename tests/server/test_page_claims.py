"""What the page's tour tells of the lab is what the lab says today."""

import json

from benchmarks.machine import ROOT
from benchmarks.page_claims import PATH, page_claims
from tests.test_chinese_terms import found_in, unwanted_words


def test_the_claims_of_the_tour_are_current():
    assert PATH.read_bytes() == page_claims(), "run python -m benchmarks.page_claims"


def test_ten_stops_each_with_a_claim_and_a_step_whose_pages_are_there():
    table = json.loads(PATH.read_text(encoding="utf-8"))
    assert len(table["claims"]) == 10
    for one in [*table["claims"].values(), *table["steps"].values()]:
        for language in ("en", "zh"):
            assert all(one[language].values())
            assert (ROOT / one[language]["page"]).is_file()


def test_its_chinese_keeps_to_the_terms():
    claims = json.loads(PATH.read_text(encoding="utf-8"))["claims"]
    texts = [(name, text) for name, one in claims.items() for text in (one["zh"]["verdict"], one["zh"]["finding"])]
    assert list(found_in(texts, unwanted_words(ROOT / "docs" / "terms.md"))) == []
