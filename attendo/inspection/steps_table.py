"""The steps of a search as HTML tables; the words are those of the terminal, with the fates in Chinese too."""

from html import escape

from attendo.decoding.trace import Step
from attendo.inspection.decoding_steps import MOST_SHOWN, fates, percent, said_so_far, why_it_stopped
from attendo.inspection.readable import token_labels
from attendo.text.tokenizer import Tokenizer

CHINESE = {"live": "保留", "ended": "结束", "lost": "淘汰"}
HEAD = (
    '<thead><tr><th>from</th><th class="text">so far · 已说</th><th class="text">next · 下一个</th>'
    '<th>probability · 概率</th><th>sum · 总和</th><th class="text"></th></tr></thead>'
)


def steps_table(steps: tuple[Step, ...], tokenizer: Tokenizer) -> str:
    tables = "".join(one_step(step, tokenizer) for step in steps)
    return f'<div class="steps">\n{tables}</div>\n<p class="note">{escape(why_it_stopped(steps[-1]))}</p>'


def one_step(step: Step, tokenizer: Tokenizer) -> str:
    said = [escape(text) for text in said_so_far(step, tokenizer)]
    named = token_labels((one.token for one in step.contenders), tokenizer)
    rows = "".join(
        f'<tr class="{one.fate}"><td>{one.parent + 1}</td><td class="text" dir="auto">{said[one.parent]}</td>'
        f'<td class="token" dir="auto">{escape(named[one.token])}</td><td>{percent(one.log_prob)}</td>'
        f'<td>{one.total:.3f}</td><td class="fate">{escape(fate)} · {CHINESE[one.fate]}</td></tr>\n'
        for one, fate in zip(step.contenders[:MOST_SHOWN], fates(step), strict=False)
    )
    more = len(step.contenders) - MOST_SHOWN
    note = f'<p class="note">… and {more} more · 另有 {more} 个</p>' if more > 0 else ""
    return (
        f'<div class="step"><h3>Step {step.number}<span class="zh" lang="zh">第 {step.number} 步</span></h3>\n'
        f"<table>{HEAD}<tbody>\n{rows}</tbody></table>{note}</div>\n"
    )
