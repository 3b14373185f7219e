// What the page remembers: language, colours and target language, and the key until the tab is closed. No text.

import { WORDS } from "./words.js";

const PREFIX = "attendo.";
const listeners = [];

function read(store, name) {
  try {
    return globalThis[store].getItem(PREFIX + name);
  } catch {
    return null; // a browser that keeps nothing
  }
}

function write(store, name, value) {
  try {
    if (value) globalThis[store].setItem(PREFIX + name, value);
    else globalThis[store].removeItem(PREFIX + name);
  } catch {
    // it is forgotten with the page, then
  }
}

function firstLanguage() {
  const stored = read("localStorage", "language");
  if (stored === "en" || stored === "zh") return stored;
  return /^zh\b/i.test(navigator.language || "") ? "zh" : "en";
}

export const settings = {
  language: firstLanguage(),
  target: read("localStorage", "target") || "",
  key: read("sessionStorage", "key") || "",
};

// Called after each change with the name of what has changed.
export function onChange(listener) {
  listeners.push(listener);
}

export function change(name, value) {
  if (settings[name] === value) return;
  settings[name] = value;
  write(name === "key" ? "sessionStorage" : "localStorage", name, value);
  for (const listener of listeners) listener(name);
}

// The words for a key, with what stands in braces filled in.
export function t(key, values = {}) {
  return WORDS[key][settings.language].replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

export function number(value) {
  return value.toLocaleString(settings.language === "zh" ? "zh-CN" : "en-GB");
}

const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

// To the other colours; where those are the system's, the page follows the system again.
export function turnTheme() {
  const wanted = isDark() ? "light" : "dark";
  const own = wanted !== (system.matches ? "dark" : "light");
  if (own) document.documentElement.dataset.theme = wanted;
  else delete document.documentElement.dataset.theme;
  write("localStorage", "theme", own ? wanted : "");
}
