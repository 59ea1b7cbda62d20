// Frames as they come hold what changed; here they become whole tables that share what stayed the same.

const BY_SEAT = ["hands", "melds", "facts"];
const WHOLE = ["stock", "discard", "deal", "turn", "next"];

function follow(before, frame) {
  const table = { ...before };
  for (const name of BY_SEAT) {
    const news = frame[name];
    if (Array.isArray(news)) {
      table[name] = news;
    } else if (news !== undefined) {
      table[name] = before[name].map((old, seat) => news[seat] ?? old);
    }
  }
  for (const name of WHOLE) {
    if (frame[name] !== undefined) {
      table[name] = frame[name];
    }
  }
  return table;
}

/** Where deals begin and how far a deal is, from the frames. */
function dealStarts(frames) {
  return frames.flatMap((frame, at) => (frame.k === "deal" ? [at] : []));
}

/** A film: `seats`, `phases`, `frames` (event, text, clock), `tables` (what lies there after each), `deals` (first frames). */
export async function load(url) {
  const answer = await fetch(url, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    throw new Error(`The replay could not be loaded (${answer.status}).`);
  }
  const data = await answer.json();
  const tables = [];
  let table = {};
  for (const frame of data.frames) {
    table = follow(table, frame);
    tables.push(table);
  }
  return { ...data, tables, deals: dealStarts(data.frames) };
}
