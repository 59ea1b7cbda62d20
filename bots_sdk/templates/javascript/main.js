import { MyBot } from "./bot.js";
import { run } from "./phaseten.js";

run(MyBot);
