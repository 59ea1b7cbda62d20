// A running game: the public table, asked for once a second while somebody looks.

import { sentence } from "./cards.js";
import { Table } from "./table.js";

const PAUSE = 1000;
const SHOWN = 60;
const stage = document.querySelector("[data-live]");
const data = JSON.parse(document.getElementById("live-seats").textContent);
const list = stage.querySelector("[data-part=moves]");
const waiting = stage.querySelector("[data-part=waiting]");
let table = null;
let seen = -1;

function row(move, number) {
  const item = document.createElement("li");
  item.className = `move m-${move.k}`;
  item.value = number;
  const text = document.createElement("span");
  text.append(...sentence(move.s === null ? move.t : [[move.s], " ", ...move.t], data.seats));
  item.append(text);
  return item;
}

function show(live) {
  if (table === null) {
    table = new Table(stage.querySelector("[data-part=table]"), data.seats, data.phases);
    stage.querySelector("[data-part=board]").hidden = false;
    waiting.hidden = true;
  }
  stage.querySelector("[data-part=over]").hidden = !live.over;
  const last = live.moves.at(-1) ?? { k: "start", t: [], s: null };
  table.show(live.table, { ...last, s: last.s ?? undefined }, null);
  const end = live.number + live.moves.length;
  const fresh = live.moves.slice(Math.max(0, seen + 1 - live.number));
  const first = end - fresh.length;
  seen = Math.max(seen, end - 1);
  fresh.forEach((move, index) => list.prepend(row(move, first + index)));
  while (list.children.length > SHOWN) {
    list.lastElementChild.remove();
  }
}

async function look() {
  const answer = await fetch(stage.dataset.live, { headers: { Accept: "application/json" }, cache: "no-store" });
  if (!answer.ok) {
    return;
  }
  const news = await answer.json();
  if (news.state !== "RUNNING") {
    location.reload();
    return;
  }
  if (news.live) {
    show(news.live);
  }
}

for (;;) {
  if (!document.hidden) {
    try {
      await look();
    } catch {
      // tried again in a second
    }
  }
  await new Promise((resolve) => {
    setTimeout(resolve, PAUSE);
  });
}
