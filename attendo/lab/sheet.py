"""One sheet to print, A4, with all claims: number, claim, verdict, what came out."""

import html
from collections.abc import Sequence

from attendo.lab.run import ClaimResult
from attendo.lab.tools.texts import Language, read_text
from attendo.lab.verdicts import VERDICTS, finding, in_language
from attendo.report.formulas import without_latex

STYLE = """
@page { size: A4; margin: 8mm 9mm; }
body { font: 6.4pt/1.22 "Noto Sans", "Helvetica Neue", Arial, "Noto Sans CJK SC", "Source Han Sans SC",
       "PingFang SC", "Microsoft YaHei", sans-serif; margin: 0; color: #111; }
h1 { font-size: 11pt; margin: 0 0 1.5mm; } p { margin: 0 0 2mm; }
ol { columns: 2; column-gap: 6mm; list-style: none; margin: 0; padding: 0; }
li { break-inside: avoid; display: grid; grid-template-columns: 6.5mm 1fr; padding: .5mm 0;
     border-bottom: .1mm solid #bbb; }
b { font-weight: 700; } i { font-style: normal; color: #333; }
.holds { color: #006b4f; } .only { color: #8a5a00; } .not { color: #a03000; } .undecided { color: #555; }
"""
CLASSES = {"holds": "holds", "holds only if": "only", "does not hold": "not", "undecided": "undecided"}


def sheet(results: Sequence[ClaimResult], language: Language) -> str:
    tr = in_language(language)
    title = tr(
        f"{len(results)} sentences about the Transformer, put to the test",
        f"关于 Transformer 的 {len(results)} 句话，逐一检验",
    )
    legend = tr(", ", "，").join(
        f'<b class="{CLASSES[verdict]}">{sign}</b> {tr(*words)}' for verdict, (sign, *words) in VERDICTS.items()
    )
    items = "\n".join(item(result, language) for result in results)
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n<h1>{title}</h1>\n<p>{legend}</p>\n<ol>\n{items}\n</ol>\n</html>\n"
    )


def item(result: ClaimResult, language: Language) -> str:
    sign, *_ = VERDICTS[result.verdict]
    claim, found = (
        html.escape(without_latex(text))
        for text in (read_text(result.experiment, language).claim, finding(result, language))
    )
    mark = f'<b class="{CLASSES[result.verdict]}">{sign}</b>'
    return f"<li><b>{result.claim_id}</b><span>{claim}<br>{mark} <i>{found}</i></span></li>"
