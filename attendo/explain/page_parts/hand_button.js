// A hand on the spot: a button where a server looks again at once, and beside it what it changed; else the words for
// the command.

import { code, el, tr } from "./elements.js";
import { wasAndNow } from "./hands.js";
import { lookWith } from "./look.js";

// {isOn, lay: words of the button, lift: its words when the hand is on, hands(): those after a click, option: of attendo explain}
export function handButton({ isOn, lay, lift, hands, option }) {
  if (!lookWith)
    return el("span", { class: "quiet" }, tr("try it: attendo explain … ", "试试：attendo explain … "), code(option));
  return [
    el(
      "button",
      {
        type: "button",
        class: isOn ? "lay-hand on" : "lay-hand",
        "aria-pressed": String(isOn),
        onclick: () => lookWith(hands()),
      },
      isOn ? lift : lay,
    ),
    isOn ? wasAndNow() : null,
  ];
}
