// A game and its bot: questions go to the bot, and what it answers, or the default move, goes back.

import { log } from "./basics.js";
import { frameOf, values } from "./schema.js";
import { Share } from "./share.js";

const STAGE = values("Stage");
const SKIP_TARGET = values("SkipTarget");

const WILD = 49;
const SKIP = 50;

const MAX_MESSAGE_BYTES = 4 * 1024;
const NOTE_BYTES = 500;
const CRASHES_TO_RESIGN = 10; // a bot that fails this often in one game gives the game up

/** What the referee itself plays for a missing answer: lay and hit nothing, throw the dearest number card. */
export function defaultMove(view, rules) {
  if (view.table.stage === STAGE.STAGE_DRAW) return { draw: {} };
  const numbers = view.hand.filter((card) => card < WILD);
  const dearest = numbers.sort((one, other) => ((other - 1) % 12) - ((one - 1) % 12) || one - other)[0];
  const discard = dearest ?? (view.hand.includes(WILD) ? WILD : SKIP);
  const play = { discard };
  const chosen = rules.skipTarget === SKIP_TARGET.SKIP_TARGET_CHOSEN;
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
export class Game {
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
