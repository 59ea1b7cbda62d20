// Whether a decision that the log shows was allowed. Every event of a turn is judged by itself, in the order of the log.
//
// The answer is null if it was, a sentence if it was not, or an event: what must stand there instead, if it is not equal.

import { SKIP } from "./cards.js";
import { fromStock } from "./course.js";
import { judgeLay, openEnds, wildFor } from "./melds.js";
import { PHASES } from "./rules.js";

const not = (reason) => `not allowed: ${reason}`;
const NOT_IN_HAND = not("the hand does not hold all of these cards");
const MUST_KEEP = not("these rules ask for a last card to discard");
const NOT_AVAILABLE = not("this phase cannot be laid now");
const NOT_YOUR_TURN = not("it is another seat's turn");

const IN_A_TURN = ["phaseLaid", "cardHit", "wildTaken", "cardDiscarded", "skipPlayed"];

/** Judges an event at a table where nothing is due. */
export async function judge(table, event, decks) {
  if (table.over) {
    return "nothing: the game is over";
  }
  const seat = table.toMove;
  if (table.inPlay && (!IN_A_TURN.includes(event.kind) || event.seat !== seat || event.kind === "phaseLaid")) {
    return `a hit or a discard of seat ${seat}`;
  }
  const other = `a decision of seat ${seat}`;
  switch (event.kind) {
    case "seatFaulted":
      return faulted(table, event) ?? other;
    case "seatForfeited":
      return mayLeave(table, event.seat) && event.cause !== "faults" ? null : other;
    case "cardDrawn":
    case "stockRebuilt":
    case "dealEnded":
      return judgeDraw(table, event, decks);
    default:
      return IN_A_TURN.includes(event.kind) ? judgeTurn(table, event) : other;
  }
}

const mayLeave = (table, seat) => seat < table.seats && table.forfeits[seat] === null;

/** A fault, with the right count. */
function faulted(table, event) {
  return mayLeave(table, event.seat) ? { ...event, count: table.faults[event.seat] + 1 } : null;
}

async function judgeDraw(table, event, decks) {
  const seat = table.toMove;
  if (event.kind === "dealEnded" && event.cause !== "stock_empty") {
    return `a decision of seat ${seat}`;
  }
  if (event.kind === "cardDrawn" && event.seat !== seat) {
    return NOT_YOUR_TURN;
  }
  if (table.drawn !== null) {
    return not("a card was already drawn this turn");
  }
  if (event.kind === "cardDrawn" && event.fromDiscard) {
    return fromDiscard(table);
  }
  if (!table.stock.length && table.rules.deckExhausted !== "end_deal" && table.discard.length < 2) {
    return not("no card is left to draw");
  }
  return fromStock(table, decks);
}

function fromDiscard(table) {
  if (!table.discard.length) {
    return not("the discard pile is empty");
  }
  const card = table.discard.at(-1);
  if (card === SKIP && !table.rules.takeSkipFromDiscard) {
    return not("a Skip cannot be taken from the discard pile");
  }
  return { kind: "cardDrawn", seat: table.toMove, card, fromDiscard: true };
}

function judgeTurn(table, event) {
  if (event.seat !== table.toMove) {
    return NOT_YOUR_TURN;
  }
  if (table.drawn === null) {
    return not("a turn begins with drawing a card");
  }
  return { phaseLaid: laid, cardHit: hit, wildTaken: taken, cardDiscarded: discarded, skipPlayed: skipped }[event.kind](table, event);
}

// Laying

function laid(table, event) {
  const { rules } = table;
  const { seat, melds } = event;
  if (table.laid[seat]) {
    return not("a phase was already laid in this deal");
  }
  if (!melds.length) {
    return NOT_AVAILABLE;
  }
  const phase = phaseToLay(table, event);
  if (typeof phase === "string") {
    return phase;
  }
  const { kinds, left, reason } = judgeLay(PHASES[phase], melds, table.hands[seat], rules);
  if (reason) {
    return not(reason);
  }
  if (!left.length && rules.goingOut === "discard_only") {
    return MUST_KEEP;
  }
  return { ...event, phase, melds: melds.map((meld, place) => ({ ...meld, kind: kinds[place] })) };
}

/** The phase that a lay is for, or why it is for none. Where it is not free to choose, the log has nothing to say about it. */
function phaseToLay(table, { seat, phase }) {
  const { rules } = table;
  const due = table.phaseOf(seat);
  if (rules.advance === "free_choice" && !table.tieBreak) {
    if (table.done[seat].includes(phase)) {
      return not("this phase was completed in an earlier deal");
    }
    return rules.phases.includes(phase) ? phase : NOT_AVAILABLE;
  }
  const named = rules.advance === "free_choice" ? phase : due;
  return due && named === due ? due : NOT_AVAILABLE;
}

// Hitting

/** Why the meld that a hit names cannot be hit with that card now, or null. */
function unreachable(table, { seat, owner, meld, card }) {
  const when = table.rules.hitOnLayTurn;
  if (!table.laid[seat]) {
    return not("hitting needs the own phase on the table");
  }
  if (owner >= table.seats) {
    return not("there is no such seat");
  }
  if (meld >= table.melds[owner].length) {
    return not("there is no such meld on the table");
  }
  if (table.laying && (when === "none" || (when === "own_only" && owner !== seat))) {
    return not("these rules do not allow this hit in the turn in which the phase is laid");
  }
  if (!table.hands[seat].includes(card)) {
    return NOT_IN_HAND;
  }
  return card === SKIP ? not("a Skip is never part of a meld") : null;
}

function hit(table, event) {
  const reason = unreachable(table, event);
  if (reason) {
    return reason;
  }
  const { seat, owner, meld, card, end } = event;
  const target = table.melds[owner][meld];
  if (end !== null && target.kind !== "run") {
    return not("an end is named only for hits on runs");
  }
  const ends = openEnds(target, card);
  if (end === null && ends.length === 2) {
    return not("a Wild on a run open at both ends must name the end");
  }
  if (!ends.length || (end !== null && !ends.includes(end))) {
    return not("the card does not fit this meld");
  }
  if (table.hands[seat].length === 1 && table.rules.goingOut === "discard_only") {
    return MUST_KEEP;
  }
  return { ...event, end: end ?? ends[0] };
}

function taken(table, event) {
  const reason = unreachable(table, event);
  if (reason) {
    return reason;
  }
  if (!table.rules.wildReplaceable) {
    return not("these rules leave the Wilds on the table where they are");
  }
  const place = wildFor(table.melds[event.owner][event.meld], event.card);
  return place < 0 ? not("the card does not fit this meld") : { ...event, place };
}

// Discards

function discarded(table, { seat, card }) {
  const hand = table.hands[seat];
  if (!hand.includes(card)) {
    return NOT_IN_HAND;
  }
  if (card !== SKIP || hand.length === 1) {
    return null; // the last card ends the deal, so there is nobody left to skip
  }
  if (table.rules.skipTarget === "next") {
    const target = table.after(seat);
    return table.mayBeSkipped(target) ? { kind: "skipPlayed", seat, target } : null;
  }
  return table.targets().length ? not("a Skip must name the seat it is played against") : null;
}

function skipped(table, { seat, target }) {
  const hand = table.hands[seat];
  if (!hand.includes(SKIP)) {
    return NOT_IN_HAND;
  }
  if (table.rules.skipTarget === "next") {
    const following = table.after(seat);
    const played = hand.length > 1 && table.mayBeSkipped(following);
    return played ? { kind: "skipPlayed", seat, target: following } : { kind: "cardDiscarded", seat, card: SKIP };
  }
  if (hand.length === 1 || !table.targets().length) {
    return not("no target may be named here");
  }
  if (target === seat) {
    return not("a Skip cannot be played against oneself");
  }
  if (!table.players.includes(target)) {
    return not("there is no such seat");
  }
  return table.mayBeSkipped(target) ? null : not("this seat may not be skipped now");
}
