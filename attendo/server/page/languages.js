// The languages of this server, by their names in the language of the page, and which can be made into which.

import { settings } from "./settings.js";

let listed = []; // [{code, name, targets}]

// LibreTranslate's clients look for zh and for zh-Hans; one of the two is enough here.
export function take(languages) {
  const codes = new Set(languages.map((one) => one.code));
  const isTwin = (code) => code === "zh" && codes.has("zh-Hans");
  listed = languages
    .filter((one) => !isTwin(one.code))
    .map((one) => ({ ...one, targets: one.targets.filter((code) => !isTwin(code)) }));
}

export function nameOf(code) {
  const known = listed.find((one) => same(one.code, code));
  try {
    return new Intl.DisplayNames([settings.language === "zh" ? "zh-Hans" : "en"], { type: "language" }).of(code);
  } catch {
    return known ? known.name : code;
  }
}

export const base = (code) => String(code || "").split("-")[0];

// zh and zh-Hans are one.
export const same = (a, b) => a === b || (simple(a) && simple(b));
const simple = (code) => code === "zh" || code === "zh-Hans";

export function sources() {
  return listed.filter((one) => one.targets.length).map((one) => one.code);
}

// Of one language, or of all where none is named.
export function targets(source = "") {
  const from = source ? listed.filter((one) => same(one.code, source)) : listed;
  return [...new Set(from.flatMap((one) => one.targets))].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
}

// What to translate a text of this language into: what was wished where that can be, else what is nearest to it.
export function targetFor(source, ...wishes) {
  const possible = targets(source);
  for (const wish of [...wishes, settings.language === "zh" ? "zh-Hans" : "en", "en", "zh-Hans"]) {
    const found = possible.find((code) => same(code, wish) && base(code) !== base(source));
    if (found) return found;
  }
  return possible[0] || wishes[0] || "en";
}
