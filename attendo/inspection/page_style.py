"""What a page of attention maps adds to the style of all reports."""

INSPECT_STYLE = """
.translation { font-size: 1.35rem; margin: .25rem 0 1.25rem; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: 1.25rem; }
nav a { color: var(--train); }
.remark { border-left: .2rem solid var(--valid); padding-left: .9rem; }
.maps { display: flex; flex-wrap: wrap; gap: 1.25rem 1.75rem; align-items: flex-start; overflow-x: auto;
  padding-bottom: .5rem; }
.map { margin: 0; break-inside: avoid; }
.map figcaption { color: var(--quiet); font-size: .8rem; margin-bottom: .25rem; }
.map table { border-collapse: collapse; font-size: .75rem; line-height: 1.1; }
.map th { position: static; background: none; color: var(--ink); font-weight: 400; border: 0; white-space: nowrap; }
.map tbody th { padding: 0 .4rem 0 0; text-align: right; }
.map thead th { padding: 0 0 .35rem; vertical-align: bottom; text-align: center; }
.map thead span { writing-mode: vertical-rl; }
.map td { width: 1.05rem; min-width: 1.05rem; height: 1.05rem; padding: 0; border: 0; text-align: center;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.map thead td { background: none; }
.map tbody tr:hover th { font-weight: 700; }
.map td[title]:hover { outline: .14rem solid var(--valid); outline-offset: -.07rem; }
.map.numbers table { font-size: .9rem; }
.map.numbers td { width: 2.3rem; min-width: 2.3rem; height: 1.8rem; font-size: .75rem; }
.legend { margin: .25rem 0 .75rem; font-size: .7rem; }
.legend td { width: 1.6rem; min-width: 1.6rem; height: 1.1rem; padding: 0; border: 0; text-align: center;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.steps { columns: 31rem 2; column-gap: 2.5rem; }
.step { break-inside: avoid; margin: 0 0 1.5rem; }
.step table { font-size: .85rem; width: 100%; }
.step th, .step td { padding: .1rem .6rem .1rem 0; }
.step .text { text-align: left; overflow-wrap: anywhere; }
.step .token { text-align: left; white-space: nowrap; font-weight: 600; }
.step .lost td { color: var(--quiet); font-weight: 400; }
.step .ended .fate { color: var(--good); font-weight: 600; }
.step .fate { text-align: left; white-space: nowrap; }
.step thead th { position: static; }
@media print { nav { display: none; } .steps { columns: 1; } .maps { overflow: visible; }
  .map td[title]:hover { outline: 0; }
  .map table { font-size: 6pt; } .map td { width: 7pt; min-width: 7pt; height: 7pt; }
  .map.numbers table { font-size: 8pt; } .map.numbers td { width: 15pt; min-width: 15pt; height: 12pt; } }
"""
