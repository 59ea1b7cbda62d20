// What comes by itself, without anybody's wish: default moves, skipped slots, ends of deals and games, new deals.

import { isNumber, numberOf, pointsOf, SKIP, WILD, wholeDeck } from "./cards.js";
import { shuffleNumber } from "./shuffle.js";

/**
 * The event that must come next, whole, or null while a seat's decision is awaited and after the end.
 * `decks` are asked for the order of cards.
 */
export async function due(table, decks) {
  if (table.over || table.inPlay) {
    return null;
  }
  const full = table.standing.find((seat) => table.faults[seat] >= table.terms.maxFaults);
  if (full !== undefined) {
    return { kind: "seatForfeited", seat: full, cause: "faults" };
  }
  if (table.rebuilt) {
    return drawn(table);
  }
  if (table.owesDefault) {
    return defaultMove(table, decks);
  }
  if (table.standing.length === 1) {
    return gameEnd(table, "forfeits");
  }
  if (table.dealOver) {
    return betweenDeals(table, decks);
  }
  return endOfDeal(table) ?? missed(table) ?? (table.forfeits[table.toMove] ? defaultMove(table, decks) : null);
}

/** The top of the draw pile goes to the seat to move. */
const drawn = (table) => ({ kind: "cardDrawn", seat: table.toMove, card: table.stock.at(-1), fromDiscard: false });

/** The discards but the top one, shuffled. */
async function rebuilt(table, decks) {
  const rest = table.discard.slice(0, -1).sort((one, other) => one - other);
  const stock = await decks.shuffle(shuffleNumber(table.deal, table.reshuffles + 1), rest);
  return { kind: "stockRebuilt", stock };
}

/** What follows when the seat to move asks for a card of the draw pile. */
export async function fromStock(table, decks) {
  if (table.stock.length) {
    return drawn(table);
  }
  return table.rules.deckExhausted === "end_deal" ? dealEnd(table, "stock_empty") : rebuilt(table, decks);
}

/** Draw unseen, lay and hit nothing, throw the dearest number card (red first), else a Wild, else a Skip. */
async function defaultMove(table, decks) {
  if (table.drawn === null) {
    return fromStock(table, decks);
  }
  const seat = table.toMove;
  const hand = table.hands[seat];
  const numbers = hand.filter(isNumber);
  if (numbers.length) {
    const highest = Math.max(...numbers.map(numberOf));
    return { kind: "cardDiscarded", seat, card: numbers.find((card) => numberOf(card) === highest) };
  }
  if (hand.includes(WILD)) {
    return { kind: "cardDiscarded", seat, card: WILD };
  }
  return thrownSkip(table);
}

/** A Skip at the next seat that may be skipped; where it always meets the next one, at that one or at nobody. */
function thrownSkip(table) {
  const seat = table.toMove;
  const following = table.after(seat);
  const next = table.mayBeSkipped(following) ? [following] : [];
  const [target] = table.rules.skipTarget === "next" ? next : table.targets();
  return target === undefined || table.hands[seat].length === 1
    ? { kind: "cardDiscarded", seat, card: SKIP }
    : { kind: "skipPlayed", seat, target };
}

function endOfDeal(table) {
  if (table.out !== null) {
    return dealEnd(table, "went_out");
  }
  const alone = table.tieBreak && table.players.filter((seat) => table.forfeits[seat] === null).length === 1;
  if (table.decided || alone) {
    return dealEnd(table, "decided");
  }
  const most = table.terms.maxTurnsPerDeal;
  if (table.drawn === null && most !== null && table.turn >= most * table.players.length) {
    return dealEnd(table, "turn_cap");
  }
  return null;
}

function missed(table) {
  const skipped = table.drawn === null && (table.startSkip || table.waiting[table.toMove] > 0);
  return skipped ? { kind: "turnSkipped", seat: table.toMove, byStartCard: table.startSkip } : null;
}

/** The points of a tie-break deal do not count, and neither do its phases. */
function dealEnd(table, cause) {
  const { rules, tieBreak } = table;
  const penalties = table.hands.map((hand) => (tieBreak ? 0 : pointsOf(hand, rules.cardPoints)));
  const totals = table.totals.map((total, seat) => total + penalties[seat]);
  const completed = tieBreak ? [...table.completed] : table.completed.map((count, seat) => credit(table, count, seat));
  return { kind: "dealEnded", cause, out: table.out, penalties, totals, completed };
}

function credit(table, count, seat) {
  const { rules } = table;
  if (rules.advance === "every_deal") {
    return count + 1;
  }
  const takenBack = rules.winCheck === "end_of_deal_and_out" && count === rules.phases.length && seat !== table.out;
  return takenBack ? count - 1 : count;
}

async function betweenDeals(table, decks) {
  const { rules, terms } = table;
  const finishers = table.standing.filter((seat) => table.completed[seat] === rules.phases.length);
  const lowest = Math.min(...finishers.map((seat) => table.totals[seat]));
  const best = finishers.filter((seat) => table.totals[seat] === lowest);
  if (!best.length) {
    const everybody = [...table.totals.keys()];
    return table.deal + 1 === terms.maxDeals ? gameEnd(table, "deal_cap") : newDeal(table, decks, everybody, false);
  }
  if (table.tieBreak) {
    return afterTieBreak(table, decks, best);
  }
  const ends = best.length === 1 || rules.scoreTie === "shared";
  return ends ? gameEnd(table, "phases_done") : newDeal(table, decks, best, true);
}

function afterTieBreak(table, decks, best) {
  const layer = table.decided ? table.players.find((seat) => table.laid[seat]) : undefined;
  const winner = table.out ?? layer ?? null;
  if (winner !== null || best.length === 1 || table.tieBreaks === table.rules.tiebreakMaxDeals) {
    return gameEnd(table, "tie_break", winner);
  }
  return newDeal(table, decks, best, true);
}

async function newDeal(table, decks, players, tieBreak) {
  const deal = table.deal + 1;
  const deck = await decks.shuffle(shuffleNumber(deal, 0), wholeDeck(table.rules.wilds, table.rules.skips));
  return { kind: "dealStarted", deal, dealer: await nextDealer(table, decks, players), players, tieBreak, deck };
}

async function nextDealer(table, decks, players) {
  const { firstDealer } = table.terms;
  if (table.dealer === null) {
    if (firstDealer === "seeded") {
      return decks.firstDealer(table.seats);
    }
    return firstDealer === "last_seat" ? table.seats - 1 : firstDealer;
  }
  let dealer = (table.dealer + (table.rules.dealerRotation === "left" ? 1 : 0)) % table.seats;
  while (!players.includes(dealer)) {
    dealer = (dealer + 1) % table.seats;
  }
  return dealer;
}

/** Places: more phases first, then the winner of a tie-break among equals, then fewer points; who forfeited comes last. */
function gameEnd(table, cause, winner = null) {
  const rank = (seat) => (table.forfeits[seat] ? [1, 0, 0, 0] : [0, -table.completed[seat], table.totals[seat], +(seat !== winner)]);
  const before = (one, other) => {
    const at = one.findIndex((value, place) => value !== other[place]);
    return at >= 0 && one[at] < other[at];
  };
  const ranks = table.totals.map((_, seat) => rank(seat));
  return { kind: "gameEnded", cause, places: ranks.map((mine) => 1 + ranks.filter((other) => before(other, mine)).length) };
}
