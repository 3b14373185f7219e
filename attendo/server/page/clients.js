// The programs of clients.json: what is to be pasted into each, and what each would send.

import { settings } from "./settings.js";

const PLACE = /\{([a-z_.]+)(?:\|([a-z]+))?\}/g;
const FALLBACK = "Europa 2026"; // for a language that has no sample

export async function loadClients() {
  const response = await fetch("/page/clients.json", { credentials: "omit" });
  return response.json();
}

// What stands for the placeholders: {origin}, {token}, {key}, {text}, {from}, {to}, {to.deepl} …
export function tableFor(data, source, target, key) {
  const table = {
    origin: location.origin,
    key,
    token: key ? `?token=${encodeURIComponent(key)}` : "",
    bearer: key ? `-H 'Authorization: Bearer ${key}' ` : "",
    text: data.samples[source] || FALLBACK,
    from: source,
    to: target,
  };
  for (const [side, code] of [
    ["from", source],
    ["to", target],
  ]) {
    for (const style of Object.keys(data.names.en)) table[`${side}.${style}`] = (data.names[code] || {})[style] || code;
  }
  return table;
}

export function filled(template, table) {
  return template.replace(PLACE, (whole, name, instead) => (name in table ? table[name] || instead || "" : whole));
}

// Of a list or an object, too; what would hold an empty key is left out, as the programs do.
function deeplyFilled(value, table) {
  if (typeof value === "string") return filled(value, table);
  if (Array.isArray(value)) return value.map((one) => deeplyFilled(one, table));
  const kept = Object.entries(value).filter(([, one]) => table.key || typeof one !== "string" || !one.includes("{key}"));
  return Object.fromEntries(kept.map(([name, one]) => [name, deeplyFilled(one, table)]));
}

// {method, path, headers, body, type}, ready to be sent.
export function requestOf(client, table) {
  const { method, path, query = {}, headers = {}, body, type = "" } = client.request;
  const pairs = Object.entries(deeplyFilled(query, table)).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one]),
  );
  const search = new URLSearchParams(pairs).toString();
  const address = filled(path, table);
  return {
    method,
    path: search ? address + (address.includes("?") ? "&" : "?") + search : address,
    headers: deeplyFilled(headers, table),
    body: body === undefined ? undefined : deeplyFilled(body, table),
    type,
  };
}

// ["translations", 0, "text"] of an answer, if it is a text.
export function valueAt(answer, path) {
  const found = path.reduce((value, step) => (value === null || value === undefined ? value : value[step]), answer);
  return typeof found === "string" ? found : null;
}

// Everything of a client that one may search for.
export function isFound(client, query) {
  const said = [client.id, client.name.en, client.name.zh, client.as && client.as.en, client.as && client.as.zh];
  const text = said.filter(Boolean).join(" ").toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export function inLanguage(words) {
  return words ? words[settings.language] : "";
}
