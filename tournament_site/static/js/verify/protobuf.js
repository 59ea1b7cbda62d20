// Reads protobuf messages (proto3) by a schema: as much of the format as replays need, and nothing that writes.
//
// What the schema does not know is skipped, as every reader of protobuf does. A field that comes twice counts as the format
// says: the last number wins, messages are merged, lists go on.

export class Unreadable extends Error {}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const GROUP = 3;
const GROUP_END = 4;
const FIXED32 = 5;

const NUMBERS = {
  uint32: (low) => low >>> 0,
  uint64: (low, high) => high * 2 ** 32 + (low >>> 0),
  bool: (low, high) => low !== 0 || high !== 0,
  enum: (low) => low | 0,
};
const EMPTY = { string: "", bytes: new Uint8Array(), bool: false, uint32: 0, uint64: 0, enum: 0 };
const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

class Cursor {
  constructor(bytes, at, end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.high = 0;
  }

  get done() {
    return this.at >= this.end;
  }

  byte() {
    if (this.done) {
      throw new Unreadable("these bytes are no replay");
    }
    return this.bytes[this.at++];
  }

  /** The low 32 bits of a number; the others are in `high`. */
  varint() {
    let low = 0;
    this.high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (shift < 28) {
        low |= bits << shift;
      } else if (shift === 28) {
        low |= bits << 28;
        this.high = bits >>> 4;
      } else {
        this.high = (this.high | (shift < 63 ? bits << (shift - 32) : bits << 31)) >>> 0;
      }
      if (byte < 0x80) {
        return low;
      }
    }
    throw new Unreadable("these bytes are no replay");
  }

  /** The part that a length stands before. */
  part() {
    const length = this.varint() >>> 0;
    const from = this.at;
    if (this.high || length > this.end - from) {
      throw new Unreadable("these bytes are no replay");
    }
    this.at = from + length;
    return new Cursor(this.bytes, from, from + length);
  }

  skip(wire, field) {
    if (wire === VARINT) {
      this.varint();
    } else if (wire === BYTES) {
      this.part();
    } else if (wire === FIXED32 || wire === FIXED64) {
      this.at += wire === FIXED32 ? 4 : 8;
      if (this.at > this.end) {
        throw new Unreadable("these bytes are no replay");
      }
    } else if (wire === GROUP) {
      this.skipGroup(field);
    } else {
      throw new Unreadable("these bytes are no replay");
    }
  }

  skipGroup(field) {
    for (;;) {
      const [inner, wire] = this.tag();
      if (wire === GROUP_END) {
        if (inner !== field) {
          throw new Unreadable("these bytes are no replay");
        }
        return;
      }
      this.skip(wire, inner);
    }
  }

  tag() {
    const tag = this.varint();
    const field = tag >>> 3;
    if (!field || this.high) {
      throw new Unreadable("these bytes are no replay");
    }
    return [field, tag & 7];
  }
}

/** A message with nothing in it. */
export function blank(schema, type) {
  const message = {};
  for (const field of Object.values(schema[type])) {
    if (field.oneof) {
      message[field.oneof] = null;
    } else if (field.repeated) {
      message[field.name] = [];
    } else {
      message[field.name] = field.optional ? null : (EMPTY[field.type] ?? null);
    }
  }
  return message;
}

/**
 * Reads a message. Fields are properties; a message that is absent, and an optional number, is null; a oneof is null or
 * `{ kind, value }`. Throws Unreadable.
 */
export function read(schema, type, bytes) {
  return fill(schema, type, new Cursor(bytes, 0, bytes.length), blank(schema, type));
}

function fill(schema, type, cursor, message) {
  const fields = schema[type];
  while (!cursor.done) {
    const [number, wire] = cursor.tag();
    const field = fields[number];
    const isNumber = field && field.type in NUMBERS;
    if (!field || (wire !== (isNumber ? VARINT : BYTES) && !(isNumber && field.repeated && wire === BYTES))) {
      cursor.skip(wire, number);
    } else if (isNumber) {
      numbers(cursor, wire, field, message);
    } else {
      put(message, field, (old) => value(schema, field, cursor.part(), old));
    }
  }
  return message;
}

function numbers(cursor, wire, field, message) {
  const take = (from) => NUMBERS[field.type](from.varint(), from.high);
  if (wire === VARINT) {
    put(message, field, () => take(cursor));
    return;
  }
  for (const packed = cursor.part(); !packed.done; ) {
    message[field.name].push(take(packed));
  }
}

function value(schema, field, part, old) {
  const bytes = part.bytes.subarray(part.at, part.end);
  if (field.type === "bytes") {
    return bytes;
  }
  if (field.type !== "string") {
    return fill(schema, field.type, part, old ?? blank(schema, field.type));
  }
  try {
    return text.decode(bytes);
  } catch {
    throw new Unreadable("these bytes are no replay");
  }
}

/** Stores what `make` makes; it is given the message that stood there before, if there was one. */
function put(message, field, make) {
  if (field.repeated) {
    message[field.name].push(make(null));
  } else if (field.oneof) {
    const before = message[field.oneof];
    message[field.oneof] = { kind: field.name, value: make(before?.kind === field.name ? before.value : null) };
  } else {
    message[field.name] = make(message[field.name]);
  }
}
