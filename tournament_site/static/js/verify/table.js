// The table of a game: what lies where, whose slot it is, who stands how. Events change it; nothing is judged here.

import { SKIP, WILD, withCard, without } from "./cards.js";
import { exchanged, grown } from "./melds.js";

const everybody = (seats, value) => Array.from({ length: seats }, () => (typeof value === "function" ? value() : value));

export class Table {
  /** Before the first deal. Lists are by seat; piles have their top last. */
  constructor(rules, terms, seats) {
    this.rules = rules;
    this.terms = terms;
    this.seats = seats;
    this.completed = everybody(seats, 0);
    this.done = everybody(seats, () => []); // the phases that were laid and count
    this.totals = everybody(seats, 0);
    this.faults = everybody(seats, 0);
    this.forfeits = everybody(seats, null); // the cause
    this.deal = -1;
    this.dealer = null;
    this.tieBreaks = 0;
    this.toMove = null;
    this.dealOver = true;
    this.over = null; // why the game ended
    this.places = [];
    this.owesDefault = false; // the seat to move was charged with a fault: the default move comes next
  }

  /** The next player of this deal, clockwise. */
  after(seat) {
    const place = this.players.indexOf(seat);
    return this.players[(place + 1) % this.players.length];
  }

  get standing() {
    return [...this.forfeits.keys()].filter((seat) => this.forfeits[seat] === null);
  }

  get lap() {
    return Math.floor(this.turn / this.players.length);
  }

  /** The phase that a seat laid or works on; 0 if it has done all of them or is free to choose. */
  phaseOf(seat) {
    const { phases, advance } = this.rules;
    if (this.laid[seat]) {
      return this.laid[seat];
    }
    if (this.tieBreak && this.players.includes(seat)) {
      return phases.at(-1);
    }
    return advance === "free_choice" ? 0 : (phases[this.completed[seat]] ?? 0);
  }

  /** Whether the rules let a Skip be played against a player now. The start card's Skip was played by nobody. */
  mayBeSkipped(seat) {
    const limit = this.rules.skipLimit;
    if (limit === "unlimited") {
      return true;
    }
    if (this.waiting[seat]) {
      return false;
    }
    if (limit === "one_per_lap") {
      return this.skippedInLap[seat] !== this.lap;
    }
    if (limit === "one_per_deal") {
      return this.skippedInLap[seat] === null;
    }
    return limit !== "until_real_turn" || !this.needsTurn[seat];
  }

  /** The seats that the seat to move may name for a Skip, in order of play. */
  targets() {
    const found = [];
    for (let seat = this.after(this.toMove); seat !== this.toMove; seat = this.after(seat)) {
      if (this.mayBeSkipped(seat)) {
        found.push(seat);
      }
    }
    return found;
  }

  /** Changes the table by an event that follows. */
  happen(event) {
    HAPPEN[event.kind](this, event);
  }

  // Parts of events.

  /** Cards leave a hand. Whoever holds none then is out. */
  give(seat, cards) {
    this.hands[seat] = without(this.hands[seat], cards);
    if (!this.hands[seat].length) {
      this.out = seat;
      this.inPlay = false;
    }
  }

  /** The slot of the seat to move is over. */
  nextSlot() {
    this.turn += 1;
    this.drawn = null;
    this.inPlay = false;
    this.laying = false;
    this.toMove = this.after(this.toMove);
  }

  endTurn(seat) {
    this.owesDefault = false;
    this.needsTurn[seat] = false;
    this.nextSlot();
  }

  turnUp(deck) {
    const covers = [];
    if (this.rules.initialSkip === "cover") {
      covers.push(SKIP);
    }
    if (this.rules.initialWild === "cover") {
      covers.push(WILD);
    }
    this.discard = [deck.pop()];
    while (covers.includes(this.discard.at(-1)) && deck.length) {
      this.discard.push(deck.pop());
    }
    this.stock = deck;
  }

  change(owner, number, meld) {
    this.melds[owner] = this.melds[owner].with(number, meld);
  }
}

function start(table, { deal, dealer, players, tieBreak, deck }) {
  const { rules, seats } = table;
  Object.assign(table, { deal, dealer, players, tieBreak, dealOver: false, decided: false, out: null });
  table.tieBreaks += tieBreak ? 1 : 0;
  table.hands = everybody(seats, () => []);
  const first = table.after(dealer);
  const rest = [...deck].reverse();
  for (let card = 0; card < rules.handSize; card += 1) {
    for (let seat = first, count = 0; count < players.length; seat = table.after(seat), count += 1) {
      table.hands[seat].push(rest.pop());
    }
  }
  table.hands = table.hands.map((hand) => hand.sort((one, other) => one - other));
  table.turnUp(rest);
  table.laid = everybody(seats, 0);
  table.melds = everybody(seats, () => []);
  table.waiting = everybody(seats, 0); // Skips played against a seat whose slot has not come yet
  table.skippedInLap = everybody(seats, null); // the lap in which the last Skip was played against a seat
  table.needsTurn = everybody(seats, false); // it had no turn of its own since then
  Object.assign(table, { turn: 0, reshuffles: 0, rebuilt: false, drawn: null, inPlay: false, laying: false, toMove: first });
  const effective = rules.initialSkipDeals === "every" || deal === 0;
  table.startSkip = table.discard.at(-1) === SKIP && rules.initialSkip === "skip_first_player" && effective;
}

function lay(table, { seat, phase, melds }) {
  const { rules } = table;
  table.inPlay = true;
  table.laying = true;
  table.give(seat, melds.flatMap((meld) => meld.cards));
  table.laid[seat] = phase;
  table.melds[seat] = melds;
  if (table.tieBreak) {
    table.decided = rules.scoreTie === "replay_first_to_lay";
  } else {
    table.done[seat] = [...table.done[seat], phase];
    if (rules.advance !== "every_deal") {
      table.completed[seat] += 1;
      table.decided = rules.winCheck === "on_lay" && table.completed[seat] === rules.phases.length;
    }
  }
  if (table.decided) {
    table.inPlay = false; // what was wished for after it is not done
  }
}

function skip(table, { seat, target }) {
  table.give(seat, [SKIP]);
  if (table.rules.skipZone === "discard_pile") {
    table.discard.push(SKIP);
  }
  table.waiting[target] += 1;
  table.skippedInLap[target] = table.lap;
  table.endTurn(seat);
  table.needsTurn[target] = true;
}

function miss(table, { seat, byStartCard }) {
  if (byStartCard) {
    table.startSkip = false;
  } else {
    table.waiting[seat] -= 1;
    if (table.rules.skipZone === "in_front") {
      table.discard.push(SKIP); // it lay before the seat until now
    }
  }
  table.nextSlot();
}

function endDeal(table, { totals, completed }) {
  for (const [seat, count] of completed.entries()) {
    if (count < table.completed[seat]) {
      table.done[seat] = table.done[seat].slice(0, -1); // the last phase did not count without going out
    }
  }
  Object.assign(table, { totals: [...totals], completed: [...completed], dealOver: true, owesDefault: false });
}

const HAPPEN = {
  dealStarted: start,
  stockRebuilt(table, { stock }) {
    table.stock = [...stock].reverse();
    table.discard = table.discard.slice(-1);
    table.reshuffles += 1;
    table.rebuilt = true;
  },
  cardDrawn(table, { seat, card, fromDiscard }) {
    (fromDiscard ? table.discard : table.stock).pop();
    table.hands[seat] = withCard(table.hands[seat], card);
    table.drawn = card;
    table.rebuilt = false;
    table.owesDefault = false;
  },
  phaseLaid: lay,
  cardHit(table, { seat, owner, meld, card, end }) {
    table.inPlay = true;
    table.give(seat, [card]);
    table.change(owner, meld, grown(table.melds[owner][meld], card, end));
  },
  wildTaken(table, { seat, owner, meld, place, card }) {
    table.inPlay = true;
    table.hands[seat] = withCard(without(table.hands[seat], [card]), WILD);
    table.change(owner, meld, exchanged(table.melds[owner][meld], place, card));
  },
  cardDiscarded(table, { seat, card }) {
    table.give(seat, [card]);
    table.discard.push(card);
    table.endTurn(seat);
  },
  skipPlayed: skip,
  turnSkipped: miss,
  seatFaulted(table, { seat, count }) {
    table.faults[seat] = count;
    table.owesDefault = seat === table.toMove && count < table.terms.maxFaults;
  },
  seatForfeited(table, { seat, cause }) {
    table.forfeits[seat] = cause;
  },
  dealEnded: endDeal,
  gameEnded(table, { cause, places }) {
    Object.assign(table, { over: cause, places, toMove: null });
  },
};
