// The messages of proto/phaseten/v1, read when the bot starts: names are in camelCase, enums are numbers, bytes are Buffers.

import { fileURLToPath } from "node:url";
import protoLoader from "@grpc/proto-loader";

export const SDK = "phaseten-javascript/0.1.0";
export const PROTOCOL = 1;
export const METHOD = "/phaseten.v1.BotService/Connect";

const definition = protoLoader.loadSync("phaseten/v1/bot.proto", {
  includeDirs: [fileURLToPath(new URL("../proto", import.meta.url))],
  longs: String, // ids of pings have 64 bits, more than a number holds
  defaults: true,
  arrays: true,
  oneofs: true,
});
const connect = definition["phaseten.v1.BotService"].Connect;

/** The values of an enum of the schema by their names, such as `values("Stage").STAGE_DRAW`. */
export function values(name) {
  const found = definition[`phaseten.v1.${name}`];
  return Object.freeze(Object.fromEntries(found.type.value.map((each) => [each.name, each.number])));
}

/** A message as a frame of its own. Frames in a row are one frame, so they only have to be joined. */
export function frameOf(message) {
  return connect.requestSerialize({ messages: [message] });
}

/** The frame that these bytes are. */
export function readFrame(bytes) {
  return connect.responseDeserialize(bytes);
}
