"""How all pages look: on a screen by day and by night, on a phone, on paper."""

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2024; --quiet: #646c75; --rule: #e3e6ea; --card: #f6f7f9;
  --train: #3b528b; --valid: #c65102; --good: #1a7f5a; --bad: #c62828; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191d; --ink: #e4e7eb; --quiet: #98a1ab; --rule: #2b3036;
  --card: #1e2227; --train: #93a9ea; --valid: #ff9d57; --good: #5fcf9f; --bad: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 68rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", "PingFang SC",
  "Microsoft YaHei", sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: .95rem; margin: 1.5rem 0 .5rem; }
h2 .zh, h3 .zh, nav .zh { color: var(--quiet); font-weight: 400; margin-left: .5rem; }
p.caption { margin: 0 0 .35rem; max-width: 46rem; }
p.caption:lang(zh) { color: var(--quiet); margin-bottom: .75rem; }
.headline { font-size: 1.1rem; margin: 0 0 1.25rem; color: var(--quiet); }
.headline b { font-size: 1.9rem; color: var(--good); font-weight: 650; margin-right: .35rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .6rem; margin: 0; }
.facts div { background: var(--card); border-radius: .5rem; padding: .5rem .75rem; }
.facts dt { color: var(--quiet); font-size: .8rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.75rem 2rem; }
.chart { margin: 0; min-width: 0; break-inside: avoid; }
.chart:first-child { grid-column: 1 / -1; }
.chart:first-child .plot { height: 20rem; }
figcaption { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; margin-bottom: .5rem; }
.key { color: var(--quiet); font-size: .8rem; }
.key::before { content: ""; display: inline-block; width: 1.1rem; border-top: .16rem solid; vertical-align: middle;
  margin-right: .35rem; }
.key.train::before, .key.raw::before { color: var(--train); }
.key.raw::before { opacity: .35; }
.key.valid::before { color: var(--valid); }
.key.best::before { width: .6rem; height: .6rem; border: 0; border-radius: 50%; background: var(--good); }
.plot { position: relative; height: 12rem; margin: 0 1rem 1.6rem 3.6rem; }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.plot path { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.plot .grid { stroke: var(--rule); stroke-width: 1; }
.plot .raw { stroke: var(--train); stroke-width: 1; opacity: .3; }
.plot .train { stroke: var(--train); stroke-width: 2; }
.plot .valid { stroke: var(--valid); stroke-width: 1.5; }
.plot .dot { stroke-width: 5; }
.plot .best { stroke: var(--good); stroke-width: 10; }
.plot .resumed { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 3 4; }
.plot .validated { stroke: var(--quiet); stroke-width: 1; }
.plot .skipped { stroke: var(--bad); stroke-width: 2; stroke-linecap: butt; }
.plot span { position: absolute; color: var(--quiet); font-size: .75rem; line-height: 1; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.plot .y { right: calc(100% + .5rem); transform: translateY(-50%); }
.plot .x { top: calc(100% + .5rem); transform: translateX(-50%); }
.plot rect { fill: var(--train); }
.plot rect.marked { fill: var(--good); }
.plot .whisker { stroke: var(--valid); stroke-width: 2; }
.plot .value { transform: translate(-50%, -130%); color: var(--ink); }
.bars .plot { margin-left: 2.6rem; }
.bars .chart:first-child { grid-column: auto; }
.bars .chart:first-child .plot { height: 12rem; }
.note { color: var(--quiet); font-size: .85rem; }
.scroll { overflow: auto; max-height: 28rem; width: fit-content; max-width: 100%; padding-right: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--rule); }
thead th { position: sticky; top: 0; background: var(--paper); color: var(--quiet); font-weight: 500; }
tr.best td { color: var(--good); font-weight: 600; }
table.words th, table.words td { text-align: left; vertical-align: top; overflow-wrap: anywhere; }
table.words th { color: var(--quiet); font-weight: 500; white-space: nowrap; }
.sample { border-left: .2rem solid var(--rule); padding-left: .9rem; margin: 0 0 1.1rem; break-inside: avoid; }
.sample dt { color: var(--quiet); font-size: .8rem; }
.sample dd { margin: 0 0 .35rem; width: fit-content; max-width: 100%; overflow-wrap: anywhere; }
.sample dd:last-child { font-weight: 600; }
pre { background: var(--card); border-radius: .5rem; padding: .75rem 1rem; overflow-x: auto;
  font: .85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
footer { margin-top: 3rem; }
@media print { body { max-width: none; padding: 0 .75rem; font-size: 10pt; }
  .scroll { max-height: none; overflow: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; } h2 { break-after: avoid; }
  .charts { grid-template-columns: 1fr 1fr; } thead th { position: static; } }
"""
