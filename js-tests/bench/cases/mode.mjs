// The cost of a token and of reading the thread for each NODE_ENV, which the package reads once. Each value has its own
// process, and the processes alternate sample by sample: run one after the other, each would meet a differently loaded
// machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { median } from "../harness.mjs";

const NAME = "token and a look, by NODE_ENV";
const SIZES = [100, 10_000];
const MODES = {
  threadfold: "production",
  "threadfold, NODE_ENV unset": undefined,
  "threadfold, development": "development",
};
const TOKENS = 500;

const program = (n) => `
  import { Thread } from "threadfold";
  import { warmUp } from "./harness.mjs";
  const messages = Array.from({ length: ${n} }, (_, at) => ({ type: "ai", id: String(at), content: "message " + at }));
  const thread = new Thread({ values: { messages } });
  const sample = () => {
    thread.receive({ type: "message", message: { type: "ai", id: "answer", content: "" }, streaming: true });
    const start = performance.now();
    for (let token = 0; token < ${TOKENS}; token++) {
      thread.receive({ type: "text", messageId: "answer", text: " token" });
      thread.getState();
    }
    return ((performance.now() - start) * 1000) / ${TOKENS};
  };
  await warmUp(sample);
  process.on("message", () => process.send(sample()));
  process.send("ready");
`;

/** The cases with the median times in µs. */
export async function modeCosts(samples) {
  const cases = [];
  for (const n of SIZES) {
    const processes = Object.entries(MODES).map(([name, mode]) => ({ name, child: started(n, mode), times: [] }));
    try {
      for (const { child } of processes) await answer(child);
      for (let sample = 0; sample < samples; sample++) {
        for (const { child, times } of processes) {
          child.send("next");
          times.push(await answer(child));
        }
      }
    } finally {
      for (const { child } of processes) child.kill();
    }
    cases.push({ name: NAME, n, us: Object.fromEntries(processes.map(({ name, times }) => [name, median(times)])) });
  }
  return cases;
}

function started(n, mode) {
  const { NODE_ENV: _mode, ...env } = process.env;
  return spawn(process.execPath, ["--input-type=module", "-e", program(n)], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: mode === undefined ? env : { ...env, NODE_ENV: mode },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

async function answer(child) {
  const gone = new AbortController();
  const exit = once(child, "exit", gone).then(() => {
    throw new Error("A process of this case has ended.");
  });
  try {
    return (await Promise.race([once(child, "message", gone), exit]))[0];
  } finally {
    exit.catch(() => {});
    gone.abort();
  }
}
