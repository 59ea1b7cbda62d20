// The replay page: film, table, controls, move list, keys and the address bar, wired together.

import { sentence, spoken } from "./cards.js";
import { load } from "./film.js";
import { Player } from "./player.js";
import { Table } from "./table.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const stage = document.querySelector("[data-film]");
const part = (name) => stage.querySelector(`[data-part="${name}"]`);

const seconds = (ms) => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

class Viewer {
  constructor(film) {
    this.film = film;
    this.table = new Table(part("table"), film.seats, film.phases);
    this.player = new Player(film.frames.length, film.deals, () => this.show());
    this.moves = new Map([...document.querySelectorAll("[data-move]")].map((row) => [Number(row.dataset.move), row]));
    this.chapters = [...document.querySelectorAll("[data-chapter]")];
    this.chapters.forEach((chapter) => chapter.removeAttribute("open")); // the current one is opened as the film goes
    this.list = document.querySelector("[data-moves]");
    this.current = null;
    this.chapter = null;
    this.pov = this.askedPov();
    part("scrubber").max = String(this.player.last);
    this.ticks();
    this.listen();
  }

  askedPov() {
    const asked = Number.parseInt(new URLSearchParams(location.search).get("pov") ?? "", 10);
    return asked >= 0 && asked < this.film.seats.length ? asked : null;
  }

  askedFrame() {
    const found = /^#m=(\d{1,7})$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  }

  ticks() {
    const marks = part("ticks");
    marks.replaceChildren(
      ...this.film.deals.map((start) => {
        const mark = document.createElement("i");
        mark.style.setProperty("--at", String(start / Math.max(1, this.player.last)));
        return mark;
      }),
    );
  }

  listen() {
    const on = (name, act) => part(name).addEventListener("click", act);
    on("first", () => this.player.step(-Infinity));
    on("back", () => this.player.step(-1));
    on("play", () => this.player.toggle());
    on("forward", () => this.player.step(1));
    on("end", () => this.player.step(Infinity));
    on("deal-back", () => this.player.chapter(-1));
    on("deal-forward", () => this.player.chapter(1));
    on("help", () => part("keys").showModal());
    part("scrubber").addEventListener("input", (event) => {
      this.player.pause();
      this.player.seek(Number(event.target.value));
    });
    part("speed").addEventListener("change", (event) => this.setSpeed(Number(event.target.value)));
    part("pov").addEventListener("change", (event) => this.setPov(event.target.value === "" ? null : Number(event.target.value)));
    this.list.addEventListener("click", (event) => this.pick(event));
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.seekHash());
  }

  pick(event) {
    const row = event.target.closest("[data-move]");
    if (row) {
      event.preventDefault();
      this.player.pause();
      this.player.seek(Number(row.dataset.move));
    }
  }

  seekHash() {
    const asked = this.askedFrame();
    if (asked !== null && asked !== this.player.at) {
      this.player.pause();
      this.player.seek(asked);
    }
  }

  setSpeed(speed) {
    this.player.speed = speed;
    part("speed").value = String(speed);
  }

  setPov(pov) {
    this.pov = pov;
    const url = new URL(location.href);
    if (pov === null) {
      url.searchParams.delete("pov");
    } else {
      url.searchParams.set("pov", String(pov));
    }
    history.replaceState(null, "", url);
    this.show();
  }

  faster(by) {
    const next = SPEEDS[SPEEDS.indexOf(this.player.speed) + by];
    if (next) {
      this.setSpeed(next);
    }
  }

  nextPov() {
    const next = this.pov === null ? 0 : this.pov + 1;
    this.setPov(next < this.film.seats.length ? next : null);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || part("keys").open) {
      return;
    }
    const target = event.target;
    const act = this.action(event);
    const typing = target.closest("input:not([type=range]), select, textarea");
    const presses = event.key === " " && target.closest("button, a, summary");
    if (act && !typing && !presses) {
      event.preventDefault();
      act();
    }
  }

  action(event) {
    const player = this.player;
    const byDeal = event.shiftKey;
    const actions = {
      ArrowLeft: () => (byDeal ? player.chapter(-1) : player.step(-1)),
      ArrowRight: () => (byDeal ? player.chapter(1) : player.step(1)),
      PageUp: () => player.chapter(-1),
      PageDown: () => player.chapter(1),
      Home: () => player.step(-Infinity),
      End: () => player.step(Infinity),
      " ": () => player.toggle(),
      "+": () => this.faster(1),
      "-": () => this.faster(-1),
      v: () => this.nextPov(),
      "?": () => part("keys").showModal(),
    };
    return actions[event.key];
  }

  covered(frame) {
    return Boolean(frame.secret) && this.pov !== null && frame.s !== this.pov;
  }

  show() {
    const { at, playing } = this.player;
    const frame = this.film.frames[at];
    this.table.show(this.film.tables[at], frame, this.pov);
    part("scrubber").value = String(at);
    part("scrubber").setAttribute("aria-valuetext", `Event ${at} of ${this.player.last}`);
    part("count").textContent = `${at} / ${this.player.last}`;
    part("play").setAttribute("aria-pressed", String(playing));
    part("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    part("pov").value = this.pov === null ? "" : String(this.pov);
    this.list.dataset.pov = this.pov === null ? "all" : String(this.pov);
    this.caption(frame);
    this.mark(at);
    if (!playing) {
      this.keepAddress(at);
    }
  }

  caption(frame) {
    const who = frame.s === undefined ? [] : [[frame.s], " "];
    const parts = [...who, ...frame.t];
    part("caption").replaceChildren(...sentence(parts, this.film.seats, this.covered(frame)));
    part("note").textContent = frame.note && (this.pov === null || this.pov === frame.s) ? frame.note : "";
    const [think, , bank] = frame.clock ?? [];
    part("clock").textContent = frame.clock ? `thought ${seconds(think)}, ${seconds(bank)} left in the bank` : "";
    if (!this.player.playing) {
      part("spoken").textContent = spoken(parts, this.film.seats, this.covered(frame));
    }
  }

  mark(at) {
    this.current?.removeAttribute("aria-current");
    this.current = this.moves.get(at) ?? null;
    this.current?.setAttribute("aria-current", "true");
    const chapter = this.chapters.filter((each) => Number(each.dataset.chapter) <= at).at(-1) ?? null;
    if (chapter !== this.chapter) {
      this.chapter?.removeAttribute("open");
      chapter?.setAttribute("open", "");
      this.chapter = chapter;
    }
    this.follow();
  }

  /** Scrolls the move list alone, never the page. */
  follow() {
    const row = this.current ?? this.chapter;
    if (row) {
      const list = this.list.getBoundingClientRect();
      const place = row.getBoundingClientRect();
      this.list.scrollTop += place.top - list.top - list.height / 3;
    }
  }

  keepAddress(at) {
    const url = new URL(location.href);
    url.hash = at ? `m=${at}` : "";
    if (url.href !== location.href) {
      history.replaceState(null, "", url);
    }
  }

  begin() {
    this.player.at = 0;
    const asked = this.askedFrame() ?? this.film.deals[0] ?? 0;
    this.player.seek(asked);
    this.show();
  }
}

try {
  const viewer = new Viewer(await load(stage.dataset.film));
  stage.hidden = false;
  document.querySelector("[data-viewer]").classList.add("ready");
  viewer.begin();
} catch (error) {
  const note = document.querySelector("[data-part=problem]");
  note.textContent = error.message;
  note.hidden = false;
}
