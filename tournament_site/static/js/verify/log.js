// A log read from rules, decks and the moves it shows: the first event that does not follow ends it.

import { name } from "./cards.js";
import { due } from "./course.js";
import { Differs } from "./difference.js";
import { judge } from "./judge.js";
import { Table } from "./table.js";
import { firstUnlike, words } from "./words.js";

const BY_SEAT = ["penalties", "totals", "completed", "places"];

/**
 * Reads a log that begins with rules that can be played. Returns `{ result, asked }`: how the game ended, and for each event with
 * which a decision begins the seat that decided. Throws Differs.
 */
export async function readLog(log, decks) {
  const { ruleset, terms, seats } = log[0];
  const table = new Table(ruleset, terms, seats);
  const asked = new Map();
  let at = 1;
  for (;;) {
    const expected = await due(table, decks);
    if (!expected && table.over && at === log.length) {
      return { result: resultOf(table), asked };
    }
    if (at === log.length) {
      throw wrong(log, at, expected ? words(expected) : awaited(table));
    }
    if (expected) {
      compare(log, at, expected);
    } else {
      await decide(table, log, at, decks, asked);
    }
    table.happen(log[at]);
    at += 1;
  }
}

const awaited = (table) => (table.inPlay ? `a hit or a discard of seat ${table.toMove}` : `a decision of seat ${table.toMove}`);

async function decide(table, log, at, decks, asked) {
  const event = log[at];
  const answer = await judge(table, event, decks);
  if (typeof answer === "string") {
    throw wrong(log, at, answer);
  }
  if (answer) {
    compare(log, at, answer);
  }
  if (!table.inPlay && (event.seat ?? table.toMove) === table.toMove) {
    asked.set(at, table.toMove);
  }
}

/** The event as a whole does not follow. */
function wrong(log, at, follows) {
  return new Differs("events", at < log.length ? words(log[at]) : "nothing", follows, { event: at });
}

function compare(log, at, expected) {
  const event = log[at];
  if (event.kind !== expected.kind) {
    throw wrong(log, at, words(expected));
  }
  const found = firstUnlike(event, expected);
  if (!found) {
    return;
  }
  const { field, says, follows } = found;
  if (field === "deck" || field === "stock") {
    throw unlikeCards(at, field === "deck" ? "deck" : "draw pile", says, follows);
  }
  const isFirst = field === "dealer" && expected.deal === 0;
  let place = field;
  if (BY_SEAT.includes(field) && says.length === follows.length) {
    place = `${field} of seat ${says.findIndex((value, seat) => value !== follows[seat])}`;
  }
  throw new Differs(isFirst ? "first dealer" : "events", words(event), words(expected), { event: at, place });
}

function unlikeCards(at, what, says, follows) {
  if (says.length !== follows.length) {
    return new Differs("shuffles", `${says.length} cards`, `${follows.length} cards`, { event: at, place: what });
  }
  const number = says.findIndex((card, place) => card !== follows[place]);
  const place = `card ${number + 1} of the ${what}`;
  return new Differs("shuffles", name(says[number]), name(follows[number]), { event: at, place });
}

function resultOf(table) {
  return {
    cause: table.over,
    places: table.places,
    points: table.totals,
    completed: table.completed,
    faults: table.faults,
    forfeits: table.forfeits,
    deals: table.deal + 1,
  };
}
