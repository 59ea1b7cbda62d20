// Bytes: hexadecimal digits, big-endian numbers, comparing.

export const utf8 = (text) => new TextEncoder().encode(text);

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Four bytes, the highest first. */
export const u32 = (value) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);

export const equal = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);

export const isZero = (bytes) => bytes.every((byte) => byte === 0);

/** 16 bytes as a UUID is written. */
export function uuid(bytes) {
  const digits = hex(bytes);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join("-");
}
