// Asking the server: with the key, patiently where it says that it is busy, and with one line for what went wrong.

import { number, settings, t } from "./settings.js";

const MOST_TRIES = 20;
const PAUSE = 3; // seconds, where the server does not say

// What the server says no by; status 0 where it said nothing at all.
export class Refusal extends Error {
  constructor(status, detail, { kind = "", retryAfter = 0 } = {}) {
    super(detail);
    Object.assign(this, { status, detail, kind, retryAfter });
  }
}

export async function ask(path, { method = "GET", body, headers = {}, signal } = {}) {
  const sent = { Accept: "application/json", ...headers };
  if (settings.key && !("Authorization" in sent)) sent.Authorization = `Bearer ${settings.key}`;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  const request = { method, headers: sent, signal, credentials: "omit", cache: "no-store" };
  if (body !== undefined) request.body = JSON.stringify(body);
  let response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "");
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

// As dialects tell it: {"error"}, {"message"} or {"error": {"message"}}.
async function refusalOf(response) {
  const body = (await response.json().catch(() => null)) || {};
  const said = [body.error && body.error.message, body.error, body.message].find((one) => typeof one === "string");
  const kind = typeof body.kind === "string" ? body.kind : "";
  return new Refusal(response.status, said || response.statusText, {
    kind,
    retryAfter: Number(response.headers.get("Retry-After")) || 0,
  });
}

export async function askJson(path, options) {
  return (await ask(path, options)).json();
}

// Again and again while the server is busy or away; onWait is told the line to show meanwhile.
export async function patiently(work, signal, onWait) {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const away = error instanceof Refusal && error.status === 0;
      const busy = error instanceof Refusal && [429, 503].includes(error.status);
      if ((!away && !busy) || tries >= MOST_TRIES) throw error;
      for (let left = Math.min(error.retryAfter || PAUSE, 60); left > 0; left--) {
        onWait(t(busy ? "error.busy" : "error.unreachable", { seconds: left }));
        await pause(1000, signal);
      }
    }
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

// One line for people.
export function sayError(error, limit) {
  if (!(error instanceof Refusal)) return t("error.other", { status: error.name, detail: error.message });
  const { status, detail, kind } = error;
  if (status === 0) return t("error.silent");
  if (status === 401 || kind === "key" || (status === 403 && /key/i.test(detail))) return t("error.key");
  if (status === 403) return t("error.origin", { detail });
  if (status === 413 && limit) return t("error.large", { limit: number(limit) });
  if (status === 429 || status === 503) return t("error.full");
  if (status === 504) return t("error.late");
  return t("error.other", { status, detail });
}

// Server-sent events of a POST, which EventSource cannot send: [{event, data}] one by one.
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const lines = part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
      const { event, data } = Object.fromEntries(lines);
      if (data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}
