// Which layer is shown, and how wide the search is.

import { chooser, tr } from "./elements.js";
import { handsWith } from "./hand_changes.js";
import { DATA, lookWith } from "./look.js";

const BEAMS = [1, 2, 4, 8];

export function layerChooser(count, chosen, choose) {
  return chooser(
    tr("layer", "层"),
    Array.from({ length: count }, (_, l) => ({ label: String(l + 1) })),
    chosen,
    choose,
  );
}

// Null where nobody can search anew.
export function beamChooser() {
  if (!lookWith) return null;
  return chooser(
    tr("beam", "束宽"),
    BEAMS.map((beam) => ({
      label: String(beam),
      title: beam === 1 ? tr("greedy search", "贪心搜索") : null,
    })),
    BEAMS.indexOf(DATA.beam),
    (index) => lookWith(handsWith({}), { beam: BEAMS[index] }),
  );
}
