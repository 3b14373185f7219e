// The visitor's own target for the training pass: a field, and the server's line where it cannot be read.

import { el, tr } from "/glass/elements.js";
import { DATA } from "/glass/look.js";
import { setOwnTarget, whoseTarget } from "/glass/training.js";
import { byId } from "./elements.js";
import { look, request } from "./looking.js";

const [FIELD, LINE] = ["own-target", "own-target-line"];
let draft = null; // {of: the sentence, text}: what is being written, while the station may be drawn anew

export function startTrainingPair() {
  setOwnTarget(drawField);
}

function drawField() {
  const written = draft && draft.of === DATA.text ? draft.text : request.target || "";
  return el(
    "form",
    {
      class: "own-target",
      onsubmit: (event) => {
        event.preventDefault();
        lookAtPair(byId(FIELD).value.trim());
      },
    },
    el("label", { for: FIELD }, tr("A translation of your own", "你自己的译文")),
    el("input", {
      id: FIELD,
      value: written,
      placeholder: DATA.comparison ? DATA.comparison.translation : DATA.translation,
      lang: DATA.languages[1],
      dir: "auto",
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": LINE,
      oninput: (event) => {
        draft = { of: DATA.text, text: event.target.value };
      },
    }),
    el("button", { type: "submit" }, tr("look at this pair", "看这个句对")),
    el(
      "button",
      { type: "button", "aria-pressed": String(!DATA.training.given), onclick: () => lookAtPair("") },
      tr("the model's own", "用模型自己的"),
    ),
    el("p", { id: LINE, class: "quiet", role: "status" }, whoseTarget(DATA.training)),
  );
}

// An empty one is the model's own.
async function lookAtPair(text) {
  draft = { of: DATA.text, text };
  const isDrawn = await look({ target: text || null }, (line) => {
    byId(LINE).textContent = line;
    byId(LINE).classList.toggle("bad", line !== "");
  });
  if (isDrawn) draft = null;
}
