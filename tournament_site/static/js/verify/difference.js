// The first thing in a replay that does not follow.

/** Ends the checking. `difference` is `{ check, event, place, says, follows }`: plain values, see the README of referee/verify. */
export class Differs extends Error {
  constructor(check, says, follows, { event = null, place = "" } = {}) {
    super(`${check}: ${place} ${says}, not ${follows}`);
    this.difference = { check, event, place, says, follows };
  }
}
