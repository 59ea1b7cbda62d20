import { MyBot } from "./bot.js";
import { run } from "./phaseten/run.js";

run(MyBot);
