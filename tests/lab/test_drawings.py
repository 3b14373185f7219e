"""The drawings on the pages of claims."""

from attendo.inspection.drawings.options import DRAWINGS
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.drawings import CLAIMS_OF, DRAWING_OF, SHOWS
from attendo.lab.page import page
from attendo.lab.report import write_report
from attendo.lab.run import Wanted, run_experiment


def test_every_drawing_and_every_claim_of_the_table_exists_and_no_claim_has_two():
    assert CLAIMS_OF.keys() == SHOWS.keys() == DRAWINGS.keys()
    assert DRAWING_OF.keys() <= EXPERIMENTS.keys()
    assert len(DRAWING_OF) == sum(map(len, CLAIMS_OF.values()))


NAMED = {
    "en": ("positions.svg", "Drawing: `attendo draw positions --out positions.svg` draws the table"),
    "zh": ("positions.zh.svg", "配图：`attendo draw positions --out positions.zh.svg --lang zh` 画出位置编码表"),
}


def test_a_page_names_its_drawing_and_shows_it_where_it_lies_beside_the_report(tmp_path):
    result = run_experiment(EXPERIMENTS["L19"], Wanted("small"))
    (tmp_path / "figures").mkdir()
    for name, _ in NAMED.values():
        (tmp_path / "figures" / name).write_text("<svg/>")
    write_report(tmp_path / "lab", [result])
    for language, (name, words) in NAMED.items():
        pages = tmp_path / "lab" / language
        written = (pages / "L19.md").read_text(encoding="utf-8")
        assert words in written
        assert f"![positions](../../figures/{name})" in written
        assert (pages / f"../../figures/{name}").is_file()

        (tmp_path / "figures" / name).unlink()
        without = page(result, language, pages)
        assert words in without
        assert "![positions]" not in without


def test_a_page_of_a_claim_without_a_drawing_names_none():
    assert "attendo draw" not in page(run_experiment(EXPERIMENTS["L38"], Wanted("small")), "en")
