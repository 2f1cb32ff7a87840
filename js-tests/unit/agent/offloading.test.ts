// summarizationMiddleware with `offload`: the files that its notes name are where read_file finds them.
import {
  createAgent,
  createDeepAgent,
  createFilesystemMiddleware,
  summarizationMiddleware,
  tool,
} from "threadfold/agent";
import { compositeBackend, type FileBackend } from "threadfold/agent/backends";
import { Context } from "threadfold/context";
import { offloading } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { scripted } from "./records.js";

const LONG = "one line of it\n".repeat(900);
const PATH = "/large_tool_results/c1";
const limits = { trigger: { tokens: 1000 }, offload: offloading({ toolTokens: 200 }) };
const search = tool({ name: "search", run: () => LONG });
const model = () =>
  scripted([
    { content: "", tool_calls: [{ id: "c1", name: "search", args: {} }] },
    { content: "", tool_calls: [{ id: "c2", name: "read_file", args: { file_path: PATH, limit: 1 } }] },
  ]);
const READ = "@@ lines 1-1 of 900 | next offset 1 @@\none line of it";
const files = (backend?: ReturnType<typeof compositeBackend>) =>
  createFilesystemMiddleware({ backend, toolTokenLimitBeforeEvict: null });

/** A backend that records what is written to it. */
function recording() {
  const kept = new Map<string, string>();
  const backend: FileBackend = {
    read: (path) => (kept.has(path) ? { content: kept.get(path) as string } : undefined),
    write: (path, file) => void kept.set(path, file?.content as string),
    list: () => [],
  };
  return { kept, backend: compositeBackend({ "/": backend }) };
}

test.each([
  ["its options", { ...limits }],
  ["a context", { context: new Context(limits as never) as never }],
])("by %s it writes long results to the state", async (_, options) => {
  const summarization = summarizationMiddleware({ model: scripted([]), ...options });
  const agent = createAgent({ model: model(), tools: [search], middleware: [files(), summarization] });
  const result = await agent.invoke({ messages: "Go." });
  expect(result.files?.[PATH]?.content).toBe(LONG);
  expect(result.messages.at(-2)?.content).toBe(READ);
});

test("it writes them to the backend of the file tools", async () => {
  const { kept, backend } = recording();
  const summarization = summarizationMiddleware({ model: scripted([]), ...limits });
  const agent = createAgent({ model: model(), tools: [search], middleware: [summarization, files(backend)] });
  const result = await agent.invoke({ messages: "Go." });
  expect([kept.get(PATH), Object.keys(result.files ?? {})]).toEqual([LONG, []]);
  expect(result.messages.at(-2)?.content).toBe(READ);
});

test("a deep agent's go to its backend", async () => {
  const { kept, backend } = recording();
  const agent = createDeepAgent({ model: model(), tools: [search], backend, summarization: limits });
  expect((await agent.invoke({ messages: "Go." })).messages.at(-2)?.content).toBe(READ);
  expect([...kept.keys()]).toEqual([PATH]);
});

test("it has no field for files without the option", async () => {
  const agent = createAgent({ model: scripted([]), middleware: [summarizationMiddleware({ model: scripted([]) })] });
  expect(Object.keys(await agent.invoke({ messages: "Go." }))).toEqual(["messages"]);
});
