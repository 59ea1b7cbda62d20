// What a game's cards come from: the seed that was committed to, the shares of the seats, and the key they make.

import { equal, hex, isZero } from "./bytes.js";
import { Differs } from "./difference.js";
import { contextOf, matchKey, nonceCommit, serverCommit } from "./shuffle.js";

const SEED_BYTES = 64;
const COMMITMENT_BYTES = 64;
const NONCE_BYTES = 32;

/** What the commitments of a replay are bound to: a mirrored game's cards are those of its match. */
const contextFor = (replay) => contextOf(replay.mirrored ? replay.matchId : replay.gameId, replay.attempt, replay.seats.length);

/** The seed is the one that was committed to; `shown` are the digits of the commitment that was known before the first card. */
export async function checkCommitment(replay, shown) {
  const { serverSeed, commitment } = replay;
  if (serverSeed.length !== SEED_BYTES) {
    throw new Differs("commitment", `${serverSeed.length} bytes`, `${SEED_BYTES} bytes`, { place: "seed" });
  }
  const said = hex(commitment);
  if (shown && shown !== said) {
    throw new Differs("commitment", said, `${shown}, shown before the game`, { place: "commitment" });
  }
  const made = hex(await serverCommit(contextFor(replay), serverSeed));
  if (made !== said) {
    throw new Differs("commitment", said, `${made}, from the seed`, { place: "commitment" });
  }
  return `belongs to the referee's seed${shown ? ", and was shown before the game" : ""}`;
}

/** Every share is the one that its seat committed to. */
export async function checkNonces(replay) {
  const seats = replay.seats.length;
  if (replay.nonces.length !== seats) {
    const says = `${replay.nonces.length} shares`;
    throw new Differs("nonces", says, `${seats}, one a seat`, { place: "number of shares" });
  }
  const context = contextFor(replay);
  const found = { "shared in as committed": [], "took no part": [], "kept the share back and forfeited": [] };
  for (const [seat, share] of replay.nonces.entries()) {
    found[await stance(context, seat, share, replay.events)].push(seat);
  }
  const parts = Object.entries(found).filter(([, list]) => list.length);
  return parts.map(([words, list]) => `seat${list.length > 1 ? "s" : ""} ${list.join(", ")} ${words}`).join("; ");
}

/** What a seat did about the shuffle. */
async function stance(context, seat, { commitment, nonce }, events) {
  if (!commitment.length) {
    if (nonce.length !== NONCE_BYTES || !isZero(nonce)) {
      const says = `${hex(nonce)} without a commitment`;
      throw new Differs("nonces", says, `${NONCE_BYTES} zero bytes`, { place: `nonce of seat ${seat}` });
    }
    return "took no part";
  }
  mustMeasure(`commitment of seat ${seat}`, commitment, COMMITMENT_BYTES);
  mustMeasure(`nonce of seat ${seat}`, nonce, NONCE_BYTES);
  const made = await nonceCommit(context, seat, nonce);
  if (equal(made, commitment)) {
    return "shared in as committed";
  }
  const place = `commitment of seat ${seat}`;
  if (!isZero(nonce)) {
    throw new Differs("nonces", hex(commitment), `${hex(made)}, from the nonce`, { place });
  }
  if (!leftAtOnce(seat, events)) {
    throw new Differs("nonces", "a share that was never shown", "a seat that forfeits as no_show at once", { place });
  }
  return "kept the share back and forfeited";
}

function mustMeasure(place, bytes, size) {
  if (bytes.length !== size) {
    throw new Differs("nonces", `${bytes.length} bytes`, `${size} bytes`, { place });
  }
}

/** Whether a seat forfeits before it draws a card: else somebody could choose between two decks. */
function leftAtOnce(seat, events) {
  const left = events.findIndex((event) => event.kind === "seatForfeited" && event.seat === seat && event.cause === "no_show");
  const drew = events.findIndex((event) => event.kind === "cardDrawn" && event.seat === seat);
  return left >= 0 && (drew < 0 || left < drew);
}

export const keyOf = (replay) => matchKey(contextFor(replay), replay.serverSeed, replay.nonces.map((share) => share.nonce));
