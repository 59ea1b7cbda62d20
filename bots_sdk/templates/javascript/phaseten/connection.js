// The connection to one referee: dialled again whenever it is lost, watched for silence.

import grpc from "@grpc/grpc-js";
import { Backoff, GiveUp, log, sleep } from "./basics.js";
import { METHOD, readFrame } from "./schema.js";
import { Session } from "./session.js";

// Milliseconds.
const PING = 5_000; // between our pings while a game runs
const REST = 60_000; // and while none does
const SLACK = 3_000; // a referee that says nothing for so much longer is gone

const OPTIONS = {
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.initial_reconnect_backoff_ms": 200,
  "grpc.max_reconnect_backoff_ms": 5_000,
  "grpc.max_receive_message_length": 16 * 1024 * 1024,
  "grpc.use_local_subchannel_pool": 1, // a new connection for every try, never the dead one again
};

/** The connection to one referee, made again whenever it is lost. */
export class Link {
  #tickets;
  #address;
  #Bot;
  #games = new Map();
  #backoff = new Backoff();

  constructor(tickets, address, Bot) {
    this.#tickets = tickets;
    this.#address = address;
    this.#Bot = Bot;
  }

  /** Stay connected until the site no longer names this referee. Throws GiveUp. */
  async run() {
    for (;;) {
      const ticket = await this.#tickets.current();
      if (!ticket.referees.some((each) => keyOf(each) === keyOf(this.#address))) return;
      const { why, session, code } = await this.#converse(ticket);
      if (session.superseded) throw new GiveUp(session.superseded);
      if (session.welcomed) this.#backoff.tries = 0;
      if (code === grpc.status.UNAUTHENTICATED) this.#tickets.refused(ticket);
      log(`connection to referee ${this.#address.id} lost: ${why}`);
      await sleep(this.#backoff.next());
    }
  }

  /** One stream from its beginning to its end. */
  #converse(ticket) {
    const credentials = this.#address.tls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
    const proxy = this.#address.local ? { "grpc.enable_http_proxy": 0 } : {}; // no proxy leads back to this machine
    const client = new grpc.Client(this.#address.target, credentials, { ...OPTIONS, ...proxy });
    const metadata = new grpc.Metadata();
    metadata.set("authorization", `Bearer ${ticket.text}`);
    const call = client.makeBidiStreamRequest(METHOD, (bytes) => bytes, readFrame, metadata);
    const session = new Session(call, this.#games, this.#Bot);
    return new Promise((resolve) => {
      const watch = this.#watch(call, session, (why) => end(why, null));
      const end = (why, code) => {
        watch.stop();
        session.close();
        call.cancel();
        client.close();
        resolve({ why, session, code });
      };
      call.on("data", (frame) => {
        watch.heard();
        session.receive(frame);
        if (session.superseded) end(session.superseded, null);
      });
      call.on("error", (error) => end(`${grpc.status[error.code]}: ${error.details}`, error.code));
      call.on("end", () => end("the referee ended the session", null));
    });
  }

  /** Ping the referee, and notice when it says nothing any more. */
  #watch(call, session, silent) {
    let last = Date.now();
    let heard = last;
    let pinged = last;
    let pings = 0;
    const timer = setInterval(() => {
      const now = Date.now();
      if (now - last > 2000) heard = Math.max(heard, now - 1000); // a long thought of ours, not the referee
      last = now;
      const pause = session.rests ? REST : PING;
      if (now - heard > pause + SLACK) {
        silent(`nothing heard for ${Math.round((now - heard) / 1000)} s`);
      } else if (now - pinged >= pause) {
        pinged = now;
        pings += 1;
        session.say({ ping: { id: pings } });
      }
    }, 1000);
    return {
      heard: () => {
        heard = Date.now();
      },
      stop: () => clearInterval(timer),
    };
  }
}

export function keyOf(address) {
  return `${address.id} ${address.target} ${address.tls}`;
}
