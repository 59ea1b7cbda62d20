// What all the files here need: a log, pauses, and the error that ends everything.

const SHORTEST_PAUSE = 200; // milliseconds, before another try; it doubles
export const LONGEST_PAUSE = 5_000;

export class GiveUp extends Error {} // trying again would not help

export function log(text) {
  console.error(`${new Date().toISOString()} ${text}`);
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Pauses that grow, at random: bots that lost one referee together come back one by one. */
export class Backoff {
  tries = 0;

  next() {
    this.tries += 1;
    const most = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** Math.min(this.tries, 16));
    return SHORTEST_PAUSE + Math.random() * (most - SHORTEST_PAUSE);
  }
}
