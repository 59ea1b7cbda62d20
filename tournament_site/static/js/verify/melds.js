// Melds: whether cards meet a goal of a phase, and what may be added to a meld on the table.
//
// A meld is `{ kind, cards, value }`: a set and its number, a run (lowest card first) and its lowest number, or cards of one
// colour and that colour.

import { colourOf, isNumber, numberOf, SKIP, WILD } from "./cards.js";

const HIGHEST = 12;

/** The values that number cards at their places give a meld of this kind. */
const READINGS = {
  set: (card) => numberOf(card),
  run: (card, place) => numberOf(card) - place,
  color: (card) => colourOf(card),
};
const NOT_A = {
  set: "the cards of a set must have one number",
  run: "the cards of a run must follow one another, lowest first, within 1 to 12",
  color: "the cards must have one colour",
};

/** Why these cards, said to stand for `value`, are no meld for a goal; null if they are one. */
function misfit([kind, size], { cards, value }, rules) {
  if (cards.length < size) {
    return "a meld has fewer cards than its goal asks for";
  }
  if (cards.length > size && !rules.layExtra) {
    return "these rules do not allow more cards than the goal asks for";
  }
  const readings = new Set(cards.flatMap((card, place) => (isNumber(card) ? [READINGS[kind](card, place)] : [])));
  const [lowest, highest] = { set: [1, HIGHEST], run: [1, HIGHEST + 1 - cards.length], color: [0, 3] }[kind];
  const [reading] = readings;
  if (readings.size > 1 || highest < lowest || (readings.size && (reading < lowest || reading > highest))) {
    return NOT_A[kind];
  }
  const fits = readings.size ? value === reading : lowest <= value && value <= highest;
  return fits ? null : "the declared meaning does not fit the cards";
}

/** The kinds of the melds in the order in which they are listed, or the reason why they are not the phase. */
function matched(goals, melds, rules) {
  const tries = [goals];
  if (goals.length === 2 && String(goals[0]) !== String(goals[1])) {
    tries.push([goals[1], goals[0]]);
  }
  let most = -1;
  let reason = "";
  for (const order of tries) {
    const problems = order.map((goal, place) => misfit(goal, melds[place], rules));
    const fitting = problems.filter((problem) => problem === null).length;
    if (fitting === order.length) {
      return { kinds: order.map(([kind]) => kind) };
    }
    if (fitting > most) {
      most = fitting;
      reason = problems.find((problem) => problem !== null);
    }
  }
  return { reason };
}

function naturalsMissing(melds, duty) {
  const natural = melds.filter((meld) => meld.cards.some(isNumber)).length;
  const wanted = { none: 0, one_per_phase: 1, one_per_meld: melds.length }[duty];
  return natural < wanted;
}

/** What a hand keeps of its cards when these melds are laid: `{ left }`, or `{ reason }`. */
function paid(melds, hand) {
  const left = [...hand];
  for (const card of melds.flatMap((meld) => meld.cards)) {
    if (card === SKIP) {
      return { reason: "a Skip is never part of a meld" };
    }
    const place = left.indexOf(card);
    if (place < 0) {
      return { reason: "the hand does not hold all of these cards" };
    }
    left.splice(place, 1);
  }
  return { left };
}

/**
 * Judges melds that are laid from a hand for a phase with these goals: `{ kinds, left }`, what each of them is by the rules and
 * what the hand keeps, or `{ reason }`.
 */
export function judgeLay(goals, melds, hand, rules) {
  if (melds.length !== goals.length) {
    return { reason: "the phase asks for another number of melds" };
  }
  const { left, reason } = paid(melds, hand);
  if (reason) {
    return { reason };
  }
  if (naturalsMissing(melds, rules.naturalCards)) {
    return { reason: "too few ordinary number cards among the Wilds" };
  }
  const found = matched(goals, melds, rules);
  const twoSets = found.kinds?.length === 2 && found.kinds.every((kind) => kind === "set");
  if (twoSets && !rules.sameNumberSets && melds[0].value === melds[1].value) {
    return { reason: "these rules do not allow two sets of one number" };
  }
  return { ...found, left };
}

/** Where a card may be added: the ends of a run ("low", "high"), or null for a set or a colour; [] where it does not fit. */
export function openEnds({ kind, cards, value }, card) {
  if (card === SKIP) {
    return [];
  }
  if (kind !== "run") {
    return card === WILD || READINGS[kind](card) === value ? [null] : [];
  }
  const below = value - 1;
  const above = value + cards.length;
  const ends = [];
  if (below >= 1 && (card === WILD || numberOf(card) === below)) {
    ends.push("low");
  }
  if (above <= HIGHEST && (card === WILD || numberOf(card) === above)) {
    ends.push("high");
  }
  return ends;
}

/** The place of the Wild that a number card may take: in a run the one that stands for it, else the first one; -1 for none. */
export function wildFor(meld, card) {
  if (!isNumber(card)) {
    return -1;
  }
  if (meld.kind === "run") {
    const place = numberOf(card) - meld.value;
    return meld.cards[place] === WILD ? place : -1;
  }
  return openEnds(meld, card).length ? meld.cards.indexOf(WILD) : -1;
}

/** The meld with a card more. */
export function grown(meld, card, end) {
  return end === "low"
    ? { ...meld, cards: [card, ...meld.cards], value: meld.value - 1 }
    : { ...meld, cards: [...meld.cards, card] };
}

/** The meld with a card in the place of a Wild. */
export const exchanged = (meld, place, card) => ({ ...meld, cards: meld.cards.with(place, card) });
