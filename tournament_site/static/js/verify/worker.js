// The verifier beside the page: bytes and what is known of them come in, a report or an error goes out.

import { verify } from "./verify.js";

addEventListener("message", async (message) => {
  try {
    postMessage({ report: await verify(message.data.bytes, message.data.known) });
  } catch (error) {
    postMessage({ error: error.message });
  }
});
