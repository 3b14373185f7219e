// The page: its words, colours and key; then the box and the list, each in a file of its own.

import { Refusal, askJson, patiently, sayError } from "./asking.js";
import { setLimit, showLanguages, speakBox, startBox, translateNow } from "./box.js";
import { loadClients } from "./clients.js";
import { byId, speak } from "./elements.js";
import { drawBegin, sayWhich, showExample, startFollowing } from "./following.js";
import { drawHead, startHead } from "./glass_head.js";
import { startHands } from "./hands_panel.js";
import { take } from "./languages.js";
import { restore, startLinks } from "./link.js";
import { drawListing, startListing } from "./listing.js";
import { speakGlass, startLooking } from "./looking.js";
import { drawMachine, startMachine } from "./machine.js";
import { change, isDark, onChange, settings, t, turnTheme } from "./settings.js";
import { drawTour, startTour, startTourCard } from "./tour.js";
import { startTrainingPair } from "./training_pair.js";

let info = null;
let needsKey = false;

function showWords() {
  document.documentElement.lang = settings.language === "zh" ? "zh-Hans" : "en";
  document.title = t("page.title");
  speak();
  byId("language").lang = settings.language === "zh" ? "en" : "zh-Hans";
  showTheme();
  showFoot();
}

function showTheme() {
  byId("theme").setAttribute("aria-label", isDark() ? t("page.light") : t("page.dark"));
  byId("theme").title = isDark() ? t("page.light") : t("page.dark");
}

function showFoot() {
  if (!info) return;
  const models = info.models.map((one) => `${one.name} (${one.directions.join(", ")})`).join(", ");
  byId("about").textContent = t("page.foot", { version: info.version, models });
}

// Versions and models are for those who have a key; languages and the limit for all.
async function loadInfo() {
  if (needsKey && !settings.key) return;
  try {
    info = await askJson("/api/info");
    setLimit(info.limits.characters);
    showFoot();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

async function load() {
  const { signal } = new AbortController();
  const say = (text) => {
    byId("error").textContent = text;
  };
  const [languages, limits, clients] = await patiently(
    () => Promise.all([askJson("/languages"), askJson("/frontend/settings"), loadClients()]),
    signal,
    say,
  );
  say("");
  take(languages);
  setLimit(limits.charLimit);
  needsKey = limits.keyRequired;
  byId("key-row").hidden = !needsKey;
  showLanguages();
  startListing(clients, needsKey);
  drawBegin(startTour);
  await loadInfo();
  await beginLooking();
}

// What a link says, or the example; of a server with a key when one has it.
async function beginLooking() {
  if (needsKey && !settings.key) return;
  if (!(await restore())) await showExample();
}

function start() {
  byId("language").addEventListener("click", () => change("language", settings.language === "zh" ? "en" : "zh"));
  byId("theme").addEventListener("click", () => {
    turnTheme();
    showTheme();
    speakGlass(); // what is drawn on a canvas has its colours in it
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    showTheme();
    speakGlass();
  });
  byId("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    change("key", byId("key").value.trim());
  });
  byId("key").value = settings.key;
  onChange((name) => {
    if (name === "language") {
      showWords();
      speakBox();
      drawListing();
      speakGlass();
      drawBegin(startTour);
      for (const draw of [sayWhich, drawHead, drawMachine, drawTour]) draw();
    }
    if (name === "key") {
      loadInfo();
      drawListing();
      translateNow();
      beginLooking();
    }
  });
  showWords();
  startBox();
  startLooking();
  startHands();
  startTrainingPair();
  startHead();
  startMachine();
  startFollowing();
  startTourCard();
  startLinks();
  document.documentElement.classList.add("ready");
  load().catch((error) => {
    byId("error").textContent = sayError(error);
  });
}

start();
