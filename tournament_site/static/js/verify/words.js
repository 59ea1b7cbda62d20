// Events in words, for people who look for what is wrong; the same clauses as those of `phaseten verify`.

import { colourName, name, names } from "./cards.js";

/** A meld as its kind, what it stands for, and its cards: `set 7 (R7 B7 W)`. */
const meldWords = ({ kind, value, cards }) => `${kind} ${kind === "color" ? colourName(value) : value} (${names(cards)})`;

const WORDS = {
  gameStarted: ({ seats, ruleset }) => `the game begins with ${seats} seats by the rules ${ruleset.name}`,
  dealStarted: ({ deal, dealer, players, tieBreak }) =>
    `${tieBreak ? "tie-break deal" : "deal"} ${deal} begins: seat ${dealer} deals to seats ${players.join(" ")}`,
  stockRebuilt: ({ stock }) => `the draw pile is rebuilt from ${stock.length} cards`,
  cardDrawn: ({ seat, card, fromDiscard }) =>
    `seat ${seat} draws ${name(card)} from the ${fromDiscard ? "discard" : "draw"} pile`,
  phaseLaid: ({ seat, phase, melds }) => `seat ${seat} lays phase ${phase}: ${melds.map(meldWords).join(" / ")}`,
  cardHit: ({ seat, owner, meld, card, end }) =>
    `seat ${seat} adds ${name(card)} to meld ${meld} of seat ${owner}${end ? ` at its ${end} end` : ""}`,
  wildTaken: ({ seat, owner, meld, place, card }) =>
    `seat ${seat} puts ${name(card)} in the place of the Wild at place ${place} of meld ${meld} of seat ${owner}`,
  cardDiscarded: ({ seat, card }) => `seat ${seat} discards ${name(card)}`,
  skipPlayed: ({ seat, target }) => `seat ${seat} plays a Skip against seat ${target}`,
  turnSkipped: ({ seat, byStartCard }) => `seat ${seat} misses its turn by ${byStartCard ? "the start card" : "a Skip"}`,
  seatFaulted: ({ seat, fault, count }) => `seat ${seat} is charged with fault ${count} (${fault})`,
  seatForfeited: ({ seat, cause }) => `seat ${seat} forfeits (${cause})`,
  dealEnded({ cause, out, penalties, totals, completed }) {
    const who = out === null ? "" : `, seat ${out} is out`;
    const sums = `points ${penalties.join(" ")}, totals ${totals.join(" ")}, phases ${completed.join(" ")}`;
    return `the deal ends (${cause}${who}): ${sums}`;
  },
  gameEnded: ({ cause, places }) => `the game ends (${cause}): places ${places.join(" ")}`,
};

export const words = (event) => WORDS[event.kind](event);

// The fields of events that can differ, as they are called in the schema, in its order.
const FIELDS = {
  dealStarted: ["deal", "dealer", "players", ["tie_break", "tieBreak"], "deck"],
  stockRebuilt: ["stock"],
  cardDrawn: ["seat", "card", ["from_discard", "fromDiscard"]],
  phaseLaid: ["seat", "phase", "melds"],
  cardHit: ["seat", "owner", "meld", "card", "end"],
  wildTaken: ["seat", "owner", "meld", "place", "card"],
  cardDiscarded: ["seat", "card"],
  skipPlayed: ["seat", "target"],
  turnSkipped: ["seat", ["by_start_card", "byStartCard"]],
  seatFaulted: ["seat", ["kind", "fault"], "count"],
  seatForfeited: ["seat", "cause"],
  dealEnded: ["cause", "out", "penalties", "totals", "completed"],
  gameEnded: ["cause", "places"],
};

function same(one, other) {
  if (Array.isArray(one)) {
    return one.length === other.length && one.every((value, at) => same(value, other[at]));
  }
  if (one !== null && typeof one === "object") {
    return Object.keys(one).every((key) => same(one[key], other[key]));
  }
  return one === other;
}

/** The first field in which two events of one kind differ: `{ field, says, follows }`, or null. */
export function firstUnlike(event, expected) {
  for (const each of FIELDS[event.kind]) {
    const [field, property] = Array.isArray(each) ? each : [each, each];
    if (!same(event[property], expected[property])) {
      return { field, says: event[property], follows: expected[property] };
    }
  }
  return null;
}
