// Enums by the numbers they have in proto/phaseten/v1; a test compares the two. 0 is never a value.

export const ENUMS = {
  End: ["", "low", "high"],
  MeldKind: ["", "set", "run", "color"],
  FaultKind: ["", "illegal", "malformed", "late", "gone"],
  ForfeitCause: ["", "faults", "clock", "resigned", "no_show"],
  DealEnd: ["", "went_out", "turn_cap", "stock_empty", "decided"],
  GameEnd: ["", "phases_done", "tie_break", "deal_cap", "forfeits"],
  FirstDealerRule: ["", "last_seat", "seeded"],
  DealerRotation: ["", "left", "fixed"],
  InitialSkip: ["", "skip_first_player", "cover", "ignore"],
  InitialSkipDeals: ["", "every", "first"],
  InitialWild: ["", "takeable", "cover"],
  DeckExhausted: ["", "reshuffle_keep_top", "end_deal"],
  Advance: ["", "on_lay", "every_deal", "free_choice"],
  NaturalCards: ["", "none", "one_per_phase", "one_per_meld"],
  HitOnLayTurn: ["", "any", "own_only", "none"],
  GoingOut: ["", "hit_or_discard", "discard_only"],
  SkipTarget: ["", "chosen", "next"],
  SkipLimit: ["", "one_pending", "one_per_lap", "one_per_deal", "until_real_turn", "unlimited"],
  SkipZone: ["", "in_front", "discard_pile"],
  WinCheck: ["", "end_of_deal", "end_of_deal_and_out", "on_lay"],
  ScoreTie: ["", "replay_first_out", "replay_first_to_lay", "shared"],
};

/** Option of a rule set -> its enum. */
export const OPTIONS = {
  dealerRotation: "DealerRotation",
  initialSkip: "InitialSkip",
  initialSkipDeals: "InitialSkipDeals",
  initialWild: "InitialWild",
  deckExhausted: "DeckExhausted",
  advance: "Advance",
  naturalCards: "NaturalCards",
  hitOnLayTurn: "HitOnLayTurn",
  goingOut: "GoingOut",
  skipTarget: "SkipTarget",
  skipLimit: "SkipLimit",
  skipZone: "SkipZone",
  winCheck: "WinCheck",
  scoreTie: "ScoreTie",
};
