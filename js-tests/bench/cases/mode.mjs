// What a token and a look at the thread cost by NODE_ENV, which the package looks at once: a process for each.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "../harness.mjs";

const NAME = "token and a look, by NODE_ENV";
const SIZES = [100, 10_000];
const MODES = {
  threadfold: "production",
  "threadfold, NODE_ENV unset": undefined,
  "threadfold, development": "development",
};

const program = (n) => `
  import { Thread } from "threadfold";
  const messages = Array.from({ length: ${n} }, (_, at) => ({ type: "ai", id: String(at), content: "message " + at }));
  const thread = new Thread({ values: { messages } });
  const samples = [];
  for (let sample = 0; sample < 40; sample++) {
    thread.receive({ type: "message", message: { type: "ai", id: "answer", content: "" }, streaming: true });
    const start = performance.now();
    for (let token = 0; token < 500; token++) {
      thread.receive({ type: "text", messageId: "answer", text: " token" });
      thread.getState();
    }
    samples.push((performance.now() - start) * 2);
  }
  // The first ones are slower everywhere: the engine learns.
  console.log(samples.slice(10).sort((a, b) => a - b)[15]);
`;

/** The cases with the median times in µs; the modes take turns. */
export function modeCosts(rounds) {
  const here = fileURLToPath(new URL("..", import.meta.url));
  const { NODE_ENV: _mode, ...env } = process.env;
  return SIZES.map((n) => {
    const taken = Object.fromEntries(Object.keys(MODES).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, mode] of Object.entries(MODES)) {
        const output = execFileSync(process.execPath, ["--input-type=module", "-e", program(n)], {
          cwd: here,
          env: mode === undefined ? env : { ...env, NODE_ENV: mode },
        });
        taken[name].push(Number(output));
      }
    }
    return {
      name: NAME,
      n,
      us: Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, median(times)])),
    };
  });
}
