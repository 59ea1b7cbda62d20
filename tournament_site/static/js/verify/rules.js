// Rules as data: the printed phases, and whether a rule set and its terms make sense together.

/** What the melds of each phase must be, as printed on the official leaflet; sizes are minimums. */
export const PHASES = {
  1: [["set", 3], ["set", 3]],
  2: [["set", 3], ["run", 4]],
  3: [["set", 4], ["run", 4]],
  4: [["run", 7]],
  5: [["run", 8]],
  6: [["run", 9]],
  7: [["set", 4], ["set", 4]],
  8: [["color", 7]],
  9: [["set", 5], ["set", 2]],
  10: [["set", 5], ["set", 3]],
};

/** The cards that the largest of these phases needs, and one to discard where the last card must be discarded. */
function needed(rules) {
  const sizes = rules.phases.map((phase) => PHASES[phase].reduce((sum, [, size]) => sum + size, 0));
  return Math.max(0, ...sizes) + (rules.goingOut === "discard_only" ? 1 : 0);
}

const within = (low, value, high) => low <= value && value <= high;

function contradictions(rules, seats) {
  const { playersMin: low, playersMax: high, phases, cardPoints: points } = rules;
  const known = phases.every((phase) => phase in PHASES);
  const cards = known ? needed(rules) : 0;
  return [
    [2 <= low && low <= high && high <= 6, "players_min", "the players must be 2 to 6, and at least players_min"],
    [within(low, seats, high), "players_max", `${seats} seats are not within ${low} to ${high}`],
    [rules.wilds <= 16, "wilds", "a deck has 0 to 16 Wilds"],
    [rules.skips <= 8, "skips", "a deck has 0 to 8 Skips"],
    [within(7, rules.handSize, 13), "hand_size", "a hand has 7 to 13 cards"],
    [phases.length > 0, "phases", "there must be at least one phase"],
    [known, "phases", "phases are numbered 1 to 10"],
    [new Set(phases).size === phases.length, "phases", "a phase is listed twice"],
    [rules.handSize + 1 >= cards, "hand_size", `${cards} cards are needed for a phase and its discard`],
    [points.low <= points.high, "card_points", "10-12 must cost at least as much as 1-9"],
    [
      rules.advance !== "every_deal" || rules.winCheck === "end_of_deal",
      "win_check",
      "where everybody moves on after every deal, laying the last phase does not win",
    ],
    [within(1, rules.tiebreakMaxDeals, 10), "tiebreak_max_deals", "1 to 10 deals may break a tie"],
  ];
}

function badTerms(terms, seats) {
  const { firstDealer, maxFaults, maxTurnsPerDeal, maxDeals, clock } = terms;
  return [
    [typeof firstDealer !== "number" || firstDealer < seats, "first_dealer", `there is no such seat among ${seats}`],
    [maxFaults >= 1, "max_faults", "must be at least 1"],
    [maxTurnsPerDeal === null || maxTurnsPerDeal >= 1, "max_turns_per_deal", "must be at least 1"],
    [maxDeals === null || maxDeals >= 1, "max_deals", "must be at least 1"],
    [clock.bankMs > 0 && clock.capMs > 0, "clock", "bank and cap must be positive, the increment not negative"],
  ];
}

/** What is wrong with rules and terms: `[option, sentence]` of the first thing, or null. */
export function problemOf(rules, terms, seats) {
  const found = [...contradictions(rules, seats), ...badTerms(terms, seats)].find(([fine]) => !fine);
  return found ? found.slice(1) : null;
}
