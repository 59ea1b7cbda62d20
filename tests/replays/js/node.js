// Questions on standard input, a line of JSON each; answers on standard output.

import { webcrypto } from "node:crypto";
import { createInterface } from "node:readline";

globalThis.crypto ??= webcrypto;
const { answer } = await import("./host.js");

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
