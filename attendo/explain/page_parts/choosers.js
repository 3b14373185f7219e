// Which layer and which step is shown.

import { chooser, el, tr } from "./elements.js";
import { DATA } from "./look.js";
import { set, state } from "./state.js";

export function layerChooser(count, chosen, choose) {
  return chooser(
    tr("layer", "层"),
    Array.from({ length: count }, (_, l) => ({ label: String(l + 1) })),
    chosen,
    choose,
  );
}

export function stepChooser() {
  const options = DATA.target.labels.map((label, step) => ({
    label: `${step + 1} ${label}`,
    title: `${DATA.target_in.labels[step]} → ${label}`,
  }));
  return el(
    "div",
    { class: "row" },
    chooser(tr("step", "步"), options, state.step, (step) => set({ step })),
    el(
      "button",
      {
        type: "button",
        class: "next",
        disabled: state.step + 1 >= DATA.steps.length,
        onclick: () => set({ step: state.step + 1 }),
      },
      tr("next step →", "下一步 →"),
    ),
  );
}
