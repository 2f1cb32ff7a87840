import { createAgent, createFilesystemMiddleware } from "threadfold/agent";
import { afterEach, expect, test, vi } from "vitest";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

type Given = { readonly files: Record<string, { content: string }>; readonly replies: readonly Reply[] };
type Came = { readonly messages: object[]; readonly files: Record<string, string> };

/** A list that Python shows as its repr is JSON. */
const jsonList = (message: object) => {
  const { content } = message as { content: string };
  return content.startsWith("['")
    ? { ...message, content: content.replaceAll("'", '"').replaceAll(", ", ",") }
    : message;
};

afterEach(() => vi.useRealTimers());

test("files: what the tools answer and what becomes of `files`", () =>
  replay("files", async ({ in: given, out }: Recorded<Given, Came>) => {
    // Each file gets a time of its own, as in Python, where a clock is finer.
    let now = Date.parse("2027-01-01");
    vi.useFakeTimers({ toFake: ["Date"] });
    const agent = createAgent({ model: scripted(given.replies), middleware: [createFilesystemMiddleware()] });
    vi.setSystemTime(now);
    const tick = setInterval(() => vi.setSystemTime((now += 5)), 0);
    const result = await agent.invoke({ messages: "go", files: given.files }, { maxConcurrency: 1 });
    clearInterval(tick);
    expect(result.messages.filter(({ type }) => type === "tool").map(shown)).toEqual(out?.messages.map(jsonList));
    const files = Object.entries((result.files ?? {}) as Given["files"]);
    expect(Object.fromEntries(files.map(([path, { content }]) => [path, content]))).toEqual(out?.files);
  }));
