// The published rule sets, each as what it changes in another one. A name stands for the same rules for ever.

const OFFICIAL = {
  name: "official",
  playersMin: 2,
  playersMax: 6,
  wilds: 8,
  skips: 4,
  handSize: 10,
  phases: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  dealerRotation: "left",
  initialSkip: "skip_first_player",
  initialSkipDeals: "every",
  initialWild: "takeable",
  takeSkipFromDiscard: false,
  deckExhausted: "reshuffle_keep_top",
  advance: "on_lay",
  naturalCards: "one_per_phase",
  layExtra: true,
  sameNumberSets: true,
  wildReplaceable: false,
  hitOnLayTurn: "any",
  goingOut: "hit_or_discard",
  skipTarget: "chosen",
  skipLimit: "one_pending",
  skipZone: "in_front",
  cardPoints: { low: 5, high: 10, skip: 15, wild: 25 },
  winCheck: "end_of_deal",
  scoreTie: "replay_first_out",
  tiebreakMaxDeals: 3,
};

const DA = { ...OFFICIAL, dealerRotation: "fixed", skipZone: "discard_pile" };
const SV = {
  ...OFFICIAL,
  goingOut: "discard_only",
  skipLimit: "one_per_lap",
  skipZone: "discard_pile",
  scoreTie: "replay_first_to_lay",
};
const BG = {
  ...OFFICIAL,
  hitOnLayTurn: "own_only",
  goingOut: "discard_only",
  skipTarget: "next",
  skipZone: "discard_pile",
  scoreTie: "replay_first_to_lay",
};
const FUNDEX = { ...OFFICIAL, skipZone: "discard_pile", skipLimit: "until_real_turn" };
const TO_5 = [1, 2, 3, 4, 5];
const EVEN = [2, 4, 6, 8, 10];

const RULES = {
  official: OFFICIAL,
  da: DA,
  sv: SV,
  bg: BG,
  lt: OFFICIAL,
  "da-literal": { ...DA, naturalCards: "none", skipLimit: "one_per_deal" },
  "sv-literal": { ...SV, naturalCards: "none", initialSkipDeals: "first" },
  "bg-literal": { ...BG, takeSkipFromDiscard: true, skipLimit: "unlimited" },
  "da+rotate": { ...DA, dealerRotation: "left" },
  "da+twist": { ...DA, initialSkip: "cover" },
  "bg+all-advance": { ...BG, advance: "every_deal" },
  "bg+to5": { ...BG, phases: TO_5 },
  "bg+to8": { ...BG, phases: [...TO_5, 6, 7, 8] },
  "bg+even": { ...BG, phases: EVEN },
  "bg+odd": { ...BG, phases: [1, 3, 5, 7, 9] },
  "bg+free": { ...BG, advance: "free_choice" },
  "bg+out": { ...BG, winCheck: "end_of_deal_and_out" },
  "lt+first5": { ...OFFICIAL, phases: TO_5 },
  fundex: FUNDEX,
  "fundex+ten-hands": { ...FUNDEX, advance: "every_deal" },
  "fundex+to5": { ...FUNDEX, phases: TO_5 },
  "fundex+to7": { ...FUNDEX, phases: [...TO_5, 6, 7] },
  "fundex+even": { ...FUNDEX, phases: EVEN },
  app163: { ...OFFICIAL, winCheck: "end_of_deal_and_out" },
};

export const PRESETS = Object.fromEntries(Object.entries(RULES).map(([name, rules]) => [name, { ...rules, name }]));

/** Whether two rule sets agree in every option. */
export function sameRules(one, other) {
  return Object.entries(one).every(([option, value]) => JSON.stringify(value) === JSON.stringify(other[option]));
}
