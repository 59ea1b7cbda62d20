// Cards as the rules see them: a card is its kind. Kinds 0-47 are colour * 12 + number - 1, 48 is the Wild, 49 the Skip.

export const KINDS = 50;
export const WILD = 48;
export const SKIP = 49;
const LETTERS = "RBGY";

export const isNumber = (card) => card < WILD;
export const numberOf = (card) => (card % 12) + 1;
export const colourOf = (card) => Math.floor(card / 12);

/** `R7`, `W`, `S`. */
export const name = (card) => (isNumber(card) ? LETTERS[colourOf(card)] + numberOf(card) : card === WILD ? "W" : "S");

export const names = (cards) => cards.map(name).join(" ");

/** A colour's letter; other numbers as they are. */
export const colourName = (colour) => LETTERS[colour] ?? String(colour);

/** A whole deck in ascending order: two of each number card, then the Wilds, then the Skips. */
export function wholeDeck(wilds, skips) {
  const numbers = Array.from({ length: 2 * WILD }, (_, place) => Math.floor(place / 2));
  return [...numbers, ...Array(wilds).fill(WILD), ...Array(skips).fill(SKIP)];
}

/** What a hand costs its holder at the end of a deal. */
export function pointsOf(hand, prices) {
  const price = (card) => {
    if (isNumber(card)) {
      return numberOf(card) < 10 ? prices.low : prices.high;
    }
    return card === SKIP ? prices.skip : prices.wild;
  };
  return hand.reduce((sum, card) => sum + price(card), 0);
}

/** The hand without these cards, or null if it does not hold them all. */
export function without(hand, cards) {
  const left = [...hand];
  for (const card of cards) {
    const place = left.indexOf(card);
    if (place < 0) {
      return null;
    }
    left.splice(place, 1);
  }
  return left;
}

/** The hand with a card more, in ascending order. */
export const withCard = (hand, card) => [...hand, card].sort((one, other) => one - other);
