// Records LangGraph's JavaScript server: `node record.mjs URL`, where it serves the graphs of graphs.mjs.
import { writeFileSync } from "node:fs";
import { comparable, drive, SCENARIOS } from "./drive.mjs";

const [url] = process.argv.slice(2);
for (const name of Object.keys(SCENARIOS)) {
  const recorded = comparable(await drive(name, url));
  writeFileSync(new URL(`${name}.json`, import.meta.url), `${JSON.stringify(recorded, undefined, 1)}\n`);
}
