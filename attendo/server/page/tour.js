// The tour: a card that goes along with the reader from stop to stop. At each a guess comes first, then the number.

import { CONFIG, DATA, Pending } from "/glass/look.js";
import { byId } from "./elements.js";
import { look, onLooked, request } from "./looking.js";
import { goTo } from "./machine.js";
import { tourCard, verdict } from "./tour_card.js";
import { STOPS } from "./tour_stops.js";

// guesses: by stop, {guess, answer, good, words: by language}; before: the hands as they were before a stop laid one on
const tour = { at: null, guesses: [], before: null, opened: null, claims: null, isFolded: false };

export const isOnTour = () => tour.at !== null;

export async function startTour() {
  if (!DATA) return byId("source").focus(); // of a model that no example is known for
  tour.claims = tour.claims || (await (await fetch("/page/claims.json", { credentials: "omit" })).json());
  if (tour.guesses.length === STOPS.length) tour.guesses = [];
  return goToStop(Math.min(tour.guesses.length, STOPS.length - 1));
}

async function leave() {
  await takeHandOff();
  tour.at = null;
  drawTour();
  document.querySelector(".tour-start").focus();
}

async function goToStop(at) {
  await takeHandOff();
  tour.at = at;
  tour.opened = null;
  tour.isFolded = false;
  const stop = STOPS[at];
  await inTime(() => stop.enter && stop.enter());
  drawTour();
  goTo(stop.station, stop.block && stop.block());
  byId("tour").querySelector("h3").focus({ preventScroll: true });
}

async function takeHandOff() {
  if (!tour.before) return;
  const hands = tour.before;
  tour.before = null;
  await look({ hands });
}

// What needs numbers that are on their way is done when they have come.
async function inTime(work) {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      await error.promise;
    }
  }
}

async function guess(value) {
  const stop = STOPS[tour.at],
    hand = stop.hand && stop.hand();
  const at = tour.at;
  if (hand) {
    tour.before = request.hands;
    await look({ hands: { ...request.hands, ...hand } });
  }
  const answer = await inTime(stop.answer);
  if (tour.at !== at) return;
  tour.guesses[at] = { guess: value, answer, good: verdict(stop, value, answer).good, words: {} };
  drawTour();
  byId("tour").querySelector(".tour-answer").focus({ preventScroll: true });
}

function change(changes) {
  Object.assign(tour, changes);
  drawTour();
}

export function drawTour() {
  const holder = byId("tour");
  document.documentElement.classList.toggle("on-tour", isOnTour());
  const isOpen = !isOnTour() || STOPS[tour.at].hand || tour.guesses[tour.at];
  byId("stations").dataset.guess = isOpen ? "" : STOPS[tour.at].station;
  if (!isOnTour()) return holder.replaceChildren();
  try {
    holder.replaceChildren(tourCard(tour, { goToStop, guess, leave, change }));
  } catch (error) {
    if (!(error instanceof Pending)) throw error;
    error.promise.then(drawTour, () => {});
  }
  return undefined;
}

// Of another sentence or model all numbers are others: what was guessed of the last is past.
let lookedText = null;

export function startTourCard() {
  onLooked(() => {
    const now = `${DATA.text} ${DATA.model} ${CONFIG.d_model}`;
    if (lookedText !== null && now !== lookedText) tour.guesses = [];
    lookedText = now;
    if (isOnTour()) drawTour();
  });
}
