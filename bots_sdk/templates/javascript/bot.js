// A small bot: it works towards its phase, hits what fits, and throws what costs most. This is the file to change.
//
// Two methods make a bot. `draw` chooses a pile, `play` does the rest of the turn. Both get a View with everything you may
// know; its fields, and those of the answers, are explained in proto/phaseten/v1/game.proto (with names in camelCase).

import { SKIP, Turn, WILD, nearestOfAll, pointsOf } from "./melds.js";

export class MyBot {
  static version = "1"; // change it when the bot plays differently: ratings belong to versions
  static capacity = 8; // games at once

  /** One object for every game. `invite.ruleset` holds the rules, `invite.seat` your seat, `invite.table` who plays. */
  constructor(invite) {
    this.rules = invite.ruleset;
  }

  draw(view) {
    const top = view.table.discardTop;
    if (!top || top === SKIP) return { fromDiscard: false };
    return { fromDiscard: top === WILD || this.wants(view, top) };
  }

  /** Whether a card brings the phase nearer, or fits on the table once the phase is laid. */
  wants(view, card) {
    if (view.table.seats[view.seat].laid) {
      const turn = new Turn({ ...view, hand: [...view.hand, card] }, this.rules);
      return turn.possibleHits().some((hit) => hit.card === card);
    }
    const now = nearestOfAll(view.hand, view, this.rules);
    const then = nearestOfAll([...view.hand, card], view, this.rules);
    return now !== null && then.missing < now.missing;
  }

  play(view) {
    const turn = new Turn(view, this.rules);
    if (turn.layPhase()) this.note = `laid, ${turn.hand.length} cards left`;
    for (let hits = turn.possibleHits(); hits.length; hits = turn.possibleHits()) turn.hit(hits[0]);
    if (!turn.hand.length) return turn.end();
    if (turn.hand.includes(SKIP)) return turn.end(SKIP, this.target(view, turn.skipTargets()));
    return turn.end(this.worst(view, turn));
  }

  /** The dearest card that the way to the phase does not need; a Wild only if there is nothing else. */
  worst(view, turn) {
    const spare = turn.laid ? turn.hand : (nearestOfAll(turn.hand, view, this.rules)?.spare ?? turn.hand);
    const choice = spare.some((card) => card !== WILD) ? spare.filter((card) => card !== WILD) : turn.hand;
    return choice.reduce((one, other) => (pointsOf(other, this.rules) > pointsOf(one, this.rules) ? other : one));
  }

  /** Whom to skip: who has laid, is far in the phases and holds few cards. */
  target(view, seats) {
    const threat = (seat) => {
      const { laid, completed, handSize } = view.table.seats[seat];
      return 100 * laid + 10 * completed - handSize;
    };
    return seats.sort((one, other) => threat(other) - threat(one))[0];
  }

  // Methods that may be written, too: gameStarted(invite), events(events), eventsMissed(), rejected(rejected),
  // gameOver(over). `this.note = "..."` stands beside the answer in the replay; `this.timeLeft` says what the clock allows.
}
