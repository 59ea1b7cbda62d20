// The bot's part in shuffles: nobody alone can choose the cards.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const NONCE_BYTES = 32;
const NO_NONCE = Buffer.alloc(NONCE_BYTES);

function commitment(label, ...parts) {
  return createHash("sha512").update(`p10/${label}/1\0`, "latin1").update(Buffer.concat(parts)).digest();
}

function same(one, other) {
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The bot's share in the shuffle of a game, and its eyes on the referee's (P10-SHUFFLE-1): the referee commits to its seed,
 * then every seat to 32 random bytes, then the seats reveal them. As long as one seat is honest, nobody could choose the
 * deck. `problem` says what the referee did wrong.
 */
export class Share {
  problem = "";
  nonce = randomBytes(NONCE_BYTES);
  #context;
  #seat;
  #seed;
  #shown = null;
  #mixed = false;

  constructor(invite) {
    const numbers = Buffer.alloc(5);
    numbers.writeUInt32BE(invite.attempt, 0);
    numbers.writeUInt8(invite.table.length, 4);
    this.#context = Buffer.concat([invite.gameId, numbers]);
    this.#seat = invite.seat;
    this.#seed = invite.commitment;
  }

  get commitment() {
    return this.#commit(this.#seat, this.nonce);
  }

  #commit(seat, nonce) {
    return commitment("nonce-commit", this.#context, Buffer.of(seat), nonce);
  }

  /** The nonce, once all commitments are known; null if ours is not among them and must not be shown. */
  reveal(commitments) {
    const ours = commitments[this.#seat];
    if (!ours || !same(ours, this.commitment)) {
      this.#complain("the referee passed another commitment on as ours");
      return null;
    }
    if (this.#shown && !commitments.every((each, seat) => same(each, this.#shown[seat]))) {
      this.#complain("the referee changed the commitments that it had shown");
      return null;
    }
    this.#shown = commitments;
    return this.nonce;
  }

  /** The referee has shown all nonces. */
  started(nonces) {
    this.#mixed = nonces.some((nonce) => !same(nonce, NO_NONCE));
    if (!this.#shown) return;
    if (!nonces[this.#seat] || !same(nonces[this.#seat], this.nonce)) {
      this.#complain("the referee left our share out of the shuffle");
    }
    this.#shown.forEach((shown, seat) => {
      const nonce = nonces[seat] ?? NO_NONCE;
      if (!same(nonce, NO_NONCE) && !same(this.#commit(seat, nonce), shown)) {
        this.#complain(`seat ${seat} revealed another nonce than it had committed to`);
      }
    });
  }

  /** The referee has shown its seed. */
  ended(seed) {
    if (this.#mixed && seed.length && !same(commitment("server-commit", this.#context, seed), this.#seed)) {
      this.#complain("the referee's seed is not the one that it had committed to");
    }
  }

  #complain(problem) {
    this.problem ||= problem;
  }
}
