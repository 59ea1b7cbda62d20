// Draws a table: seats with hands, melds, phases and points, and the two piles. Knows nothing of time or keys.

import { WILD, card } from "./cards.js";

const PHASE = 0;
const COMPLETED = 1;
const LAID = 2;
const POINTS = 3;
const WAITING = 4;
const FAULTS = 5;
const GONE = 6;

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) {
    made.className = className;
  }
  made.append(...children);
  return made;
}

function cardList(className, label, cards) {
  const list = element("ul", className);
  list.setAttribute("aria-label", label);
  list.append(...cards.map((picture) => element("li", "", picture)));
  return list;
}

/** Where in `cards` the moved card is: the last one that is equal, or nowhere. */
const movedAt = (cards, kind) => (kind === null || kind === undefined ? -1 : cards.lastIndexOf(kind));

function handOf(hand, covered, moved) {
  if (typeof hand === "number") {
    return cardList("hand", `${hand} covered cards`, Array.from({ length: hand }, () => card(null)));
  }
  const at = covered ? -1 : movedAt(hand, moved);
  const pictures = hand.map((kind, index) => card(covered ? null : kind, { moved: index === at }));
  return cardList("hand", covered ? `${hand.length} covered cards` : "hand", pictures);
}

function standsFor(kind, value, index) {
  if (kind === "set") {
    return String(value);
  }
  return kind === "run" ? String(value + index) : null;
}

function meldOf([kind, value, cards], moved, all) {
  const at = all ? -1 : movedAt(cards, moved);
  const pictures = cards.map((each, index) =>
    card(each, { moved: all || index === at, stands: each === WILD ? standsFor(kind, value, index) : null }),
  );
  return cardList("meld", kind === "color" ? "cards of one colour" : kind, pictures);
}

function pipsOf(facts) {
  const pips = element("span", "pips");
  pips.setAttribute("role", "img");
  pips.setAttribute("aria-label", `${facts[COMPLETED]} of 10 phases done`);
  for (let phase = 1; phase <= 10; phase += 1) {
    const state = phase <= facts[COMPLETED] ? "on" : phase === facts[PHASE] ? "now" : "";
    pips.append(element("i", state));
  }
  return pips;
}

function notesOf(facts) {
  const notes = [];
  if (facts[LAID]) {
    notes.push(element("span", "flag good", "phase laid"));
  }
  if (facts[WAITING]) {
    notes.push(element("span", "flag", "Skip waiting"));
  }
  if (facts[FAULTS]) {
    notes.push(element("span", "flag bad", `${facts[FAULTS]} ${facts[FAULTS] === 1 ? "fault" : "faults"}`));
  }
  if (facts[GONE]) {
    notes.push(element("span", "flag bad", "forfeited"));
  }
  return notes;
}

export class Table {
  /** `root` is filled; `seats` are {bot, name, version}, `phases` maps a phase's number to what it asks for. */
  constructor(root, seats, phases) {
    this.seats = seats;
    this.phases = phases;
    this.piles = element("div", "piles");
    this.places = seats.map((seat) => this.place(seat));
    const ring = element("div", "seats", ...this.places.map((place) => place.box));
    ring.dataset.seats = String(seats.length);
    root.replaceChildren(this.piles, ring);
  }

  place(seat) {
    const name = element("bdi", "seat-name", seat.name);
    const version = element("bdi", "seat-version", seat.version);
    const facts = element("div", "seat-facts");
    const hand = element("div", "seat-hand");
    const melds = element("div", "seat-melds");
    const box = element("section", "seat", element("header", "", name, version, facts), hand, melds);
    box.setAttribute("aria-label", seat.name);
    return { box, facts, hand, melds };
  }

  /** Show a table. `frame` is what just happened, `pov` the seat that looks or null for all. */
  show(table, frame, pov) {
    const moved = movedCard(frame);
    this.places.forEach((place, seat) => {
      const acts = frame.s === seat;
      place.box.classList.toggle("acts", acts);
      place.box.classList.toggle("next", table.next === seat);
      place.box.classList.toggle("dealer", table.deal[1] === seat);
      place.box.classList.toggle("gone", Boolean(table.facts[seat][GONE]));
      this.facts(place.facts, table.facts[seat], table.deal[1] === seat);
      const covered = pov !== null && pov !== seat;
      place.hand.replaceChildren(handOf(table.hands[seat], covered, acts && frame.k === "draw" ? moved : null));
      const all = acts && frame.k === "lay";
      const hit = frame.k === "hit" && owner(frame) === seat ? moved : null;
      place.melds.replaceChildren(...table.melds[seat].map((meld) => meldOf(meld, hit, all)));
    });
    this.pilesOf(table, frame);
  }

  facts(box, facts, deals) {
    const phase = facts[PHASE];
    const asks = element("span", "asks", phase ? `Phase ${phase}: ${this.phases[phase] ?? ""}` : "All phases done");
    const points = element("span", "points", element("b", "", String(facts[POINTS])), " points");
    const dealer = deals ? [element("span", "flag", "dealer")] : [];
    box.replaceChildren(pipsOf(facts), points, asks, element("span", "flags", ...dealer, ...notesOf(facts)));
  }

  pilesOf(table, frame) {
    const [size, top] = table.discard;
    const [deal, , tieBreak] = table.deal;
    const stock = element("figure", "pile", stack(table.stock), element("figcaption", "", `Draw pile ${table.stock}`));
    const taken = frame.k === "discard" ? top.length - 1 : -1;
    const cards = top.map((kind, index) => card(kind, { moved: index === taken }));
    const spread = cards.length ? cardList("spread", "top of the discards, newest last", cards) : element("div", "nothing");
    const discards = element("figure", "pile discards", spread, element("figcaption", "", `Discards ${size}`));
    const title = deal < 0 ? "Before the deal" : tieBreak ? "Tie-break" : `Deal ${deal + 1}`;
    const where = element("div", "where", element("b", "", title), element("span", "", deal < 0 ? "" : `turn ${table.turn + 1}`));
    this.piles.replaceChildren(stock, discards, where);
  }
}

const stack = (size) => (size ? element("div", "stacked", card(null)) : element("div", "nothing"));

/** The card an event is about: the first kind in its text. */
function movedCard(frame) {
  return frame.t.find((part) => typeof part === "number") ?? null;
}

/** The seat whose meld was hit: the one the text names, or the actor itself. */
function owner(frame) {
  const named = frame.t.find((part) => Array.isArray(part));
  return named ? named[0] : frame.s;
}
