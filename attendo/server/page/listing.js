// The list of programs: filtered, each with what to paste and a test that sends what it would send.

import { askJson, sayError } from "./asking.js";
import { filled, inLanguage, isFound, requestOf, tableFor, valueAt } from "./clients.js";
import { byId, copyFrom, el } from "./elements.js";
import { base, sources, targets } from "./languages.js";
import { number, settings, t } from "./settings.js";

const TYPES = { form: "application/x-www-form-urlencoded", multipart: "multipart/form-data", text: "text/plain" };
const GROUP_NAMES = {
  browser: "group.browser",
  desktop: "group.desktop",
  reading: "group.reading",
  servers: "group.servers",
  programmers: "group.programmers",
};
const PASTE_NAMES = {
  address: "paste.address",
  key: "paste.key",
  setting: "paste.setting",
  command: "paste.command",
  code: "paste.code",
};
const state = { data: null, needsKey: false, group: "", query: "" };

// Into the language of the reader where that can be, so that he sees at once whether it is right.
function direction() {
  const all = sources().flatMap((source) => targets(source).map((target) => [base(source), base(target)]));
  const has = ([source]) => source in state.data.samples;
  const mine = settings.language === "zh" ? "zh" : "en";
  return all.find((one) => one[1] === mine && has(one)) || all.find(has) || all[0] || ["en", "zh"];
}

// What is sent, what is copied, and what is shown: a key stays hidden on the screen.
function table(kind) {
  const key = settings.key || (state.needsKey && kind !== "sent" ? t("key.yours") : "");
  const found = tableFor(state.data, ...direction(), key);
  if (kind !== "shown" || !settings.key) {
    if (!settings.key && key) Object.assign(found, { token: `?token=${key}` });
    return found;
  }
  const dots = "•".repeat(8);
  return { ...found, key: dots, token: `?token=${dots}`, bearer: `-H 'Authorization: Bearer ${dots}' ` };
}

// --- one program

function card(client) {
  const result = el("p", { class: "result", role: "status" });
  const name = inLanguage(client.name);
  const test = el("button", { type: "button", class: "test" }, t("connect.test"));
  const as = inLanguage(client.as);
  test.setAttribute("aria-label", [t("connect.test"), name, as].filter(Boolean).join(" "));
  test.addEventListener("click", () => run(client, test, result));
  const needed = client.paste.filter((one) => one.what !== "key" || state.needsKey || one.value.includes("|"));
  return el(
    "li",
    { class: "card", id: `client-${client.id}` },
    el("div", { class: "card-head" }, el("h4", {}, name, as ? el("span", { class: "as" }, as) : null), test),
    el("p", { class: "where" }, inLanguage(client.where)),
    needed.map((one) => paste(one, name)),
    client.note ? el("p", { class: "hint" }, inLanguage(client.note)) : null,
    client.without_key && state.needsKey ? el("p", { class: "hint bad" }, t("connect.keyless")) : null,
    result,
    sends(client),
  );
}

function paste({ what, value }, name) {
  const button = el("button", { type: "button", class: "copy" }, t("box.copy"));
  button.setAttribute("aria-label", [t("box.copy"), t(PASTE_NAMES[what]), name].join(" "));
  button.addEventListener("click", () => copyFrom(button, filled(value, table("copied"))));
  return el(
    "div",
    { class: ["address", "key"].includes(what) ? "paste" : "paste long" },
    el("span", { class: "what" }, t(PASTE_NAMES[what])),
    el("code", { translate: "no" }, filled(value, table("shown"))),
    button,
  );
}

function sends(client) {
  const details = el("details", {}, el("summary", {}, t("connect.sends")));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(...spelled(client));
  });
  return details;
}

function spelled(client) {
  const { method, path, headers, body, type } = requestOf(client, table("shown"));
  const named = type === "json" ? "application/json" : TYPES[type];
  const lines = [`${method} ${path}`, ...Object.entries(headers).map((pair) => pair.join(": "))];
  if (named) lines.push(`Content-Type: ${named}`);
  if (body !== undefined) lines.push("", JSON.stringify(body, null, 2));
  const other = body !== undefined && type !== "json";
  const note = other ? t("connect.json", { type: TYPES[type] || t("connect.untyped") }) : null;
  return [el("pre", { translate: "no", tabindex: "0" }, lines.join("\n")), note ? el("p", { class: "hint" }, note) : ""];
}

// --- the test

async function run(client, button, result) {
  button.disabled = true;
  result.className = "result";
  result.textContent = t("connect.testing");
  const began = performance.now();
  const [works, text, language] = await outcome(client);
  const ms = number(Math.max(1, Math.round(performance.now() - began)));
  button.disabled = false;
  result.classList.add(works ? "good" : "bad");
  result.replaceChildren(
    el("b", {}, t(works ? "connect.works" : "connect.fails", { ms })),
    el("span", { lang: language, dir: "auto" }, text),
  );
}

// [whether it works, the translation or what is wrong, its language]
async function outcome(client) {
  try {
    const sent = table("sent");
    if (client.first) {
      const found = valueAt(await askJson(client.first.path), client.first.reads);
      if (found !== client.first.is) return [false, t("connect.called", { found, expected: client.first.is })];
    }
    const { method, path, headers, body } = requestOf(client, sent);
    // The key only where the program itself puts it.
    const answer = await askJson(path, { method, body, headers: { Authorization: "", ...headers } });
    const text = valueAt(answer, client.reads);
    return text ? [true, text, sent.to] : [false, t("connect.empty")];
  } catch (error) {
    return [false, sayError(error)];
  }
}

// --- the list

function draw() {
  const { data, group, query } = state;
  const found = data.clients.filter((one) => (!group || one.group === group) && isFound(one, query.trim()));
  const sections = data.groups.map((name) => {
    const inside = found.filter((one) => one.group === name);
    if (!inside.length) return null;
    const id = `group-${name}`;
    return el(
      "section",
      { "aria-labelledby": id },
      el("h3", { id }, t(GROUP_NAMES[name])),
      el("ul", { class: "cards" }, inside.map(card)),
    );
  });
  byId("clients").replaceChildren(...sections.filter(Boolean));
  byId("found").textContent = found.length ? t("connect.found", { count: found.length }) : t("connect.nothing");
}

function drawGroups() {
  const chips = ["", ...state.data.groups].map((name) => {
    const label = name ? t(GROUP_NAMES[name]) : t("connect.all");
    const choose = () => {
      state.group = name;
      drawGroups();
      draw();
      byId("groups").querySelector("[aria-pressed=true]").focus();
    };
    return el("button", { type: "button", "aria-pressed": String(state.group === name), onclick: choose }, label);
  });
  byId("groups").replaceChildren(...chips);
}

export function drawListing() {
  if (!state.data) return;
  byId("elsewhere").textContent = t("connect.elsewhere", { host: location.hostname });
  drawGroups();
  draw();
}

export function startListing(data, needsKey) {
  Object.assign(state, { data, needsKey });
  byId("find-client").addEventListener("input", () => {
    state.query = byId("find-client").value;
    draw();
  });
  drawListing();
}
