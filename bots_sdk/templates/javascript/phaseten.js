// The conversation with phaseten: tickets, connections, handshakes, questions. Leave this file alone; your bot is in bot.js.
//
// `run(Bot)` gets a ticket from the site, keeps a stream open to every referee that the ticket names, and makes a bot for
// every game. All games of a referee share one stream, and outlive it: a lost connection is made again, and games go on.
// The messages are those of proto/phaseten/v1, read at start; names are in camelCase, enums are numbers, bytes are Buffers.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

const SDK = "phaseten-javascript/0.1.0";
const PROTOCOL = 1;
const METHOD = "/phaseten.v1.BotService/Connect";

// Milliseconds.
const PING = 5_000; // between our pings
const SILENCE = 8_000; // a referee that says nothing for so long is gone
const SHORTEST_PAUSE = 200; // before another try; it doubles
const LONGEST_PAUSE = 5_000;
const REFRESH = 300_000; // the age at which a ticket is replaced when one is needed
const SITE_TIMEOUT = 10_000;

const MAX_FRAME_BYTES = 64 * 1024;
const MAX_MESSAGE_BYTES = 4 * 1024;
const NOTE_BYTES = 500;
const NONCE_BYTES = 32;
const CRASHES_TO_RESIGN = 10; // a bot that fails this often in one game gives the game up

const definition = protoLoader.loadSync("phaseten/v1/bot.proto", {
  includeDirs: [fileURLToPath(new URL("proto", import.meta.url))],
  longs: String, // ids of pings have 64 bits, more than a number holds
  defaults: true,
  arrays: true,
  oneofs: true,
});
const { requestSerialize, responseDeserialize } = definition["phaseten.v1.BotService"].Connect;

/** The values of an enum of the schema by their names, such as `values("Stage").STAGE_DRAW`. */
export function values(name) {
  const found = definition[`phaseten.v1.${name}`];
  return Object.freeze(Object.fromEntries(found.type.value.map((each) => [each.name, each.number])));
}

const STAGE = values("Stage");
const OVER = values("GameOverKind");
const REASON = values("RejectReason");

class GiveUp extends Error {} // trying again would not help

function log(text) {
  console.error(`${new Date().toISOString()} ${text}`);
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Pauses that grow, at random: bots that lost one referee together come back one by one. */
class Backoff {
  tries = 0;

  next() {
    this.tries += 1;
    const most = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** Math.min(this.tries, 16));
    return SHORTEST_PAUSE + Math.random() * (most - SHORTEST_PAUSE);
  }
}

// ---- the site -------------------------------------------------------------------------------------------------------

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
class Tickets {
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

// ---- the shuffle ----------------------------------------------------------------------------------------------------

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

// ---- games ----------------------------------------------------------------------------------------------------------

const WILD = 49;
const SKIP = 50;

/** What the referee itself plays for a missing answer: lay and hit nothing, throw the dearest number card. */
export function defaultMove(view, rules) {
  if (view.table.stage === STAGE.STAGE_DRAW) return { draw: {} };
  const numbers = view.hand.filter((card) => card < WILD);
  const dearest = numbers.sort((one, other) => ((other - 1) % 12) - ((one - 1) % 12) || one - other)[0];
  const discard = dearest ?? (view.hand.includes(WILD) ? WILD : SKIP);
  const play = { discard };
  const chosen = rules.skipTarget === values("SkipTarget").SKIP_TARGET_CHOSEN;
  if (discard === SKIP && chosen && view.hand.length > 1) {
    const count = view.table.seats.length;
    const order = Array.from({ length: count - 1 }, (_, step) => (view.seat + step + 1) % count);
    play.skipTarget = order.find((seat) => view.table.seats[seat].mayBeSkipped);
  }
  return { play };
}

function cutNote(note) {
  const bytes = Buffer.from(String(note)).subarray(0, NOTE_BYTES);
  return new TextDecoder("utf-8", { fatal: false }).decode(bytes, { stream: true }); // drops half a character at the end
}

/** A running game and the bot that plays it. `answered` is the last answer, to be sent again if it may have been lost. */
class Game {
  session = null;
  handle = 0;
  started = false;
  events = 0;
  thinking = 0; // the question that the bot is at
  answered = null;
  crashes = 0;
  resigned = false;

  constructor(Bot, invite) {
    this.invite = invite;
    this.id = invite.gameId.toString("hex");
    this.share = new Share(invite);
    try {
      this.bot = new Bot(invite);
    } catch (error) {
      log(`game ${this.id}: the bot cannot be made, the game is given up: ${error.stack}`);
      this.resigned = true;
    }
  }

  start(nonces) {
    if (this.started) return;
    this.started = true;
    this.share.started(nonces);
    this.tell("gameStarted", this.invite);
  }

  /** Answer a question: by the bot, or by the default move if it fails. Told again, it is answered in the same way. */
  ask(question) {
    if (this.answered?.id === question.id) this.#send();
    if (this.thinking >= question.id) return;
    this.thinking = question.id;
    this.#answer(question).catch((error) => log(`game ${this.id}: question ${question.id}: ${error.stack}`));
  }

  async #answer(question) {
    const hadResigned = this.resigned;
    const decision = await this.#decide(question);
    if (this.thinking !== question.id) return; // it was asked something else in the meantime, or the game is over
    this.answered = { id: question.id, ...decision };
    this.#send();
    if (this.resigned && !hadResigned) this.session?.say({ resign: { game: this.handle } });
  }

  #send() {
    this.session?.say({ answer: { ...this.answered, game: this.handle } });
  }

  async #decide(question) {
    const { view } = question;
    const drawing = view.table.stage === STAGE.STAGE_DRAW;
    if (!this.resigned) {
      try {
        this.bot.timeLeft = { bankMs: question.bankMs, limitMs: question.limitMs, roundTripMs: question.roundTripMs };
        const move = drawing ? await this.bot.draw(view) : await this.bot.play(view);
        const decision = drawing ? { draw: move } : { play: move };
        if (this.bot.note) decision.note = cutNote(this.bot.note);
        this.bot.note = "";
        const bytes = frameOf({ answer: { id: question.id, game: this.handle, ...decision } }).length;
        if (!move || bytes > MAX_MESSAGE_BYTES) throw new TypeError(`this is no answer: ${JSON.stringify(move)}`);
        return decision;
      } catch (error) {
        this.crashes += 1;
        this.resigned = this.crashes >= CRASHES_TO_RESIGN;
        const then = this.resigned ? "the game is given up" : "the default move is played";
        log(`game ${this.id}: ${drawing ? "draw" : "play"} failed, ${then}: ${error.stack}`);
      }
    }
    return defaultMove(view, this.invite.ruleset);
  }

  /** What happened, without what was told before. */
  news({ first, events }) {
    this.resume(first);
    const fresh = events.slice(this.events - first);
    if (!fresh.length) return;
    this.events = first + events.length;
    this.tell("events", fresh);
  }

  /** The referee goes on from event number `told`. What is missing before it will never be told. */
  resume(told) {
    if (told <= this.events) return;
    this.events = told;
    this.tell("eventsMissed");
  }

  /** Call an optional method of the bot. What it throws is told and forgotten. */
  tell(method, ...what) {
    try {
      this.bot?.[method]?.(...what);
    } catch (error) {
      log(`game ${this.id}: ${method} failed, the game goes on: ${error.stack}`);
    }
  }

  close(over) {
    this.session = null;
    this.thinking = Number.MAX_SAFE_INTEGER;
    if (over) this.share.ended(over.serverSeed);
    if (this.share.problem) log(`game ${this.id}: the shuffle was not fair: ${this.share.problem}`);
    this.tell("gameOver", over);
  }
}

// ---- sessions -------------------------------------------------------------------------------------------------------

/** A message as a frame of its own. Frames in a row are one frame, so they only have to be joined. */
function frameOf(message) {
  return requestSerialize({ messages: [message] });
}

/** One stream's worth of conversation. `games` outlive it: it goes on with those that are still running. */
class Session {
  #call;
  #games;
  #Bot;
  #handles = new Map();
  #out = [];
  #flushing = false;
  #confirmed;
  #maxFrame = MAX_FRAME_BYTES;
  superseded = "";
  welcomed = false;

  constructor(call, games, Bot) {
    this.#call = call;
    this.#games = games;
    this.#Bot = Bot;
    this.#confirmed = games.size === 0; // whether the referee has said which of our games still run
    const hello = { protocol: PROTOCOL, sdk: SDK, language: `Node ${process.version}`, capacity: Bot.capacity ?? 8 };
    this.say({ hello });
  }

  /** Queue a message. All that is ready goes out in one frame. */
  say(message) {
    this.#out.push(frameOf(message));
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #flush() {
    this.#flushing = false;
    const waiting = this.#out;
    this.#out = [];
    for (let from = 0; from < waiting.length; ) {
      let to = from;
      for (let size = 0; to < waiting.length; to += 1) {
        size += waiting[to].length;
        if (to > from && size > this.#maxFrame) break;
      }
      this.#call.write(Buffer.concat(waiting.slice(from, to)));
      from = to;
    }
  }

  /** Take a frame in. Kinds of messages that a newer protocol has are passed over. */
  receive(frame) {
    for (const message of frame.messages) {
      try {
        this.#receivers[message.kind]?.(message[message.kind]);
      } catch (error) {
        log(`the referee's ${message.kind} cannot be understood, is this program too old? ${error.stack}`);
      }
    }
  }

  close() {
    for (const game of this.#games.values()) if (game.session === this) game.session = null;
  }

  #receivers = {
    welcome: (welcome) => {
      this.welcomed = true;
      this.#maxFrame = welcome.maxFrameBytes || MAX_FRAME_BYTES;
      log(`connected to referee ${welcome.referee}, up to ${welcome.capacity} games at once`);
    },
    invite: (invite) => {
      this.#confirm(new Set());
      this.#commit(this.#open(invite));
    },
    nonceCommits: ({ game: handle, commitments }) => {
      const nonce = this.#handles.get(handle)?.share.reveal(commitments);
      if (nonce) this.say({ nonceReveal: { game: handle, nonce } });
    },
    start: ({ game, nonces }) => this.#handles.get(game)?.start(nonces),
    question: (question) => this.#handles.get(question.game)?.ask(question),
    events: (events) => this.#handles.get(events.game)?.news(events),
    rejected: (rejected) => {
      const game = this.#handles.get(rejected.game);
      if (!game || rejected.reason === REASON.REJECT_REASON_STALE) return;
      log(`game ${game.id}: answer not accepted: ${rejected.text}`);
      game.tell("rejected", rejected);
    },
    fault: (fault) => {
      const game = this.#handles.get(fault.game);
      if (game) log(`game ${game.id}: fault ${fault.count} of ${fault.limit}`);
    },
    gameOver: (over) => {
      const game = this.#handles.get(over.game);
      this.#handles.delete(over.game);
      this.#end(game, over);
    },
    resync: ({ games, ended }) => {
      for (const over of ended) this.#end(this.#games.get(over.gameId.toString("hex")), over);
      const known = new Set();
      for (const entry of games) {
        const game = this.#open(entry.invite);
        known.add(game.id);
        if (entry.start) {
          game.start(entry.start.nonces);
          game.resume(entry.events);
        } else {
          this.#commit(game);
        }
        if (entry.question) game.ask(entry.question);
      }
      this.#confirm(known);
    },
    ping: ({ id }) => {
      this.#confirm(new Set());
      this.say({ pong: { id } });
    },
    drain: ({ graceMs }) => log(`the referee is going away; running games have ${graceMs / 1000} s left`),
    superseded: ({ text }) => {
      this.superseded = text || "a newer session of this bot took over";
    },
  };

  /** The game of an invitation: a known one goes on with its bot. */
  #open(invite) {
    const id = invite.gameId.toString("hex");
    const game = this.#games.get(id) ?? new Game(this.#Bot, invite);
    game.session = this;
    game.handle = invite.game;
    this.#games.set(id, game);
    this.#handles.set(invite.game, game);
    if (game.resigned) this.say({ resign: { game: game.handle } });
    return game;
  }

  #end(game, over) {
    if (!game) return;
    this.#games.delete(game.id);
    const place = over.result?.places[game.invite.seat];
    log(`game ${game.id}: ${over.kind === OVER.GAME_OVER_KIND_VOID ? `called off: ${over.text}` : `place ${place}`}`);
    game.close(over);
  }

  /** Take part in the shuffle; the same share again after a reconnect. */
  #commit(game) {
    if (!game.resigned) this.say({ nonceCommit: { game: game.handle, commitment: game.share.commitment } });
  }

  /** The referee has named the games that still run. It does so right after Welcome; if it did not, none do. */
  #confirm(known) {
    if (this.#confirmed) return;
    this.#confirmed = true;
    for (const game of [...this.#games.values()].filter((each) => !known.has(each.id))) {
      this.#games.delete(game.id);
      log(`game ${game.id}: it was over when the bot came back`);
      game.close(null);
    }
  }
}

// ---- connections ----------------------------------------------------------------------------------------------------

const OPTIONS = {
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.initial_reconnect_backoff_ms": 200,
  "grpc.max_reconnect_backoff_ms": 5_000,
  "grpc.max_receive_message_length": 16 * 1024 * 1024,
  "grpc.use_local_subchannel_pool": 1, // a new connection for every try, never the dead one again
};

/** The connection to one referee, made again whenever it is lost. */
class Link {
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
    const call = client.makeBidiStreamRequest(METHOD, (bytes) => bytes, responseDeserialize, metadata);
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
      if (now - heard > SILENCE) {
        silent(`nothing heard for ${Math.round((now - heard) / 1000)} s`);
      } else if (now - pinged >= PING) {
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

function keyOf(address) {
  return `${address.id} ${address.target} ${address.tls}`;
}

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
