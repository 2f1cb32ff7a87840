// `node js-tests/bench/langgraph-turns.mjs [URL [GRAPH]]`: the bytes and milliseconds of a turn over LangGraph's API, by the length
// of the thread: states, and updates alone. With a URL, a graph of its server, "ten_steps" by default; else `serveLangGraph`. Run
// `npm run build` first; `node js-tests/hosts/servers/start.mjs` starts LangGraph's servers, and prints their addresses.
import { ownServer, turn } from "./cases/turns.mjs";

const [url, assistantId = "ten_steps"] = process.argv.slice(2);
const server = url ? { url, assistantId, ask: fetch } : ownServer();

for (const length of [100, 1_000, 10_000])
  for (const wire of ["values", "quiet"]) {
    const { bytes, ms, states } = await turn(server, length, wire);
    console.log(`${length} messages, ${wire}: ${bytes} B, ${ms.toFixed(0)} ms, asked for the state ${states} times`);
  }
