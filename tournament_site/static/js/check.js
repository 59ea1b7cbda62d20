// The game page's "Check this game": fetches the replay's bytes, has them verified in a worker, and shows what came of it.

const box = document.querySelector("[data-check]");
const part = (name) => box.querySelector(`[data-part="${name}"]`);

const TITLES = {
  sha256: "SHA-256",
  identity: "Game",
  rules: "Rules",
  commitment: "Referee's commitment",
  nonces: "Shares",
  "first dealer": "First dealer",
  shuffles: "Shuffles",
  events: "Events",
  result: "Result",
  answers: "Answers",
};
// A sign and a word for each state: no state is told by its colour alone.
const STATES = {
  fine: ["✓", "fine"],
  differs: ["✗", "differs"],
  "not compared": ["–", "not compared"],
  "not reached": ["–", "not reached"],
};

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

function row({ check, state, text }) {
  const [sign, word] = STATES[state];
  const mark = element("span", "mark", sign);
  mark.setAttribute("aria-hidden", "true");
  const line = element("li", state.replace(" ", "-"), mark, element("b", "", TITLES[check]), element("span", "sr", `: ${word}.`));
  line.append(" ", element("span", "muted", text || word));
  return line;
}

function fact(title, ...children) {
  return element("div", "", element("dt", "", title), element("dd", "", ...children));
}

/** Where it is: a link to the moment in the replay, where it is about an event. */
function where({ check, event, place }) {
  const parts = [`${TITLES[check]}${place ? `: ${place}` : ""}`];
  if (event !== null) {
    const link = element("a", "", `event ${event}`);
    link.href = `#m=${event}`;
    parts.push(", ", link);
  }
  return parts;
}

function show(report) {
  const { verdict, difference, problem, checks } = report;
  const sentences = {
    fine: "Everything that can be worked out again is as the replay says.",
    differs: "Something does not follow. The first difference:",
    unreadable: `This replay cannot be read: ${problem}.`,
  };
  say(sentences[verdict], verdict === "fine" ? "fine" : "bad");
  part("list").replaceChildren(...checks.map(row));
  part("list").hidden = part("seats").hidden = !checks.length;
  const facts = difference
    ? [fact("Where", ...where(difference)), fact("The replay says", difference.says), fact("What follows", difference.follows)]
    : [];
  part("difference").replaceChildren(...facts);
  part("difference").hidden = !difference;
}

function say(text, mood) {
  part("verdict").textContent = text;
  part("verdict").dataset.mood = mood;
}

async function bytesOf(url) {
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`The replay could not be loaded (${answer.status}).`);
  }
  return new Uint8Array(await answer.arrayBuffer());
}

/** The report of a worker that lives as long as the check. */
function verified(bytes, known) {
  const worker = new Worker(box.dataset.worker, { type: "module" });
  return new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => (data.report ? resolve(data.report) : reject(new Error(data.error))));
    worker.addEventListener("error", () => reject(new Error("The verifier could not be started.")));
    worker.postMessage({ bytes, known });
  }).finally(() => worker.terminate());
}

async function check() {
  const { check: url, sha256, game, commitment } = box.dataset;
  say("Checking …", "");
  try {
    show(await verified(await bytesOf(url), { sha256, gameId: game, commitment }));
  } catch (error) {
    say(`It could not be checked: ${error.message}`, "bad");
  }
}

let running = false;
part("start").hidden = false;
part("start").addEventListener("click", async () => {
  if (!running) {
    running = true;
    await check();
    running = false;
  }
});
