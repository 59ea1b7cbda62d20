// P10-SHUFFLE-1: commitments, the key of a game and its decks, from nothing but SHA-512 and HMAC. Numbers are big-endian.

import { concat, u32, utf8 } from "./bytes.js";

/** A label of the protocol: ASCII and a zero byte. */
const label = (text) => concat(utf8(text), Uint8Array.of(0));

function subtle() {
  const found = globalThis.crypto?.subtle;
  if (!found) {
    throw new Error("This browser gives its cryptography only to pages that come over https.");
  }
  return found;
}

export const sha256 = async (bytes) => new Uint8Array(await subtle().digest("SHA-256", bytes));
const sha512 = async (bytes) => new Uint8Array(await subtle().digest("SHA-512", bytes));

/** HMAC-SHA-512 with this key: a function of the message. */
async function hmac(key) {
  const imported = await subtle().importKey("raw", key, { name: "HMAC", hash: "SHA-512" }, false, ["sign"]);
  return async (message) => new Uint8Array(await subtle().sign("HMAC", imported, message));
}

/** What commitments are bound to. `id` are the 16 bytes of a UUID. */
export const contextOf = (id, attempt, seats) => concat(id, u32(attempt), Uint8Array.of(seats));

export const serverCommit = (context, seed) => sha512(concat(label("p10/server-commit/1"), context, seed));

export const nonceCommit = (context, seat, nonce) =>
  sha512(concat(label("p10/nonce-commit/1"), context, Uint8Array.of(seat), nonce));

/** The key of a game, from the server's seed and the nonces by seat. */
export async function matchKey(context, seed, nonces) {
  const sign = await hmac(seed);
  return sign(concat(label("p10/match-key/1"), context, ...nonces));
}

/** An endless stream of bytes: blocks of 64, numbered from 0. */
class Stream {
  constructor(sign) {
    this.sign = sign;
    this.block = 0;
    this.bytes = new Uint8Array();
    this.at = 0;
  }

  static async of(key, text, index) {
    const sign = await hmac(key);
    return new Stream(await hmac(await sign(concat(label(text), u32(index)))));
  }

  async next() {
    if (this.at === this.bytes.length) {
      this.bytes = await this.sign(u32(this.block));
      this.block += 1;
      this.at = 0;
    }
    return this.bytes[this.at++];
  }

  /** A number below n, every one equally likely: bytes at or above the largest multiple of n are thrown away. */
  async below(n) {
    const limit = 256 - (256 % n);
    for (;;) {
      const byte = await this.next();
      if (byte < limit) {
        return byte % n;
      }
    }
  }
}

/** The number of a shuffle: 0 is the deal itself, 1, 2 ... its reshuffles. */
export const shuffleNumber = (deal, reshuffle) => deal * 65536 + reshuffle;

/** These cards (given in ascending order) as shuffle `number` of the key leaves them, the top first. */
export async function shuffled(key, number, cards) {
  const order = [...cards];
  if (order.length < 2) {
    return order;
  }
  const stream = await Stream.of(key, "p10/shuffle/1", number);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const place = await stream.below(last + 1);
    [order[last], order[place]] = [order[place], order[last]];
  }
  return order;
}

/** The decks of one game, as the rules ask for them. */
export const seededDecks = (key) => ({
  shuffle: (number, cards) => shuffled(key, number, cards),
  firstDealer: async (seats) => (await Stream.of(key, "p10/first-dealer/1", 0)).below(seats),
});
