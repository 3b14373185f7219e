// The last card of the tour: how the guesses went, and what to try next.

import { el, tr } from "/glass/elements.js";
import { byId } from "./elements.js";
import { goTo } from "./machine.js";
import { score } from "./tour_verdict.js";

// `actions` are what its buttons do: again(), leave().
export function endCard(guesses, { again, leave }) {
  const result = score(guesses);
  return el(
    "section",
    {
      class: "tour-card tour-end",
      "aria-label": tr("The end of the tour", "导览结束"),
      onkeydown: (event) => {
        if (event.key === "Escape") leave();
      },
    },
    el("h3", { tabindex: "-1" }, tr("That was the whole way, from text to translation.", "从原文到译文，全程走完了。")),
    result ? el("p", { class: "tour-score", role: "status" }, result) : null,
    el("p", { class: "quiet" }, tr("What to try next:", "接下来可以试试：")),
    el(
      "ul",
      { class: "tour-next-things" },
      thing(tr("a sentence of your own", "输入自己的一句话"), () => byId("source").focus()),
      thing(tr("What if? Switch parts off, and see what breaks", "动手改一改：关掉一部分，看看会怎样"), () =>
        goTo("hands"),
      ),
      el(
        "li",
        {},
        tr("write it yourself in ten steps; in the repository: ", "用十步自己写一遍；在代码仓库里："),
        el("code", {}, tr("docs/ten-steps/en", "docs/ten-steps/zh")),
      ),
    ),
    el(
      "div",
      { class: "tour-foot" },
      el("button", { type: "button", class: "tour-again", onclick: again }, tr("Take it again", "再走一遍")),
      el("button", { type: "button", class: "tour-close ready", onclick: leave }, tr("Close", "关闭")),
    ),
  );
}

const thing = (words, action) =>
  el("li", {}, el("button", { type: "button", class: "tour-link", onclick: action }, words));
