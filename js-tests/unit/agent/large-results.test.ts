import { ToolMessage } from "@langchain/core/messages";
import type { FileData } from "threadfold";
import { createAgent, createDeepAgent, createFilesystemMiddleware, tool } from "threadfold/agent";
import { Command, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { langchain } from "../../bench/langchain.mjs";
import { type Recorded, replay, type Reply, scripted, shown } from "./records.js";

type Given = { readonly limit: number | null; readonly files: Record<string, FileData>; readonly replies: Reply[] };
type Came = { readonly messages: object[]; readonly files: Record<string, string> };

const file = (content: string) => ({ content, created_at: "2026-01-01", modified_at: "2026-01-01" });

const give = tool({
  name: "give",
  run: ({ content, update, write }: { content: never; update: boolean; write: boolean }, { toolCallId }) => {
    if (!update) return content;
    const result = { type: "tool", content, tool_call_id: toolCallId, name: "give", status: "success" };
    const files = write ? { files: { "/mine": file("mine") } } : {};
    return new Command({ update: { messages: [result, { type: "human", content: "x".repeat(99) }], ...files } });
  },
});

/** A list that Python shows as its repr is JSON. */
const jsonList = (message: object) => {
  const { content } = message as { content: string };
  return typeof content === "string" && content.startsWith("['")
    ? { ...message, content: content.replaceAll("'", '"').replaceAll(", ", ",") }
    : message;
};

test("long results of tools go to files as deepagents moves them", () =>
  replay("large_results", async ({ in: { limit, files, replies }, out }: Recorded<Given, Came>) => {
    const filesystem = createFilesystemMiddleware({ toolTokenLimitBeforeEvict: limit });
    const agent = createAgent({ model: scripted(replies), tools: [give], middleware: [filesystem] });
    const result = await agent.invoke({ messages: "go", files });
    expect(result.messages.filter(({ type }) => type !== "ai").map(shown)).toEqual(out?.messages.map(jsonList));
    const came = Object.entries((result.files ?? {}) as Given["files"]);
    expect(Object.fromEntries(came.map(([path, { content }]) => [path, content]))).toEqual(out?.files);
  }));

const long = (lines: number) => Array.from({ length: lines }, (_, n) => `line ${n} of a long result`).join("\n");
const asks = (name: string, args: Record<string, unknown>, id = "c1") => ({ name, args, id });
const turn = (...tool_calls: ReturnType<typeof asks>[]): Reply => ({ content: "", tool_calls });
const show = (run: () => unknown) => tool({ name: "show", run });

test("a deep agent reads on in the file of a long result", async () => {
  const text = long(4000);
  const read = asks("read_file", { file_path: "/large_tool_results/c1", offset: 3998 }, "c2");
  const model = scripted([turn(asks("show", {})), turn(read)]);
  const agent = createDeepAgent({ model, tools: [show(() => text)], checkpointer: new MemorySaver() });
  const { messages, files } = await agent.invoke({ messages: "Go." }, { threadId: "t" });
  expect(messages[2]?.content).toMatch(/^Tool result too large, .* \/large_tool_results\/c1\n[^]*\n4000 {2}line 3999 /);
  expect(messages[4]?.content).toBe(`@@ lines 3999-4000 of 4000 @@\n${text.split("\n").slice(-2).join("\n")}`);
  expect(files?.["/large_tool_results/c1"]?.content).toBe(text);
  const { values } = await agent.getState({ threadId: "t" });
  expect(values.messages[2]).toBe(messages[2]);
});

test("results up to the limit stay, and so do all without a limit", async () => {
  const resultOf = async (length: number, limit?: number | null) => {
    const filesystem = createFilesystemMiddleware({ toolTokenLimitBeforeEvict: limit });
    const tools = [show(() => "x".repeat(length))];
    const agent = createAgent({ model: scripted([turn(asks("show", {}))]), tools, middleware: [filesystem] });
    const { messages, files } = await agent.invoke({ messages: "Go." });
    const [, , result] = messages as unknown as { content: string }[];
    return [result?.content.length === length, Object.keys(files ?? {}).length];
  };
  expect(await resultOf(80_000)).toEqual([true, 0]);
  expect(await resultOf(80_001)).toEqual([false, 1]);
  expect(await resultOf(801, 200)).toEqual([false, 1]);
  expect(await resultOf(100_000, 25_000)).toEqual([true, 0]);
  expect(await resultOf(100_000, null)).toEqual([true, 0]);
  expect(await resultOf(100_000, 0)).toEqual([true, 0]);
});

test("an instance of LangChain's is moved whole: it stays one, and is not saved with its text", async () => {
  const text = long(200);
  const given = new ToolMessage({ content: text, tool_call_id: "c1", name: "show", artifact: { rows: 200 } });
  const model = scripted([turn(asks("show", {}))]);
  const filesystem = createFilesystemMiddleware({ toolTokenLimitBeforeEvict: 100 });
  const agent = createAgent({ model, tools: [show(() => given)], middleware: [filesystem] });
  const { messages, files } = await agent.invoke({ messages: "Go." });
  const came = messages[2] as unknown as ToolMessage;
  expect(came).toBeInstanceOf(ToolMessage);
  expect([came.name, came.artifact]).toEqual(["show", { rows: 200 }]);
  expect(JSON.stringify(came)).not.toContain("line 100 ");
  expect(files?.["/large_tool_results/c1"]?.content).toBe(text);
  expect(given.content).toBe(text);
});

test("several of a turn go to a file each, beside the files that tools write", async () => {
  const write = tool({
    name: "write",
    run: (_, { toolCallId: tool_call_id }) =>
      new Command({
        update: { messages: [{ type: "tool", content: long(99), tool_call_id }], files: { "/own": file("own") } },
      }),
  });
  const model = scripted([turn(asks("show", {}, "a"), asks("show", {}, "b"), asks("write", {}, "c"))]);
  const filesystem = createFilesystemMiddleware({ toolTokenLimitBeforeEvict: 20 });
  const agent = createAgent({ model, tools: [show(() => long(50)), write], middleware: [filesystem] });
  const { files } = await agent.invoke({ messages: "Go." });
  const moved = ["a", "b", "c"].map((id) => `/large_tool_results/${id}`);
  expect(Object.keys(files ?? {}).sort()).toEqual([...moved, "/own"]);
});

type Read = { readonly content: string; readonly args: Record<string, unknown>; readonly limit: number | null };

test("read_file shows the lines that deepagents shows, and cuts a long text where it does", () =>
  replay("read_file", async ({ in: { content, args, limit }, out }: Recorded<Read, [status: string, said: string]>) => {
    const filesystem = createFilesystemMiddleware({ toolTokenLimitBeforeEvict: limit });
    const agent = createAgent({ model: scripted([turn(asks("read_file", args))]), middleware: [filesystem] });
    const { messages } = await agent.invoke({ messages: "Go.", files: { "/a": file(content) } });
    const { status, content: said } = messages[2] as { status?: string; content?: unknown };
    expect([status, said]).toEqual(out);
  }));

test("a file with only whitespace, by Python's rules, is empty", async () => {
  const read = async (content: string) => {
    const model = scripted([turn(asks("read_file", { file_path: "/a" }))]);
    const agent = createAgent({ model, middleware: [createFilesystemMiddleware()] });
    return (await agent.invoke({ messages: "Go.", files: { "/a": file(content) } })).messages[2]?.content;
  };
  for (const content of ["", " \n\t", "\x1c", "\x1f\x85\u2028\u00a0"])
    expect(await read(content)).toBe("System reminder: File exists but has empty contents");
  for (const content of ["\ufeff", "\u200b", " . "])
    expect(await read(content)).toBe(`@@ lines 1-1 of 1 @@\n${content}`);
});

test("a limit is a number from 0 on, or null", () => {
  for (const limit of [-1, Number.NaN, "20000", {}]) {
    const made = () => createFilesystemMiddleware({ toolTokenLimitBeforeEvict: limit as never });
    expect(made).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    expect(made).toThrow("toolTokenLimitBeforeEvict should be a number");
  }
});

// `npm ci` in ../../langchain installs it.
const theirs = await langchain("deepagents", "langchain", "@langchain/core/utils/testing", "@langchain/core/tools");

test.skipIf(!theirs)("deepagents for JavaScript moves the same results, to files with an ending", async () => {
  const { createFilesystemMiddleware: their, createAgent: theirAgent, FakeListChatModel, tool: theirTool } = theirs;
  const texts = [long(3), long(10), long(11), long(400), "", "x".repeat(400), "x".repeat(401), "\n".repeat(500)];
  for (const text of texts) {
    for (const toolTokenLimitBeforeEvict of [null, 0, 1, 100]) {
      const options = { toolTokenLimitBeforeEvict };
      const ours = createAgent({
        model: scripted([turn(asks("show", {}))]),
        tools: [show(() => text)],
        middleware: [createFilesystemMiddleware(options)],
      });
      const { messages, files = {} } = await ours.invoke({ messages: "Go." });
      const model = new FakeListChatModel({ responses: ["done"] });
      model.bindTools = () => model;
      let called = 0;
      model._generate = async () => {
        const message = { content: called++ ? "done" : "", tool_calls: called > 1 ? [] : [asks("show", {})] };
        return { generations: [{ text: "", message: new theirs.AIMessage(message) }] };
      };
      const tools = [
        theirTool(() => text, { name: "show", description: "", schema: { type: "object", properties: {} } }),
      ];
      const came = await theirAgent({ model, tools, middleware: [their(options)] }).invoke({ messages: "Go." });
      const contents = (all: object) =>
        Object.entries(all).map(([path, { content }]) => [path.replace(/\.txt$/, ""), [content].flat().join("\n")]);
      expect(contents(files)).toEqual(contents(came.files ?? {}));
      expect(messages[2]?.content === text).toBe(came.messages[2].content === text);
    }
  }
});
