// The tour: a card that goes along with the reader from stop to stop. At each a guess comes first, then the number.

import { CONFIG, DATA, Pending } from "/glass/look.js";
import { byId } from "./elements.js";
import { look, onLooked, request } from "./looking.js";
import { goTo, stationInView } from "./machine.js";
import { tourCard } from "./tour_card.js";
import { endCard } from "./tour_end.js";
import { STOPS } from "./tour_stops.js";
import { verdict } from "./tour_verdict.js";

// at: of the stop; after the last of them the end
// guesses: by stop, {guess, answer, good, words: by language}; before: the hands as they were before a stop laid one on
const tour = { at: null, guesses: [], before: null, opened: null, claims: null, isFolded: false };

const ROOM = 12; // pixels between a picture and the card

const isOnTour = () => tour.at !== null;

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
  const title = byId(stationInView()).querySelector("h2");
  title.setAttribute("tabindex", "-1");
  title.focus({ preventScroll: true }); // the reader stays where the tour has led
}

async function finish() {
  await takeHandOff();
  tour.at = STOPS.length;
  drawTour();
  byId("tour").querySelector("h3").focus({ preventScroll: true });
}

function again() {
  tour.guesses = [];
  return goToStop(0);
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
  if (tour.guesses[at]) showPicture(stop);
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
  showPicture(stop);
  byId("tour").querySelector(".tour-answer").focus({ preventScroll: true });
}

// What the answer is about goes where the card leaves room: below what sticks to the top; what is too tall for that is
// seen from its end.
function showPicture({ block, shows }) {
  const holder = block && byId(block());
  const [first, last] = holder && shows ? shows.map((one) => holder.querySelector(one)) : [];
  if (!first || !last) return;
  const top = parseFloat(getComputedStyle(holder).scrollMarginTop),
    bottom = byId("tour").firstElementChild.getBoundingClientRect().top - ROOM;
  const { top: begins } = first.getBoundingClientRect(),
    { bottom: ends } = last.getBoundingClientRect();
  const isSeen = begins >= top && ends <= bottom;
  if (!isSeen) scrollTo({ top: scrollY + Math.max(begins - top, ends - bottom) });
}

function change(changes) {
  Object.assign(tour, changes);
  drawTour();
}

export function drawTour() {
  const holder = byId("tour");
  document.documentElement.classList.toggle("on-tour", isOnTour());
  const stop = STOPS[tour.at];
  byId("glass").dataset.guess = !stop || stop.hand || tour.guesses[tour.at] ? "" : stop.station;
  if (!isOnTour()) return holder.replaceChildren();
  try {
    holder.replaceChildren(
      stop ? tourCard(tour, { goToStop, guess, finish, leave, change }) : endCard(tour.guesses, { again, leave }),
    );
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
