// What if …? The controls of all hands on the model, the hands that are on, and what they changed.

import { chooser, el, tr } from "/glass/elements.js";
import { handsWith, isErasedWhole, toggleErase } from "/glass/hand_changes.js";
import { forcedWords, handsInWords } from "/glass/hand_words.js";
import { comparisonBlock, partingWords, wasAndNow } from "/glass/hands.js";
import { wordLabel } from "/glass/joined.js";
import { CONFIG, DATA, lookWith, wantedHands } from "/glass/look.js";
import { exchange, state } from "/glass/state.js";
import { byId } from "./elements.js";
import { stackSwitches } from "./hand_switches.js";
import { onLooked } from "./looking.js";
import { onChange } from "./settings.js";
import { isTurned, temperatureSlider } from "./temperature_slider.js";

const [PANEL, SAID] = ["hands-panel", "hands-said"];
let told = {}; // whose translation was told last: {text, hands}

export function startHands() {
  byId("hands").append(
    el("p", { id: SAID, class: "unseen", role: "status" }),
    ...["head", "controls", "on", "changed"].map((part) => el("div", { id: `${PANEL}-${part}` })),
  );
  onLooked(() => {
    drawPanel();
    tell();
  });
  onChange((name) => {
    if (name !== "language" || !DATA) return;
    drawPanel(true);
    if (byId(SAID).textContent) byId(SAID).textContent = whatIsNew();
  });
}

// What was asked for is shown as pressed at once, what it does when it has been computed.
async function act(hands) {
  const looking = lookWith(hands);
  drawPanel();
  if (!(await looking)) drawPanel();
}

// The slider that somebody is turning stays as it is.
function drawPanel(afresh = false) {
  const hadFocus = byId("hands").contains(document.activeElement);
  drawPart("head", drawHead());
  if (afresh || !isTurned()) drawPart("controls", state.open[PANEL] ? drawControls() : null);
  drawPart("on", drawHandsOn());
  drawPart("changed", comparisonBlock());
  if (hadFocus && !byId("hands").contains(document.activeElement)) byId(PANEL).focus({ preventScroll: true });
}

function drawPart(part, content) {
  exchange(byId(`${PANEL}-${part}`), el("div", { id: `${PANEL}-${part}` }, content));
}

function drawHead() {
  const isOpen = Boolean(state.open[PANEL]);
  return [
    el(
      "button",
      {
        type: "button",
        id: PANEL,
        class: "what-if",
        "aria-expanded": String(isOpen),
        "aria-controls": `${PANEL}-controls`,
        onclick: () => {
          state.open[PANEL] = !isOpen;
          drawPanel(true);
        },
      },
      tr("What if …?", "如果……会怎样？"),
    ),
    el(
      "span",
      { class: "quiet" },
      tr(
        "Erase a word, switch off a head, take away the positions, and see what becomes of the translation.",
        "擦去一个词，关掉一个头，拿走位置编码，看译文会变成什么样。",
      ),
    ),
  ];
}

function drawControls() {
  return [
    control(
      tr("Erase words", "擦去词"),
      tr("looked at as before, they give nothing", "照样被看到，但什么也不给"),
      sourceWords(),
      "wide",
    ),
    control(
      tr("Switch off heads and feed-forward layers", "关掉头和前馈层"),
      tr("what is off gives zeros", "关掉的部分输出零"),
      el("div", { class: "stacks" }, stackSwitches("encoder", act), stackSwitches("decoder", act)),
      "tall",
    ),
    control(tr("Change the arithmetic", "改动计算"), null, [
      onOff(
        tr("causal mask", "因果掩码"),
        "causal_mask",
        tr("off: a position sees those after it", "关闭：一个位置能看到它后面的"),
      ),
      positions(),
      CONFIG.compatibility === "dot"
        ? onOff("1/√d_k", "scale", tr("off: large scores, sharp softmax", "关闭：分数变大，softmax 变尖"))
        : null,
      temperatureSlider(act),
    ]),
    control(tr("Force words", "指定词元"), null, forcedNow()),
  ];
}

function control(title, hint, content, size = "") {
  return el(
    "div",
    { class: `control ${size}`, role: "group", "aria-label": title },
    el("h3", {}, title, hint && el("span", { class: "quiet" }, hint)),
    content,
  );
}

function sourceWords() {
  const words = DATA.words.source.map(([from, to]) => {
    const pieces = Array.from({ length: to - from }, (_, at) => from + at),
      word = wordLabel(DATA.source.labels, [from, to]);
    return el(
      "button",
      {
        type: "button",
        class: "erasable",
        "aria-pressed": String(isErasedWhole(pieces)),
        "aria-label": tr(`erase ${word}`, `擦去 ${word}`),
        onclick: () => act(toggleErase(pieces)),
      },
      word,
    );
  });
  return el("div", { class: "erasables", lang: DATA.languages[0] }, words);
}

function onOff(name, hand, hint) {
  const options = [{ label: tr("on", "开") }, { label: tr("off", "关") }];
  return el(
    "div",
    { class: "setting" },
    chooser(name, options, wantedHands()[hand] === false ? 1 : 0, (chosen) => act(handsWith({ [hand]: chosen === 0 }))),
    el("span", { class: "quiet" }, hint),
  );
}

function positions() {
  const kinds = ["on", "off", "shuffled"],
    { positions: kind = "on", seed = 1 } = wantedHands();
  const options = [{ label: tr("on", "开") }, { label: tr("off", "关") }, { label: tr("shuffled", "打乱") }];
  return el(
    "div",
    { class: "setting" },
    chooser(tr("positions", "位置编码"), options, kinds.indexOf(kind), (chosen) =>
      act(handsWith({ positions: kinds[chosen] })),
    ),
    el(
      "button",
      { type: "button", hidden: kind !== "shuffled", onclick: () => act(handsWith({ seed: seed + 1 })) },
      tr("shuffle again", "再打乱一次"),
    ),
    el("span", { class: "quiet" }, tr("off: word order is lost", "关闭：词序丢失")),
  );
}

function forcedNow() {
  const forced = forcedWords(wantedHands().force || {});
  return el(
    "p",
    { class: "chips-of-hands" },
    forced.map(handChip),
    el(
      "span",
      { class: "quiet" },
      tr("Choose another candidate for a step under ", "可以在“"),
      el("a", { href: "#output" }, tr("next piece", "下一个词元")),
      tr(", or a lost path of ", "”一站给某一步换一个候选，也可以在“"),
      el("a", { href: "#search" }, tr("the search", "搜索")),
      tr(".", "”一站选一条被淘汰的路径。"),
    ),
  );
}

function drawHandsOn() {
  const hands = handsInWords(wantedHands());
  if (!hands.length) return null;
  return [
    el(
      "p",
      { class: "chips-of-hands" },
      hands.map(handChip),
      el("button", { type: "button", class: "undo-all", onclick: () => act({}) }, tr("undo all", "全部撤销")),
    ),
    state.open[PANEL] ? wasAndNow() : null, // the comparison may lie below the screen
  ];
}

function handChip(one) {
  return el(
    "button",
    {
      type: "button",
      class: "hand",
      "aria-label": tr(`undo: ${one.words}`, `撤销：${one.words}`),
      onclick: () => act(one.without()),
    },
    one.words,
    el("span", { "aria-hidden": "true" }, " ×"),
  );
}

// Once for each change of hands: the box tells of another sentence by itself.
function tell() {
  const now = { text: DATA.text, hands: JSON.stringify(DATA.hands) },
    isNews = now.text === told.text && now.hands !== told.hands;
  told = now;
  if (isNews) byId(SAID).textContent = whatIsNew();
}

function whatIsNew() {
  const translation = DATA.translation;
  return DATA.comparison
    ? tr(`The translation is now “${translation}” ${partingWords()}`, `现在的译文是“${translation}”。${partingWords()}`)
    : tr(`Nothing is changed: “${translation}”`, `没有任何改动：“${translation}”`);
}
