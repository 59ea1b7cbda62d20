// The conversation on one stream: what a referee says goes to the games, what they say goes out in frames.

import { log } from "./basics.js";
import { Game } from "./game.js";
import { PROTOCOL, SDK, frameOf, values } from "./schema.js";

const OVER = values("GameOverKind");
const REASON = values("RejectReason");

const MAX_FRAME_BYTES = 64 * 1024;

/** One stream's worth of conversation. `games` outlive it: it goes on with those that are still running. */
export class Session {
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

  /** Whether the session is open and no game runs. */
  get rests() {
    return this.welcomed && this.#games.size === 0;
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
