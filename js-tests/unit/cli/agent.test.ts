// `npx threadfold agent`: a page's runners talk to it over both protocols.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { textOf, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { afterAll, beforeAll, expect, test } from "vitest";

const cli = fileURLToPath(new URL("../../../pkg/cli.js", import.meta.url));

let agent: ChildProcess;
let address: string;

beforeAll(async () => {
  agent = spawn(process.execPath, [cli, "agent", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  for await (const chunk of agent.stdout ?? []) {
    said += String(chunk);
    address = /apiUrl: "([^"]+)"/.exec(said)?.[1] ?? "";
    if (address) break;
  }
  expect(said).toContain(`openAgUi({ url: "${address}/agent" })`);
});

afterAll(async () => {
  agent.kill();
  await once(agent, "exit");
});

const textsOf = (thread: { getState(): { messages: readonly object[] } }) =>
  thread.getState().messages.map((message) => textOf(message as never));

test("over AG-UI it calls a tool, and asks before it books", async () => {
  const runner = new AgUiRunner(new Thread<AgUiState>(), { url: `${address}/agent` });
  await runner.sendMessage("What is the weather in Paris?");
  expect(textsOf(runner.thread).slice(1)).toEqual(["", "21 °C and sunny in Paris", "Done: 21 °C and sunny in Paris."]);
  await runner.sendMessage("Book a table in Lyon");
  expect(runner.interrupts.map(({ message }) => message)).toEqual(["Book a table for two in Lyon?"]);
  await runner.resume(runner.interrupts.map(({ id }) => ({ id, value: { approved: true } })));
  expect(textsOf(runner.thread).at(-1)).toBe("Done: a table in Lyon is booked.");
  runner.dispose();
});

test("over LangGraph's API it streams its words", async () => {
  const runner = new LangGraphRunner(new Thread(), { apiUrl: address, assistantId: "agent" });
  const lengths = new Set<number>();
  runner.thread.subscribe(() => lengths.add(textsOf(runner.thread).at(-1)?.length ?? 0));
  await runner.sendMessage("Hello");
  expect(textsOf(runner.thread)).toEqual([
    "Hello",
    "You said: Hello. Ask me for the weather in Rome, or to book a table.",
  ]);
  expect(lengths.size).toBeGreaterThan(5);
  runner.dispose();
});

test("a port that is taken, or none, gets a sentence", async () => {
  const port = new URL(address).port;
  for (const [given, sentence] of [
    [port, `Port ${port} is taken: give another with --port.`],
    ["eighty", "--port takes a number from 0 to 65535, not eighty."],
    ["65536", "--port takes a number from 0 to 65535, not 65536."],
  ] as const) {
    const other = spawn(process.execPath, [cli, "agent", "--port", given], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    other.stderr?.on("data", (chunk) => (said += String(chunk)));
    const [code] = (await once(other, "close")) as [number];
    expect([code, said]).toEqual([2, `threadfold: ${sentence}\n`]);
  }
});
