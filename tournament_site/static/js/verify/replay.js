// A replay's bytes as plain values: cards are kinds from 0 (see cards.js), enums are words, an event is `{ kind, ... }`.

import { uuid } from "./bytes.js";
import { KINDS } from "./cards.js";
import { ENUMS, OPTIONS } from "./enums.js";
import { blank, read, Unreadable } from "./protobuf.js";
import { schema } from "./schema.js";

const FORMAT = 1;

function word(name, number) {
  const found = number > 0 ? ENUMS[name][number] : undefined;
  if (found === undefined) {
    throw new Unreadable(`${number} is no ${name}`);
  }
  return found;
}

const wordOrNull = (name, number) => (number ? word(name, number) : null);

function card(number) {
  if (!(number >= 1 && number <= KINDS)) {
    throw new Unreadable(`${number} is no card`);
  }
  return number - 1;
}

const cards = (numbers) => numbers.map(card);

function id(bytes) {
  if (bytes.length !== 16) {
    throw new Unreadable(`a UUID has 16 bytes, not ${bytes.length}`);
  }
  return uuid(bytes);
}

function ruleset(message) {
  const options = { ...message, cardPoints: message.cardPoints ?? blank(schema, "CardPoints") };
  for (const [option, name] of Object.entries(OPTIONS)) {
    options[option] = word(name, message[option]);
  }
  return options;
}

function terms(message) {
  const first = message.firstDealer;
  const seat = first?.kind === "firstDealerSeat" ? first.value : null;
  const firstDealer = seat ?? ENUMS.FirstDealerRule[first?.value];
  if (firstDealer === undefined || firstDealer === "") {
    throw new Unreadable("the terms name no first dealer");
  }
  return { ...message, clock: message.clock ?? blank(schema, "Clock"), firstDealer };
}

const meld = (message) => ({ kind: word("MeldKind", message.kind), cards: cards(message.cards), value: message.value });

// What is not a plain number in an event, by kind.
const SPECIAL = {
  gameStarted: (event) => ({
    ruleset: ruleset(event.ruleset ?? blank(schema, "Ruleset")),
    terms: terms(event.terms ?? blank(schema, "Terms")),
  }),
  dealStarted: (event) => ({ deck: cards(event.deck) }),
  stockRebuilt: (event) => ({ stock: cards(event.stock) }),
  cardDrawn: (event) => ({ card: card(event.card) }),
  phaseLaid: (event) => ({ melds: event.melds.map(meld) }),
  cardHit: (event) => ({ card: card(event.card), end: wordOrNull("End", event.end) }),
  wildTaken: (event) => ({ card: card(event.card) }),
  cardDiscarded: (event) => ({ card: card(event.card) }),
  skipPlayed: () => ({}),
  turnSkipped: () => ({}),
  seatFaulted: (event) => ({ fault: word("FaultKind", event.kind) }),
  seatForfeited: (event) => ({ cause: word("ForfeitCause", event.cause) }),
  dealEnded: (event) => ({ cause: word("DealEnd", event.cause) }),
  gameEnded: (event) => ({ cause: word("GameEnd", event.cause) }),
};

function event(message) {
  if (message.kind === null) {
    throw new Unreadable("an event of no known kind: None");
  }
  const { kind, value } = message.kind;
  return { ...value, ...SPECIAL[kind](value), kind };
}

function result(message) {
  const lists = [message.points, message.completed, message.faults, message.forfeits];
  if (lists.some((list) => list.length !== message.places.length)) {
    throw new Unreadable("a result with lists of different lengths");
  }
  const forfeits = message.forfeits.map((number) => wordOrNull("ForfeitCause", number));
  return { ...message, cause: word("GameEnd", message.cause), forfeits };
}

/** The replay in these bytes. Throws Unreadable. */
export function decodeReplay(bytes) {
  const message = read(schema, "Replay", bytes);
  if (message.format !== FORMAT) {
    throw new Unreadable(`a replay of format ${message.format}; this version reads format ${FORMAT}`);
  }
  return {
    ...message,
    matchUuid: id(message.matchId),
    gameUuid: id(message.gameId),
    events: message.events.map(event),
    result: result(message.result ?? blank(schema, "GameResult")),
  };
}
