import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { target, WASM } from "../rust.mjs";

const FILES = ["index.js", "slim.js", "agent-core.js", "graph.js", "agent.js", "context.js"];
const out = process.argv[2];
const list = process.argv.slice(3);
if (list.length === 0) {
  const { emptyGenerated, writeCore, writeAgent } = await import("./glue.mjs");
  const { optimiseCore, optimiseAgent } = await import("./optimise.mjs");
  const { bundle } = await import("./bundle.mjs");
  const raw = (crate) => join(target, WASM, "wasm", `${crate}.wasm`);
  emptyGenerated();
  const core = await optimiseCore(await writeCore(raw("threadfold_core_wasm")));
  const agent = await optimiseAgent(await writeAgent(raw("threadfold_agent_wasm")));
  const { files } = await bundle({ core, agent }, (file) => FILES.includes(file));
  const gz = (content) => gzipSync(content, { level: 9 }).length;
  const sizes = { core: gz(readFileSync(core)), agentWasm: gz(readFileSync(agent)) };
  for (const f of FILES) sizes[f] = gz(files[f]);
  sizes.half = sizes["agent-core.js"] + sizes["graph.js"] + sizes["agent.js"] + sizes["context.js"];
  appendFileSync(out, JSON.stringify({ without: process.env.THREADFOLD_WITHOUT ?? "", ...sizes }) + "\n");
} else {
  for (const trick of list) {
    const { status, stderr } = spawnSync(process.execPath, [import.meta.filename, out], {
      env: { ...process.env, KEEP: "1", THREADFOLD_WITHOUT: trick },
      encoding: "utf8",
    });
    if (status !== 0) appendFileSync(out, `${trick} FAILED ${stderr.slice(-800)}\n`);
  }
}
