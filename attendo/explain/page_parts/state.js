// What the reader has chosen; a change draws those sections anew that depend on it.

const state = {
  language: DATA.language,
  position: DATA.view.position,
  layer: DATA.view.layer,
  step: DATA.view.step,
  decoderLayer: Math.min(DATA.view.layer, CONFIG.decoder_layers - 1),
  heads: {}, // by part; the sharpest where nothing was chosen
  cell: {}, // by place: which number is unfolded there
  open: {}, // folds, by their ids
};

const sections = []; // {id, title, depends, draw}

function section(id, title, depends, draw) {
  sections.push({ id, title, depends, draw });
}

function set(changes) {
  Object.assign(state, changes);
  for (const one of sections) {
    if (one.depends.some((key) => key in changes)) redraw(one);
  }
}

// A number is unfolded at its place, or folded again.
function unfoldAt(place, cell) {
  const same = JSON.stringify(state.cell[place]) === JSON.stringify(cell);
  state.cell[place] = same ? null : cell;
  const holder = document.querySelector(`[data-place="${place}"]`);
  if (holder) holder.replaceChildren(...unfolding(place));
  for (const one of document.querySelectorAll(`[data-of="${place}"]`)) {
    one.classList.toggle("unfolded", !same && one.dataset.cell === JSON.stringify(cell));
  }
}

function headOf(part) {
  if (part in state.heads) return state.heads[part];
  return DATA.view.head === null ? sharpestHead(part) : DATA.view.head;
}

function redraw(one) {
  const old = document.getElementById(one.id);
  if (old) old.replaceWith(drawn(one));
}

function drawn(one) {
  return el("section", { id: one.id }, el("h2", {}, one.title()), one.draw());
}
