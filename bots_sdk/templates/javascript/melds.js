// What the rules say about cards, and the search for melds. Everything here is plain arithmetic on the numbers of
// cards.proto: 1 to 48 are the number cards (red, blue, green, yellow, each 1 to 12), 49 is a Wild, 50 a Skip.

import { values } from "./phaseten/schema.js";

const { GOING_OUT_DISCARD_ONLY } = values("GoingOut");
const { HIT_ON_LAY_TURN_ANY, HIT_ON_LAY_TURN_OWN_ONLY } = values("HitOnLayTurn");
const { SKIP_TARGET_CHOSEN } = values("SkipTarget");
const { ADVANCE_FREE_CHOICE } = values("Advance");
const { MELD_KIND_SET, MELD_KIND_RUN, MELD_KIND_COLOR } = values("MeldKind");
const { END_LOW, END_HIGH } = values("End");

export const WILD = 49;
export const SKIP = 50;

export const isNumber = (card) => card >= 1 && card < WILD;
export const numberOf = (card) => ((card - 1) % 12) + 1;
export const colorOf = (card) => Math.floor((card - 1) / 12);

/** The penalty for a card that stays in hand. */
export function pointsOf(card, rules) {
  const points = rules.cardPoints;
  if (card === WILD) return points.wild;
  if (card === SKIP) return points.skip;
  return numberOf(card) < 10 ? points.low : points.high;
}

const sum = (cards, rules) => cards.reduce((total, card) => total + pointsOf(card, rules), 0);
const set = (size) => ({ kind: MELD_KIND_SET, size });
const run = (size) => ({ kind: MELD_KIND_RUN, size });

/** What each phase asks for. */
export const PHASES = {
  1: [set(3), set(3)],
  2: [set(3), run(4)],
  3: [set(4), run(4)],
  4: [run(7)],
  5: [run(8)],
  6: [run(9)],
  7: [set(4), set(4)],
  8: [{ kind: MELD_KIND_COLOR, size: 7 }],
  9: [set(5), set(2)],
  10: [set(5), set(3)],
};

/** The phases of which one may be laid now, and whether it has to be named. */
export function openPhases(view, rules) {
  const me = view.table.seats[view.seat];
  if (me.laid) return { phases: [], named: false };
  if (me.phase) return { phases: [me.phase], named: false };
  const free = rules.advance === ADVANCE_FREE_CHOICE;
  return { phases: free ? rules.phases.filter((phase) => !me.phasesDone.includes(phase)) : [], named: free };
}

/** Every way to begin a goal with these number cards: places that are filled (0 where a card is missing). */
function* starts(goal, cards, forRun) {
  if (goal.kind === MELD_KIND_RUN) {
    for (let low = 1; low + goal.size <= 13; low += 1) {
      yield Array.from({ length: goal.size }, (_, place) => cards.find((card) => numberOf(card) === low + place) ?? 0);
    }
    return;
  }
  const [sort, first, last] = goal.kind === MELD_KIND_SET ? [numberOf, 1, 12] : [colorOf, 0, 3];
  for (let value = first; value <= last; value += 1) {
    const held = cards.filter((card) => sort(card) === value).sort((one, other) => numberOf(other) - numberOf(one));
    const most = Math.min(held.length, goal.size);
    for (let count = most; count >= Math.max(0, most - forRun); count -= 1) {
      yield [...held.slice(0, count), ...Array(goal.size - count).fill(0)];
    }
  }
}

function without(cards, taken) {
  const left = [...cards];
  for (const card of taken) if (card) left.splice(left.indexOf(card), 1);
  return left;
}

function* combinations([goal, ...more], cards) {
  const forRun = more.some(({ kind }) => kind === MELD_KIND_RUN) ? 1 : 0; // a set may leave one of its cards to a run
  for (const places of starts(goal, cards, forRun)) {
    if (!more.length) yield [places];
    else for (const rest of combinations(more, without(cards, places))) yield [places, ...rest];
  }
}

/** Two sets of one number, where the rules do not allow that. */
function clash(melds, goals, rules) {
  if (rules.sameNumberSets || goals.length < 2 || goals[1].kind !== MELD_KIND_SET) return false;
  const [one, other] = melds.map((places) => places.find(Boolean));
  return Boolean(one && other) && numberOf(one) === numberOf(other);
}

/**
 * The nearest way to a phase: `missing` is how many cards it still needs, `melds` hold what there is (Wilds in place, 0 where
 * a card is missing), `spare` are the cards that it does not use. Every meld is given a number card of its own, so that no
 * rule about Wilds is ever broken.
 */
export function nearest(hand, phase, rules) {
  const numbers = hand.filter(isNumber);
  const wilds = hand.filter((card) => card === WILD).length;
  let best = null;
  for (const melds of combinations(PHASES[phase], numbers)) {
    if (clash(melds, PHASES[phase], rules)) continue;
    const gaps = melds.flat().filter((card) => !card).length;
    const empty = melds.filter((places) => !places.some(Boolean)).length;
    const missing = Math.max(gaps - wilds, empty);
    const used = melds.flat().filter(Boolean);
    const worth = sum(used, rules);
    if (!best || missing < best.missing || (missing === best.missing && better(used.length, worth, best))) {
      best = { missing, melds, count: used.length, worth };
    }
  }
  let left = wilds;
  const filled = best.melds.map((places) => places.map((card) => card || (left > 0 && left-- ? WILD : 0)));
  return { phase, missing: best.missing, melds: filled, spare: without(hand, filled.flat()) };
}

const better = (count, worth, best) => count > best.count || (count === best.count && worth > best.worth);

/** The nearest way to any phase that is open; null if none is. */
export function nearestOfAll(hand, view, rules) {
  const ways = openPhases(view, rules).phases.map((phase) => nearest(hand, phase, rules));
  return ways.reduce((best, way) => (!best || way.missing < best.missing ? way : best), null);
}

/** Whether the rules let the last card leave the hand only by a discard. */
export const mustDiscard = (rules) => rules.goingOut === GOING_OUT_DISCARD_ONLY;

/** A Play that is put together step by step: `hand` and `table` (melds by seat) are as they will be after the steps so far. */
export class Turn {
  lay = [];
  hits = [];
  phase = undefined;

  constructor(view, rules) {
    this.view = view;
    this.rules = rules;
    this.hand = [...view.hand];
    this.table = view.table.seats.map((seat) => seat.melds.map((meld) => ({ ...meld, cards: [...meld.cards] })));
    this.laid = view.table.seats[view.seat].laid;
  }

  /** Lay a phase if that is possible. */
  layPhase() {
    const way = this.laid ? null : nearestOfAll(this.hand, this.view, this.rules);
    if (!way || way.missing > 0 || (mustDiscard(this.rules) && !way.spare.length)) return false;
    this.lay = way.melds.map((cards) => ({ cards }));
    this.phase = openPhases(this.view, this.rules).named ? way.phase : undefined;
    this.hand = way.spare;
    this.laid = true;
    this.table[this.view.seat] = way.melds.map((cards, index) => onTable(PHASES[way.phase][index].kind, cards));
    return true;
  }

  /** Every hit that is possible now, number cards first. */
  possibleHits() {
    if (!this.laid || (mustDiscard(this.rules) && this.hand.length < 2)) return [];
    const found = [];
    this.table.forEach((melds, owner) => {
      if (!this.#mayHit(owner)) return;
      melds.forEach((meld, index) => {
        for (const card of new Set(this.hand)) {
          for (const end of ends(meld, card)) found.push({ owner, meld: index, card, end });
        }
      });
    });
    return found.sort((one, other) => one.card - other.card);
  }

  #mayHit(owner) {
    if (!this.lay.length || this.rules.hitOnLayTurn === HIT_ON_LAY_TURN_ANY) return true;
    return this.rules.hitOnLayTurn === HIT_ON_LAY_TURN_OWN_ONLY && owner === this.view.seat;
  }

  hit(hit) {
    const meld = this.table[hit.owner][hit.meld];
    if (meld.kind === MELD_KIND_RUN && hit.end === END_LOW) {
      meld.cards.unshift(hit.card);
      meld.value -= 1;
    } else {
      meld.cards.push(hit.card);
    }
    this.hand.splice(this.hand.indexOf(hit.card), 1);
    this.hits.push(hit);
  }

  /** The seats of which one has to be named if a Skip is discarded now; empty where none may be named. */
  skipTargets() {
    if (this.rules.skipTarget !== SKIP_TARGET_CHOSEN || this.hand.length < 2) return [];
    return this.view.table.seats.flatMap((seat, index) => (index !== this.view.seat && seat.mayBeSkipped ? [index] : []));
  }

  /** The finished Play. `discard` is left out if no card remains. */
  end(discard, skipTarget) {
    return { lay: this.lay, hits: this.hits, discard, skipTarget, phase: this.phase };
  }
}

function onTable(kind, cards) {
  const place = cards.findIndex(isNumber);
  const first = cards[place];
  const value = kind === MELD_KIND_RUN ? numberOf(first) - place : kind === MELD_KIND_SET ? numberOf(first) : colorOf(first);
  return { kind, cards: [...cards], value };
}

/** Where a card fits on a meld: the ends of a run, 0 for sets and colours, nowhere: []. */
function ends(meld, card) {
  if (card === SKIP) return [];
  if (meld.kind === MELD_KIND_SET) return card === WILD || numberOf(card) === meld.value ? [0] : [];
  if (meld.kind === MELD_KIND_COLOR) return card === WILD || colorOf(card) === meld.value ? [0] : [];
  if (meld.kind !== MELD_KIND_RUN) return [];
  const [below, above] = [meld.value - 1, meld.value + meld.cards.length];
  const found = [];
  if (below >= 1 && (card === WILD || numberOf(card) === below)) found.push(END_LOW);
  if (above <= 12 && (card === WILD || numberOf(card) === above)) found.push(END_HIGH);
  return found;
}
