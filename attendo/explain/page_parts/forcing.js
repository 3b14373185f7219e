// What comes next, said by the reader: the pieces of a path are forced from the first step to its last, and the search
// goes on from there.

import { el, tr } from "./elements.js";
import { handsWith } from "./hand_changes.js";
import { DATA, HANDS, lookWith } from "./look.js";
import { set } from "./state.js";

// What was forced after the path's end is forgotten.
export async function continueWith(ids) {
  const force = Object.fromEntries(ids.map((id, at) => [at + 1, id])),
    station = document.activeElement && document.activeElement.closest(".station");
  const isDrawn = await lookWith(handsWith({ force }));
  if (!isDrawn) return;
  set({ step: Math.min(ids.length, DATA.steps.length) - 1 });
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
