// A replay's bytes, checked from end to end; the report is the one that `phaseten verify --json` prints.

import { hex } from "./bytes.js";
import { Differs } from "./difference.js";
import { readLog } from "./log.js";
import { PRESETS, sameRules } from "./presets.js";
import { Unreadable } from "./protobuf.js";
import { decodeReplay } from "./replay.js";
import { problemOf } from "./rules.js";
import { checkCommitment, checkNonces, keyOf } from "./seeds.js";
import { seededDecks, sha256 } from "./shuffle.js";
import { words } from "./words.js";

/** All checks, in order; one that fails is the last. */
export const CHECKS = [
  "sha256",
  "identity",
  "rules",
  "commitment",
  "nonces",
  "first dealer",
  "shuffles",
  "events",
  "result",
  "answers",
];
const IN_THE_LOG = ["first dealer", "shuffles", "events"];

/**
 * Checks a replay. `known` is what is known of it from elsewhere, all of it optional: `sha256`, `commitment` (digits) and
 * `gameId` (a UUID). Returns a report: `verdict` is "fine", "differs" or "unreadable".
 */
export async function verify(bytes, known = {}) {
  const digest = hex(await sha256(bytes));
  let replay;
  try {
    replay = decodeReplay(bytes);
  } catch (error) {
    if (!(error instanceof Unreadable)) {
      throw error;
    }
    return { verdict: "unreadable", sha256: digest, game: {}, checks: [], difference: null, problem: error.message };
  }
  const checks = [];
  const difference = await run(replay, digest, known, checks);
  const verdict = difference ? "differs" : "fine";
  return { verdict, sha256: digest, game: gameOf(replay), checks, difference, problem: "" };
}

function gameOf(replay) {
  const [start] = replay.events;
  return {
    game_id: replay.gameUuid,
    match_id: replay.matchUuid,
    attempt: replay.attempt,
    index: replay.gameIndex,
    seats: replay.seats.length,
    rules: start?.kind === "gameStarted" ? start.ruleset.name : "",
    mirrored: replay.mirrored,
  };
}

/** Makes the checks until one fails; `checks` has an entry for each of them then. Returns the difference or null. */
async function run(replay, digest, known, checks) {
  const fine = (check, text) => checks.push({ check, state: "fine", text });
  try {
    checks.push(checkBytes(digest, known.sha256));
    checks.push(checkIdentity(replay, known.gameId));
    fine("rules", checkRules(replay));
    fine("commitment", await checkCommitment(replay, known.commitment));
    fine("nonces", await checkNonces(replay));
    const found = await readLog(replay.events, seededDecks(await keyOf(replay)));
    for (const [check, text] of logWords(replay.events)) {
      fine(check, text);
    }
    checkResult(replay.result, found.result);
    fine("result", `places ${replay.result.places.join(" ")}, points ${replay.result.points.join(" ")}`);
    fine("answers", checkAnswers(replay.answers, replay.events, found.asked));
    return null;
  } catch (error) {
    if (!(error instanceof Differs)) {
      throw error;
    }
    failed(error.difference, checks);
    return error.difference;
  }
}

function failed(difference, checks) {
  const { event, place } = difference;
  for (const check of CHECKS.slice(checks.length)) {
    if (check === difference.check) {
      const where = event === null ? place : [`event ${event}`, place].filter(Boolean).join(", ");
      checks.push({ check, state: "differs", text: where });
    } else {
      const read = IN_THE_LOG.includes(check) && IN_THE_LOG.includes(difference.check);
      checks.push({ check, state: "not reached", text: read ? `no difference before event ${event}` : "" });
    }
  }
}

function checkBytes(digest, said) {
  if (!said) {
    const text = "not known from elsewhere; it alone vouches for names, clocks and notes";
    return { check: "sha256", state: "not compared", text };
  }
  if (said !== digest) {
    throw new Differs("sha256", digest, said, { place: "sha256 of the bytes" });
  }
  return { check: "sha256", state: "fine", text: "of the bytes is the one that was named" };
}

function checkIdentity(replay, gameId) {
  if (!gameId) {
    return { check: "identity", state: "not compared", text: "which game it should be is not known from elsewhere" };
  }
  if (replay.gameUuid !== gameId) {
    throw new Differs("identity", replay.gameUuid, gameId, { place: "game" });
  }
  return { check: "identity", state: "fine", text: "it is the game that was asked for" };
}

/** The log begins with rules that can be played, and that are what they are called. */
function checkRules(replay) {
  const [start] = replay.events;
  const seats = replay.seats.length;
  if (start?.kind !== "gameStarted") {
    throw new Differs("rules", start ? words(start) : "nothing", "the beginning of a game", { event: 0 });
  }
  const { ruleset, terms } = start;
  if (start.seats !== seats) {
    throw new Differs("rules", `${start.seats} seats`, `${seats} seats, as in the replay's head`, { event: 0, place: "seats" });
  }
  const problem = problemOf(ruleset, terms, seats);
  if (problem) {
    throw new Differs("rules", "rules that make no sense", problem[1], { event: 0, place: problem[0] });
  }
  const { name } = ruleset;
  if (!Object.hasOwn(PRESETS, name)) {
    return `${seats} seats by rules of their own, ${name}`;
  }
  if (!sameRules(PRESETS[name], ruleset)) {
    const says = `other rules than those called ${name}`;
    throw new Differs("rules", says, `${name} as published`, { event: 0, place: "ruleset" });
  }
  return `${seats} seats by the rules ${name}, as published`;
}

const count = (events, kind) => events.filter((event) => event.kind === kind).length;

/** How the checks went that are made while the log is read. */
function logWords(events) {
  const [{ terms }, { dealer }] = events;
  const deals = count(events, "dealStarted");
  const reshuffles = count(events, "stockRebuilt");
  return [
    ["first dealer", `seat ${dealer}, ${terms.firstDealer === "seeded" ? "drawn from the key" : "by the terms"}`],
    ["shuffles", `${deals} deals and ${reshuffles} reshuffles come from the key`],
    ["events", `${events.length} events follow from rules and moves`],
  ];
}

function checkResult(says, follows) {
  for (const field of ["cause", "places", "points", "completed", "faults", "forfeits", "deals"]) {
    const mine = says[field];
    const theirs = follows[field];
    if (!Array.isArray(mine)) {
      if (mine !== theirs) {
        throw new Differs("result", String(mine), String(theirs), { place: field });
      }
      continue;
    }
    if (mine.length !== theirs.length) {
      throw new Differs("result", `${mine.length} seats`, `${theirs.length} seats`, { place: field });
    }
    const seat = mine.findIndex((value, at) => value !== theirs[at]);
    if (seat >= 0) {
      const place = `${field} of seat ${seat}`;
      throw new Differs("result", String(mine[seat] ?? "none"), String(theirs[seat] ?? "none"), { place });
    }
  }
}

/** Every answer stands where its seat had to decide, one after the other. Times and notes cannot be worked out again. */
function checkAnswers(answers, events, asked) {
  let before = -1;
  for (const [number, { event, seat }] of answers.entries()) {
    const where = { event, place: `answer ${number}` };
    if (event <= before) {
      throw new Differs("answers", `event ${event}`, `an event after ${before}`, where);
    }
    const decides = asked.get(event);
    if (decides !== seat) {
      const none = event < events.length ? "no decision begins there" : `there are ${events.length} events`;
      throw new Differs("answers", `seat ${seat} decides`, decides === undefined ? none : `seat ${decides} decides`, where);
    }
    before = event;
  }
  const faults = count(events, "seatFaulted") + count(events, "seatForfeited");
  const beside = faults ? `, beside ${faults} faults and forfeits` : "";
  return `${answers.length} answers, in order, each where its seat had to decide${beside}`;
}
