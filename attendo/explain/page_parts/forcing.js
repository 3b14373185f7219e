// What comes next, said by the reader: the pieces of a path are forced from the first step to its last, and the search
// goes on from there.

import { el, tr } from "./elements.js";
import { handsWith } from "./hand_changes.js";
import { DATA, HANDS, lookWith, NUMBERS } from "./look.js";
import { set, state } from "./state.js";

// What was forced after the path's end is forgotten. `step` is looked at then.
export async function continueWith(ids, step = ids.length - 1) {
  const force = Object.fromEntries(ids.map((id, at) => [at + 1, id])),
    station = document.activeElement && document.activeElement.closest(".station");
  const isDrawn = await lookWith(handsWith({ force }));
  if (!isDrawn) return;
  set({ step: Math.min(step, DATA.steps.length - 1) });
  if (station) focusStep(station.id);
}

// What had the focus may be gone: who came by the keyboard goes on from the step bar.
function focusStep(id) {
  if (document.activeElement !== document.body) return;
  document.querySelector(`#${id} .step-bar [aria-current]`).focus({ preventScroll: true });
}

export function isForced(step) {
  return String(step + 1) in (HANDS.force || {});
}

// Which pieces are forced, and a button that leaves them to the model again; null where none is.
export function forcedLine() {
  const forced = Object.entries(HANDS.force || {});
  if (!forced.length) return null;
  return el(
    "p",
    { class: "forced-line" },
    el("span", { class: "quiet" }, tr("forced: ", "已指定：")),
    forced.map(([step, id]) => el("span", { class: "piece forced" }, el("small", {}, step), ` ${DATA.pieces[id]}`)),
    lookWith
      ? el(
          "button",
          { type: "button", class: "let-go", onclick: () => lookWith(handsWith({ force: null })) },
          tr("let the model choose again", "交还给模型"),
        )
      : null,
  );
}

// A word of the reader's own, of whatever pieces it is made; null on a page that nobody computes for.
export function ownWord() {
  if (!lookWith) return null;
  const field = el("input", { type: "text", maxlength: "100", autocomplete: "off", spellcheck: "false" }),
    line = el("span", { class: "own-word-line", role: "status" });
  const say = async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return;
    const { step } = state,
      before = DATA.target.ids.slice(0, step);
    try {
      // At the word's first piece, so that another word takes the place of all of it.
      await continueWith([...before, ...(await NUMBERS.pieces(field.value.trim(), step + 1))], step);
    } catch (error) {
      line.textContent = error.message;
    }
  };
  return el(
    "form",
    { class: "own-word", onsubmit: say },
    el("label", {}, tr("or a word of your own: ", "或者自己写一个词："), field),
    el("button", { type: "submit" }, tr("say it", "让它说")),
    line,
  );
}
