// The conversation with phaseten: tickets, connections, handshakes, questions. Leave this folder alone; your bot is in bot.js.
//
// `run(Bot)` gets a ticket from the site, keeps a stream open to every referee that the ticket names, and makes a bot for
// every game. All games of a referee share one stream, and outlive it: a lost connection is made again, and games go on.

import { GiveUp, LONGEST_PAUSE, log, sleep } from "./basics.js";
import { Link, keyOf } from "./connection.js";
import { SDK } from "./schema.js";
import { REFRESH, Tickets } from "./tickets.js";

/**
 * Connect `Bot` and play until stopped. PHASETEN_SERVER is the site's address, PHASETEN_TOKEN the bot's token.
 *
 * `Bot` is a class: an object of it is made for every game, with the game's Invite. `Bot.version` is the label of this
 * version, `Bot.capacity` how many games it plays at once.
 */
export async function run(Bot) {
  const server = (process.env.PHASETEN_SERVER ?? "").replace(/\/+$/, "");
  const token = process.env.PHASETEN_TOKEN ?? "";
  if (!/^https?:\/\//.test(server) || !token) {
    console.error("Set PHASETEN_SERVER to the site's address (https://...) and PHASETEN_TOKEN to the bot's token.");
    process.exit(2);
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));
  const wish = { version: Bot.version ?? "1", sdk: SDK, language: `Node ${process.version}`, capacity: Bot.capacity ?? 8 };
  const tickets = new Tickets(server, token, wish);
  log(`${Bot.name}, version ${wish.version}, plays at ${server}`);
  try {
    await stayConnected(tickets, Bot);
  } catch (error) {
    console.error(error instanceof GiveUp ? `${Bot.name} stops: ${error.message}` : error);
    process.exit(1);
  }
}

/** Keep a link to every referee that the tickets name. Throws GiveUp. */
async function stayConnected(tickets, Bot) {
  const links = new Map();
  for (;;) {
    for (const address of (await tickets.current()).referees) {
      const key = keyOf(address);
      if (links.has(key)) continue;
      const running = new Link(tickets, address, Bot).run().then(() => links.delete(key));
      links.set(key, running);
    }
    await Promise.race([sleep(links.size ? REFRESH : LONGEST_PAUSE), ...links.values()]);
  }
}
