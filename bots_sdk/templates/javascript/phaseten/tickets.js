// The site: it gives tickets, which open the referees, and says where these are.

import { isIP } from "node:net";
import { Backoff, GiveUp, log, sleep } from "./basics.js";

// Milliseconds.
export const REFRESH = 300_000; // the age at which a ticket is replaced when one is needed
const SITE_TIMEOUT = 10_000;

function isLoopback(host) {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}

/** Where a referee listens. Without a scheme it means TLS if the site itself is on https, but for this machine. */
export function readAddress(text, server) {
  const [, scheme, target] = /^(?:(https?):\/\/)?([^/]+)\/?$/.exec(text) ?? [];
  const host = target?.replace(/:\d+$/, "");
  if (!host || host === target) throw new GiveUp(`the site names a referee at ${text}, which is no host:port`);
  const local = isLoopback(host);
  const tls = scheme === "https" || (!scheme && server.startsWith("https://") && !local);
  return { target, tls, local };
}

/** The current ticket, shared by all connections. */
export class Tickets {
  #server;
  #token;
  #wish;
  #ticket = null;
  #fetched = 0;
  #under_way = null;

  constructor(server, token, wish) {
    this.#server = server;
    this.#token = token;
    this.#wish = wish;
  }

  /** A ticket. Waits for a site that is away; throws GiveUp when asking again would not help. */
  current() {
    if (this.#ticket && Date.now() - this.#fetched < REFRESH) return Promise.resolve(this.#ticket);
    this.#under_way ??= this.#fetch().finally(() => {
      this.#under_way = null;
    });
    return this.#under_way;
  }

  /** A referee did not let this ticket in. */
  refused(ticket) {
    if (ticket === this.#ticket) this.#ticket = null;
  }

  async #fetch() {
    for (const backoff = new Backoff(); ; ) {
      let wait = 0;
      try {
        this.#ticket = await this.#ask();
        this.#fetched = Date.now();
        return this.#ticket;
      } catch (error) {
        if (error instanceof GiveUp) throw error;
        wait = Math.max(backoff.next(), error.wait ?? 0);
        const cause = error.cause ? ` (${error.cause.message})` : "";
        log(`${error.message}${cause}; trying again in ${(wait / 1000).toFixed(1)} s`);
      }
      await sleep(wait);
    }
  }

  async #ask() {
    const response = await fetch(`${this.#server}/api/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify(this.#wish),
      redirect: "error",
      signal: AbortSignal.timeout(SITE_TIMEOUT),
    });
    const body = await response.json().catch(() => ({}));
    if (response.ok && body.ticket) {
      const referees = body.referees.map((each) => ({ id: each.id, ...readAddress(each.address, this.#server) }));
      return { text: body.ticket, referees };
    }
    const why = `the site says: ${body.error?.message ?? response.statusText} (${response.status})`;
    if (response.status !== 429 && response.status < 500) throw new GiveUp(why);
    throw Object.assign(new Error(why), { wait: 1000 * (Number(response.headers.get("retry-after")) || 0) });
  }
}
