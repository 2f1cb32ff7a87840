import { createAgent, createFilesystemMiddleware } from "threadfold/agent";
import { compositeBackend, createMemoryMiddleware, storeBackend } from "threadfold/agent/backends";
import { MemorySaver } from "threadfold/graph";
import { textOf } from "threadfold";
import { InMemoryStore } from "@langchain/langgraph";
import { expect, test } from "vitest";
import { agentWith, holding, type Recorded, replay } from "./records.js";

interface Given {
  readonly files: Readonly<Record<string, string>>;
  readonly sources: readonly string[];
  readonly prompt: string | null;
  readonly system: string | null;
}

test("the system prompt that files make", () =>
  replay("memory", async ({ in: given, out, error }: Recorded<Given, string | null>) => {
    expect(error).toBeUndefined();
    const { files, sources, prompt, system } = given;
    const middleware = createMemoryMiddleware({ backend: holding(files), sources, systemPrompt: prompt });
    const { agent, prompted } = agentWith(middleware, system);
    await agent.invoke({ messages: "go" });
    expect(prompted()).toBe(out);
  }));

test("a thread reads its memory once, and what it writes is the next thread's", async () => {
  const backend = compositeBackend({ "/memories/": storeBackend(new InMemoryStore()) });
  const file_path = "/memories/AGENTS.md";
  const prompts: string[] = [];
  const agent = createAgent({
    model: (messages) => {
      const [system, ...rest] = messages;
      prompts.push(textOf(system));
      const last = rest.at(-1) as { type: string; content: string };
      if (last.type !== "human") return "Ok.";
      return { tool_calls: [{ id: last.content, name: "write_file", args: { file_path, content: last.content } }] };
    },
    middleware: [
      createFilesystemMiddleware({ backend, systemPrompt: "" }),
      createMemoryMiddleware({ backend, sources: [file_path], systemPrompt: "{agent_memory}" }),
    ],
    checkpointer: new MemorySaver(),
  });
  const run = async (threadId: string, messages: string) => {
    prompts.length = 0;
    const result = await agent.invoke({ messages }, { threadId });
    expect(result).not.toHaveProperty("memoryContents");
    return new Set(prompts);
  };
  expect(await run("a", "Ada")).toEqual(new Set(["(No memory loaded)"]));
  expect(await run("a", "Bob")).toEqual(new Set(["(No memory loaded)"]));
  expect(await run("b", "Eve")).toEqual(new Set([`${file_path}\n\nBob`]));
});

test("files of the state, and what is refused", async () => {
  const model = ([system]: readonly object[]) => textOf(system);
  const memory = createMemoryMiddleware({ sources: ["/a.md"], systemPrompt: "{agent_memory}" });
  const agent = createAgent({ model, middleware: [createFilesystemMiddleware({ systemPrompt: "" }), memory] });
  const ask = (file: object) => agent.invoke({ messages: "Hi", files: { "/a.md": file as never } });
  expect((await ask({ content: "Ada" })).messages.at(-1)).toMatchObject({ content: "/a.md\n\nAda" });
  await expect(ask({ content: "if8=", encoding: "base64" })).rejects.toThrow("'/a.md' is not a text");
  expect(() => createMemoryMiddleware({ sources: "a.md" as never })).toThrow(/list of paths/);
  expect(() => createMemoryMiddleware({ sources: [], systemPrompt: "None." })).toThrow(/has no \{agent_memory\}/);
});
