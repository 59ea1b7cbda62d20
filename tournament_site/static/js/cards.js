// Cards: kinds 0-47 are colour * 12 + number - 1, 48 is the Wild, 49 the Skip. Colour never stands alone: each has a shape.

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = ["red", "blue", "green", "yellow"];
const LETTERS = "rbgy";
export const WILD = 48;
export const SKIP = 49;

const letter = (kind) => (kind < WILD ? LETTERS[Math.floor(kind / 12)] : kind === WILD ? "w" : "s");
const label = (kind) => (kind < WILD ? String((kind % 12) + 1) : kind === WILD ? "W" : "S");

/** A card's name for people who hear the page. */
export function nameOf(kind) {
  if (kind === null) {
    return "a covered card";
  }
  return kind < WILD ? `${COLOURS[Math.floor(kind / 12)]} ${(kind % 12) + 1}` : kind === WILD ? "Wild" : "Skip";
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const use = (id, x, y, size, more = {}) => svg("use", { href: `#${id}`, x, y, width: size, height: size, ...more });

function face(kind) {
  const rim = svg("rect", { class: "face", x: 0.75, y: 0.75, width: 58.5, height: 82.5, rx: 7 });
  const corner = svg("text", { class: "corner", x: 11.5, y: 19 }, label(kind));
  if (kind >= WILD) {
    const art = kind === WILD ? "wild-art" : "skip-art";
    return [rim, corner, use(art, 10, 20, 44)];
  }
  const shape = `s-${letter(kind)}`;
  return [
    rim,
    corner,
    use(shape, 6.5, 24, 10),
    use(shape, 13, 25, 38, { class: "tint" }),
    svg("text", { class: "middle", x: 32, y: 54.5 }, label(kind)),
    use(shape, 44, 68, 10),
  ];
}

/** A card as a picture; `null` is its back. `stands` is what a Wild in a meld stands for. */
export function card(kind, { moved = false, stands = null } = {}) {
  const name = stands === null ? nameOf(kind) : `${nameOf(kind)} as ${stands}`;
  const colour = kind === null ? "back" : `c-${letter(kind)}`;
  const picture = svg("svg", {
    class: `card ${colour}${moved ? " moved" : ""}`,
    viewBox: "0 0 60 84",
    role: "img",
    "aria-label": name,
  });
  if (kind === null) {
    picture.append(svg("use", { href: "#back-art", width: 60, height: 84 }));
  } else {
    picture.append(...face(kind));
    if (stands !== null) {
      picture.append(svg("text", { class: "stands", x: 30, y: 78 }, stands));
    }
  }
  return picture;
}

/** A card inside a sentence. */
export function chip(kind) {
  const part = document.createElement("span");
  part.className = `chip k-${kind === null ? "x" : letter(kind)}`;
  part.title = nameOf(kind);
  if (kind !== null && kind < WILD) {
    part.append(svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("use", { href: `#s-${letter(kind)}` })));
  }
  part.append(kind === null ? "?" : label(kind));
  return part;
}

/** A sentence from its parts: strings, kinds, and lists that hold one seat. `covered` hides the cards. */
export function sentence(parts, seats, covered = false) {
  return parts.map((part) => {
    if (typeof part === "number") {
      return chip(covered ? null : part);
    }
    if (Array.isArray(part)) {
      const name = document.createElement("bdi");
      name.textContent = seats[part[0]].name;
      return name;
    }
    return part;
  });
}

/** The same sentence as plain text, for the ear. */
export function spoken(parts, seats, covered = false) {
  return parts
    .map((part) => (typeof part === "number" ? nameOf(covered ? null : part) : Array.isArray(part) ? seats[part[0]].name : part))
    .join(" ")
    .replace(/\s+/g, " ");
}
