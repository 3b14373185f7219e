// One attention, one head of it: who looks at whom, one query's row from scores to weights, the weighted sum, W_O.

import { normFold } from "./add_and_norm.js";
import { isAdditive, isHeadOff, isMasked, isScaled } from "./arithmetic.js";
import { chooser, code, el, fold, nameAndShape, note, tr } from "./elements.js";
import { equation } from "./equations.js";
import { CONFIG } from "./look.js";
import { matrix, rowsTable, unfoldHolder } from "./matrices.js";
import { headOf, redrawStation, set, state } from "./state.js";
import { isPreNorm, sharpestHead, tensor } from "./tensors.js";
import { keyLabels } from "./unfold.js";
import { numbers, stripes, tensorFold } from "./vectors.js";

// {part, title, words, rows: labels of the queries, written: what came after each (the decoder alone), chosen, choose(i)}
export function attentionBlock(of) {
  const { part } = of,
    head = headOf(part),
    keys = keyLabels(part),
    place = part.replace(/\./g, "-");
  const cross = part.endsWith("cross_attention");
  const whole = { labels: of.rows, chosen: of.chosen, choose: of.choose };
  const keyed = {
    labels: keys,
    chosen: cross ? Math.min(state.position, keys.length - 1) : of.chosen,
    choose: cross ? (i) => set({ position: i }) : of.choose,
  };
  const product = (letter) => (i, k) => ["product", `${part}.${letter}`, head, i, k];
  const plain = (letter) => (i, k) => ["product", `${part}.${letter}`, null, i, k];
  return el(
    "div",
    { class: "block", id: place },
    el("h3", {}, of.title, " ", el("span", { class: "quiet" }, code(part))),
    note(of.words),
    el("p", {}, equation("attention")),
    headChooser(part, head),
    normFold(part, whole, true),
    fold(
      `fold-${place}-QKV`,
      [
        el("b", {}, tr("queries, keys, values", "查询、键、值")),
        " ",
        nameAndShape(`Q, K, V`, tensor(`${part}.Q`).shape),
        equation(cross ? "crossProjections" : "projections"),
      ],
      () => [
        note(
          tr(
            `Here x is what the part reads${isPreNorm() ? ", after the norm" : ""}. This head has ${CONFIG.d_k} columns of each. Underlined numbers unfold to their products, and the bias where the model has one.`,
            `这里的 x 是这一部分的输入${isPreNorm() ? "（归一化之后）" : ""}。这个头各占 ${CONFIG.d_k} 列。带下划线的数可以展开成乘积之和（模型有偏置时再加上偏置）。`,
          ),
        ),
        ["Q", "K", "V"].map((letter) => {
          const one = {
            ...(letter === "Q" ? whole : keyed),
            name: `${part}.${letter}`,
            head,
            place: `${place}-${letter}`,
            cell: product(letter),
          };
          return el(
            "div",
            { class: "third" },
            el(
              "h4",
              {},
              {
                Q: tr("Q: what I am looking for", "Q：我在找什么"),
                K: tr("K: what I offer to be found by", "K：别人凭什么找到我"),
                V: tr("V: what I give to who looks", "V：我给看我的人什么"),
              }[letter],
            ),
            stripes(one),
            numbers(one),
          );
        }),
      ],
    ),
    el(
      "h4",
      {},
      tr("Who looks at whom", "谁在看谁"),
      " ",
      nameAndShape(`${part}.weights`, tensor(`${part}.weights`).shape),
    ),
    note(summaryOf(part, head, of, keys)),
    matrix({
      rows: rowLabels(of),
      columns: keys,
      chosen: of.chosen,
      choose: of.choose,
      place: `${place}-row`,
      value: (i, j) => tensor(`${part}.weights`).at(head, i, j),
      hidden: isMasked(part) ? (i, j) => j > i : null,
      cell: (i, j) => ["weight", part, head, i, j],
    }),
    el(
      "h4",
      {},
      el(
        "span",
        {},
        tr("The row of ", ""),
        el("b", {}, rowLabels(of)[of.chosen]),
        tr(": from scores to weights", " 这一行：从分数到权重"),
      ),
      equation("softmax"),
    ),
    scoreRows(part, head, of.chosen, keys, `${place}-row`),
    unfoldHolder(`${place}-row`),
    tensorFold(
      { ...whole, name: `${part}.heads`, head, cell: (i, k) => ["head", part, head, i, k] },
      tr("values, weighted and summed", "值向量的加权和"),
      equation("heads"),
    ),
    tensorFold(
      { ...whole, name: `${part}.concat`, cell: (i, k) => ["concat", part, i, k] },
      tr("all heads side by side", "所有头拼接"),
    ),
    tensorFold({ ...whole, name: `${part}.out`, cell: plain("out") }, tr("times W_O", "乘以 W_O"), equation("output")),
    tensorFold(
      { ...whole, name: `${part}.add`, cell: (i, k) => ["add", part, i, k] },
      tr("add: x goes around and is added", "残差：x 绕过去再加回来"),
      equation("add"),
    ),
    normFold(part, whole, false),
    fold(
      `fold-${place}-heads`,
      [el("b", {}, tr("all heads", "所有的头")), " ", el("span", { class: "quiet" }, tr("of this layer", "这一层"))],
      () => allHeads(part, of, keys, place),
    ),
    fold(
      `fold-${place}-matrices`,
      [
        el("b", {}, tr("whole matrices", "完整矩阵")),
        " ",
        el("span", { class: "quiet" }, scoreNames(part).join(", ")),
      ],
      () =>
        scoreNames(part).map((name) => wholeMatrix(part, head, name, of, keys, place)),
    ),
  );
}

function headChooser(part, head) {
  const sharpest = sharpestHead(part);
  const options = Array.from({ length: CONFIG.num_heads }, (_, h) => ({
    label: `${h + 1}${isHeadOff(part, h) ? " ✕" : ""}`,
    mark: h === sharpest,
    title: h === sharpest ? tr("the sharpest", "最集中的头") : null,
  }));
  const [stack, layer, name] = part.split(".");
  const where = name === "cross_attention" ? "cross" : stack;
  return el(
    "div",
    { class: "row" },
    chooser(tr("head", "头"), options, head, (h) => {
      state.heads[part] = h;
      redrawStation(stack);
    }),
    el(
      "span",
      { class: "quiet" },
      head === sharpest ? tr("★ the sharpest of this layer, its weights the least spread · ", "★ 本层注意力最集中的头 · ") : "",
      tr("switch it off: ", "关掉它："),
      code(`--head-off ${where}:${Number(layer) + 1}:${head + 1}`),
    ),
  );
}

// In the decoder a row has read one piece and writes the next: ␣love → ␣machine.
function rowLabels(of) {
  return of.written ? of.rows.map((label, i) => `${label} → ${of.written[i]}`) : of.rows;
}

// 我 looks at 爱 0.85, …
function summaryOf(part, head, of, keys) {
  const row = tensor(`${part}.weights`).row(head, of.chosen);
  const order = Array.from(row.keys())
    .sort((a, b) => row[b] - row[a])
    .slice(0, 3)
    .filter((j) => row[j] >= 0.05);
  const seen = order.map((j) => `${keys[j]} ${row[j].toFixed(2)}`).join(tr(", ", "，"));
  const who = of.written
    ? tr(
        [
          "Having read ",
          el("b", {}, of.rows[of.chosen]),
          " it is about to write ",
          el("b", {}, of.written[of.chosen]),
          ", and this head",
        ],
        ["读入 ", el("b", {}, of.rows[of.chosen]), "、将要写出 ", el("b", {}, of.written[of.chosen]), " 时，这个头"],
      )
    : el("b", {}, of.rows[of.chosen]);
  return [
    who,
    tr(" looks at ", of.written ? "主要看 " : " 主要看 "),
    seen,
    tr(
      ". Rows look at columns; a row sums to 1. Click a label to follow another row.",
      "。行看列，每行之和为 1。点击行首的词可换一行。",
    ),
    isMasked(part)
      ? tr(
          " Hatched: masked. Its score is −∞, so its weight is 0.",
          "带斜线的格子被掩码遮住：分数为 −∞，所以权重为 0。",
        )
      : "",
  ];
}

const KIND_OF_SCORE = { scores: "score", scaled: "scaled", masked: "masked" };

// What softmax is given, from step to step; additive attention divides by nothing.
function scoreNames(part) {
  return ["scores", isAdditive() ? null : "scaled", isMasked(part) ? "masked" : null].filter(Boolean);
}

function scoreRows(part, head, i, keys, place) {
  const seen = isMasked(part) ? keys.slice(0, Math.max(i + 2, 1)) : keys;
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

function allHeads(part, of, keys, place) {
  return el(
    "div",
    { class: "maps" },
    Array.from({ length: CONFIG.num_heads }, (_, h) =>
      el(
        "figure",
        {},
        el("figcaption", {}, tr(`head ${h + 1}`, `第 ${h + 1} 个头`)),
        smallMap(part, h, of, keys, place),
      ),
    ),
  );
}

function smallMap(part, head, of, keys, place) {
  const map = matrix({
    rows: rowLabels(of),
    columns: keys,
    chosen: of.chosen,
    place: `${place}-heads`,
    value: (i, j) => tensor(`${part}.weights`).at(head, i, j),
    hidden: isMasked(part) ? (i, j) => j > i : null,
    cell: (i, j) => ["weight", part, head, i, j],
  });
  map.classList.add("small");
  return map;
}

function wholeMatrix(part, head, name, of, keys, place) {
  const kind = KIND_OF_SCORE[name];
  return [
    el("h4", {}, nameAndShape(`${part}.${name}`, tensor(`${part}.${name}`).shape)),
    matrix({
      rows: rowLabels(of),
      columns: keys,
      chosen: of.chosen,
      choose: of.choose,
      place: `${place}-${name}`,
      signed: true,
      value: (i, j) => tensor(`${part}.${name}`).at(head, i, j),
      hidden: name === "masked" ? (i, j) => j > i : null,
      cell: (i, j) => [kind, part, head, i, j],
    }),
    unfoldHolder(`${place}-${name}`),
  ];
}
