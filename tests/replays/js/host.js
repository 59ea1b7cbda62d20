// What tests may ask of the browser's verifier. It lies beside a copy of the folder `verify`; node.js and browser.py call it.

import { hex, unhex } from "./verify/bytes.js";
import { Differs } from "./verify/difference.js";
import { ENUMS, OPTIONS } from "./verify/enums.js";
import { readLog } from "./verify/log.js";
import { PRESETS } from "./verify/presets.js";
import { decodeReplay } from "./verify/replay.js";
import { schema } from "./verify/schema.js";
import { contextOf, matchKey, nonceCommit, seededDecks, serverCommit } from "./verify/shuffle.js";
import { verify } from "./verify/verify.js";
import { words } from "./verify/words.js";

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** The decks that a log shows, whatever key they come from. */
function loggedDecks(log) {
  const orders = new Map();
  let deal = 0;
  let reshuffle = 0;
  for (const event of log) {
    if (event.kind === "dealStarted") {
      [deal, reshuffle] = [event.deal, 0];
      orders.set(deal * 65536, event.deck);
    } else if (event.kind === "stockRebuilt") {
      reshuffle += 1;
      orders.set(deal * 65536 + reshuffle, event.stock);
    }
  }
  const first = log.find((event) => event.kind === "dealStarted");
  return { shuffle: async (number, cards) => orders.get(number) ?? cards, firstDealer: async (seats) => first.dealer % seats };
}

const ASKS = {
  verify: ({ data, known }) => verify(bytesOf(data), known),

  async fold({ data }) {
    const replay = decodeReplay(bytesOf(data));
    try {
      const { result } = await readLog(replay.events, loggedDecks(replay.events));
      return { result, difference: null };
    } catch (error) {
      if (!(error instanceof Differs)) {
        throw error;
      }
      return { result: null, difference: error.difference };
    }
  },

  words: ({ data }) => decodeReplay(bytesOf(data)).events.map(words),

  tables: () => ({ schema, enums: ENUMS, options: OPTIONS, presets: PRESETS }),

  async seeds({ id, attempt, seats, seed, nonces }) {
    const context = contextOf(unhex(id), attempt, seats);
    const shares = nonces.map(unhex);
    return {
      commitment: hex(await serverCommit(context, unhex(seed))),
      nonceCommits: await Promise.all(shares.map(async (nonce, seat) => hex(await nonceCommit(context, seat, nonce)))),
      key: hex(await matchKey(context, unhex(seed), shares)),
    };
  },

  shuffle: ({ key, number, cards }) => seededDecks(unhex(key)).shuffle(number, cards),

  firstDealer: ({ key, seats }) => seededDecks(unhex(key)).firstDealer(seats),

  /** Milliseconds for each of `times` checks of one replay. */
  async time({ data, times }) {
    const bytes = bytesOf(data);
    const spent = [];
    for (let count = 0; count < times; count += 1) {
      const begun = performance.now();
      await verify(bytes);
      spent.push(performance.now() - begun);
    }
    return spent;
  },
};

/** Answers a question `{ ask, ... }`: `{ answer }`, or `{ error }` with a stack. */
export async function answer(question) {
  try {
    return { answer: await ASKS[question.ask](question) };
  } catch (error) {
    return { error: error.stack };
  }
}
