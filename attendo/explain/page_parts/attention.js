// One attention, one head of it: who looks at whom, one query's row from scores to weights, and every tensor on the way.

import { normFold } from "./add_and_norm.js";
import { isAdditive, isMasked, isScaled } from "./arithmetic.js";
import { everyLayerAndHead, headsOfLayer } from "./attention_maps.js";
import { attentionControls, lookingSentence, lookingSummary } from "./attention_views.js";
import { arcs, arcsHint } from "./arcs.js";
import { codeFold } from "./code_beside.js";
import { code, el, fold, nameAndShape, note, tr } from "./elements.js";
import { equation } from "./equations.js";
import { heatMap, tableTwin } from "./heat_map.js";
import { isCross, keyLabels, lookingOf } from "./joined.js";
import { CONFIG } from "./look.js";
import { rowsTable, unfoldHolder } from "./matrices.js";
import { saveButtons } from "./saving.js";
import { headOf, set, state } from "./state.js";
import { isPreNorm, tensor } from "./tensors.js";
import { numbers, stripes, tensorFold } from "./vectors.js";

// {part, title, words, rows: labels of the queries, written: what came after each (the decoder alone), chosen, choose(i)}
export function attentionBlock(of) {
  const { part } = of,
    head = headOf(part),
    place = part.replace(/\./g, "-");
  const looking = lookingOf({ ...of, place: `${place}-row` }, head);
  return el(
    "div",
    { class: "block attention", id: place },
    el("h3", {}, of.title, " ", el("span", { class: "quiet" }, code(part))),
    note(of.words),
    el("p", { class: "formula" }, equation("attention"), shapes(part)),
    attentionControls(part, head),
    el("p", { class: "looking" }, lookingSentence(of, looking)),
    picture(looking, lookingSummary(looking), place),
    rowFold(of, head, place),
    unfoldHolder(`${place}-row`),
    fold(
      `fold-${place}-tensors`,
      summaryLine(tr("every tensor on the way", "途经的每个张量"), "Q, K, V → … → W_O"),
      () => tensorFolds(of, head, place),
    ),
    fold(`fold-${place}-all-heads`, summaryLine(tr("all heads", "所有的头"), tr("of this layer", "这一层")), () =>
      headsOfLayer(of, place),
    ),
    fold(
      `fold-${place}-everywhere`,
      summaryLine(
        tr("every layer and head", "每一层、每个头"),
        tr("at a glance; click one to go there", "一览；点击其中一个即可切换"),
      ),
      () => everyLayerAndHead(of, head),
    ),
    fold(`fold-${place}-table`, summaryLine(tr("as a table", "表格"), tr("the same numbers", "同样的数")), () =>
      tableTwin(looking, tableCaption(of, head)),
    ),
    codeFold(place, ...codeNames(part)),
  );
}

function summaryLine(words, quiet) {
  return [el("b", {}, words), " ", el("span", { class: "quiet" }, quiet)];
}

function codeNames(part) {
  return ["attention", isAdditive() ? "additive_scores" : null, isMasked(part) ? "masks" : null, "multi_head"].filter(
    Boolean,
  );
}

// What the letters of the equation are here, in one head.
function shapes(part) {
  const [heads, n, m] = tensor(`${part}.weights`).shape,
    d = CONFIG.d_k;
  return el(
    "span",
    { class: "shape" },
    `Q [${n}, ${d}] · Kᵀ [${d}, ${m}] → [${n}, ${m}] · V [${m}, ${d}] → [${n}, ${d}]`,
    tr(`, in each of ${heads} heads`, `，共 ${heads} 个头`),
  );
}

function picture(looking, summary, place) {
  const isArcs = state.picture === "arcs";
  return [
    el("div", { class: "picture" }, isArcs ? arcs(looking, summary) : heatMap(looking, summary)),
    el(
      "div",
      { class: "picture-foot" },
      el("span", { class: "quiet" }, isArcs ? arcsHint() : mapHint(looking)),
      saveButtons(() => document.querySelector(`#${place} .picture`), place),
    ),
  ];
}

function mapHint(looking) {
  return [
    tr(
      "Rows look at columns; a row sums to 1. Click a label to follow another row, a cell to see what made it.",
      "行看列，每行之和为 1。点击行首可换一行；点击格子，看它怎样算出。",
    ),
    looking.hidden
      ? tr(" Masked: its score is −∞, so its weight is 0.", "被掩码遮住的：分数为 −∞，所以权重为 0。")
      : "",
  ];
}

function tableCaption(of, head) {
  return `${of.title}, ${tr(`head ${head + 1}: who looks (rows) at whom (columns)`, `第 ${head + 1} 个头：谁（行）在看谁（列）`)}`;
}

const KIND_OF_SCORE = { scores: "score", scaled: "scaled", masked: "masked" };

// What softmax is given, from step to step; additive attention divides by nothing.
function scoreNames(part) {
  return ["scores", isAdditive() ? null : "scaled", isMasked(part) ? "masked" : null].filter(Boolean);
}

function rowFold(of, head, place) {
  const title = [el("b", {}, rowName(of), tr(": from scores to weights", "：从分数到权重")), equation("softmax")];
  return fold(`fold-${place}-row`, title, () => scoreRows(of.part, head, of.chosen, `${place}-row`), true);
}

// In the decoder a row reads one piece and writes the next, by which a picture may name it.
function rowName(of) {
  const read = of.rows[of.chosen];
  if (!of.written) return tr(`the row of ${read}`, `${read} 这一行`);
  const written = of.written[of.chosen];
  return tr(`the row that reads ${read} and writes ${written}`, `读入 ${read}、写出 ${written} 的这一行`);
}

function scoreRows(part, head, i, place) {
  const keys = keyLabels(part),
    seen = isMasked(part) ? keys.slice(0, Math.max(i + 2, 1)) : keys;
  const some = (name) => tensor(`${part}.${name}`).row(head, i).subarray(0, seen.length);
  const notes = {
    scores: isAdditive() ? "w·tanh(q + k)" : "q·k",
    scaled: isScaled() ? `/ √${CONFIG.d_k}` : tr("(off)", "（已关）"),
    masked: "",
  };
  const rows = [
    ...scoreNames(part).map((name, at, all) => ({
      name,
      note: `${notes[name]}${at === all.length - 1 ? " = s" : ""}`.trim(),
      values: some(name),
      cell: (j) => [KIND_OF_SCORE[name], part, head, i, j],
    })),
    {
      name: "weights",
      note: "softmax",
      values: some("weights"),
      cell: (j) => ["weight", part, head, i, j],
      share: true,
    },
  ];
  return rowsTable(seen, rows, place);
}

// In the order in which they are computed.
function tensorFolds(of, head, place) {
  const { part } = of,
    whole = { labels: of.rows, chosen: of.chosen, choose: of.choose };
  return [
    normFold(part, whole, true),
    projectionsFold(of, head, place),
    fold(`fold-${place}-matrices`, summaryLine(tr("whole matrices", "完整矩阵"), scoreNames(part).join(", ")), () =>
      scoreNames(part).map((name) => wholeMatrix(of, head, name, place)),
    ),
    tensorFold(
      { ...whole, name: `${part}.heads`, head, cell: (i, k) => ["head", part, head, i, k] },
      tr("values, weighted and summed", "值向量的加权和"),
      equation("heads"),
    ),
    tensorFold(
      { ...whole, name: `${part}.concat`, cell: (i, k) => ["concat", part, i, k] },
      tr("all heads side by side", "所有头拼接"),
    ),
    tensorFold(
      { ...whole, name: `${part}.out`, cell: (i, k) => ["product", `${part}.out`, null, i, k] },
      tr("times W_O", "乘以 W_O"),
      equation("output"),
    ),
    tensorFold(
      { ...whole, name: `${part}.add`, cell: (i, k) => ["add", part, i, k] },
      tr("add: x goes around and is added", "残差：x 绕过去再加回来"),
      equation("add"),
    ),
    normFold(part, whole, false),
    codeFold(`${place}-tensors`, "queries", "keys_and_values", "linear", "add_and_norm"),
  ];
}

function projectionsFold(of, head, place) {
  const { part } = of,
    cross = isCross(part);
  const ofQueries = { labels: of.rows, chosen: of.chosen, choose: of.choose };
  const ofKeys = cross
    ? { labels: keyLabels(part), chosen: state.position, choose: (i) => set({ position: i }) }
    : { ...ofQueries, labels: keyLabels(part) };
  const titles = {
    Q: tr("Q: what I am looking for", "Q：我在找什么"),
    K: tr("K: what I offer to be found by", "K：别人凭什么找到我"),
    V: tr("V: what I give to who looks", "V：我给看我的人什么"),
  };
  const third = (letter) => {
    const one = {
      ...(letter === "Q" ? ofQueries : ofKeys),
      name: `${part}.${letter}`,
      head,
      place: `${place}-${letter}`,
      cell: (i, k) => ["product", `${part}.${letter}`, head, i, k],
    };
    return el("div", { class: "third" }, el("h4", {}, titles[letter]), stripes(one), numbers(one));
  };
  const title = [
    el("b", {}, tr("queries, keys, values", "查询、键、值")),
    " ",
    nameAndShape("Q, K, V", tensor(`${part}.Q`).shape),
    equation(cross ? "crossProjections" : "projections"),
  ];
  return fold(`fold-${place}-QKV`, title, () => [
    note(
      tr(
        `Here x is what the part reads${isPreNorm() ? ", after the norm" : ""}. This head has ${CONFIG.d_k} columns of each. Underlined numbers unfold to their products, and the bias where the model has one.`,
        `这里的 x 是这一部分的输入${isPreNorm() ? "（归一化之后）" : ""}。这个头各占 ${CONFIG.d_k} 列。带下划线的数可以展开成乘积之和（模型有偏置时再加上偏置）。`,
      ),
    ),
    ["Q", "K", "V"].map(third),
  ]);
}

function wholeMatrix(of, head, name, place) {
  const { part } = of,
    values = tensor(`${part}.${name}`);
  const map = {
    rows: of.rows,
    columns: keyLabels(part),
    chosen: of.chosen,
    choose: of.choose,
    place: `${place}-${name}`,
    signed: true,
    value: (i, j) => values.at(head, i, j),
    hidden: name === "masked" ? (i, j) => j > i : null,
    cell: (i, j) => [KIND_OF_SCORE[name], part, head, i, j],
  };
  return [
    el("h4", {}, nameAndShape(`${part}.${name}`, values.shape)),
    heatMap(map, `${part}.${name}`),
    unfoldHolder(`${place}-${name}`),
  ];
}
