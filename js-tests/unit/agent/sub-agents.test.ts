import { field } from "threadfold";
import {
  createAgent,
  createFilesystemMiddleware,
  createSubAgentMiddleware,
  todoListMiddleware,
} from "threadfold/agent";
import { expect, test } from "vitest";
import { type Call, type Recorded, replay, scripted, shown } from "./records.js";

type Files = Record<string, { content: string; encoding?: "utf-8" }>;
interface Plan {
  readonly say: string;
  readonly files?: Record<string, string>;
  readonly note?: string;
  readonly todos?: object[];
}
interface Given {
  readonly state: { files: Files; note?: string; log?: number[] };
  readonly replies: readonly { content: string; tool_calls: Call[] }[];
  readonly plans: Record<string, Plan>;
}
interface Came {
  readonly messages: object[];
  readonly files: Record<string, string>;
  readonly note: string | null;
  readonly log: number[] | null;
  readonly todos: object[] | null;
}

const withoutFiles = (one: object) => ({ ...one, files: undefined });
const contents = (files: Files = {}) =>
  Object.fromEntries(Object.entries(files).map(([path, { content }]) => [path, content]));

test("a sub-agent's model gets the run's signal", async () => {
  const stop = new AbortController();
  const inner: unknown[] = [];
  const model = {
    specificationVersion: "v3" as const,
    provider: "p",
    modelId: "m",
    doGenerate: ({ abortSignal }: { abortSignal?: AbortSignal }) => {
      stop.abort(new Error("stopped"));
      inner.push(abortSignal?.aborted);
      return new Promise(() => {});
    },
  };
  const args = { description: "d", subagent_type: "worker" };
  const agent = createAgent({
    model: scripted([{ content: "", tool_calls: [{ id: "c1", name: "task", args }] }]),
    middleware: [
      createSubAgentMiddleware({ subagents: [{ name: "worker", description: "works", model: model as never }] }),
    ],
  });
  await expect(agent.invoke({ messages: "go" }, { signal: stop.signal })).rejects.toThrow("stopped");
  expect(inner).toEqual([true]);
});

test("sub-agents: their input and their output", () =>
  replay("subagents", async ({ in: given, out, seen }: Recorded<Given, Came> & { seen?: unknown }) => {
    const own: object[] = [];
    const worker = {
      invoke: async (state: Record<string, unknown> & { messages: { content: string }[]; files?: Files }) => {
        const task = state.messages.at(-1)?.content as string;
        const { files = {}, say, ...more } = given.plans[task] as Plan;
        own.push({
          task,
          messages: state.messages.length,
          keys: Object.keys(state).sort(),
          files: contents(state.files),
        });
        const written = Object.entries(files).map(([path, content]) => [path, { content, encoding: "utf-8" }]);
        const said = ["first", say].map((content) => ({ type: "ai", content }));
        const messages = [...state.messages, ...said];
        return { ...state, files: { ...state.files, ...Object.fromEntries(written) }, messages, ...more };
      },
    };
    const agent = createAgent({
      model: scripted(given.replies),
      middleware: [
        todoListMiddleware(),
        createFilesystemMiddleware(),
        createSubAgentMiddleware({ subagents: [{ name: "worker", description: "works", runnable: worker }] }),
      ],
      schema: { note: field.replace<string>(), log: field.append<number>() },
    });
    const result = await agent.invoke({ messages: "go", ...given.state }, { maxConcurrency: 1 });
    expect(result.messages.filter(({ type }) => type === "tool").map(shown)).toEqual(out?.messages);
    expect(result.note ?? null).toEqual(out?.note);
    expect(result.log).toEqual(out?.log);
    expect(result.todos).toEqual(out?.todos ?? []);
    // Python's sub-agents give back all files, so that the last of a turn undoes the others' writes: ours do not.
    const expected = contents(given.state.files);
    let sideBySide = false;
    let turns = 0;
    for (const { tool_calls: calls } of given.replies) {
      const writers = calls.filter(({ args }) => args["subagent_type"] === "worker");
      if (!sideBySide) turns += writers.length;
      sideBySide ||= writers.length > 1;
      for (const { args } of writers) Object.assign(expected, given.plans[args["description"] as string]?.files);
    }
    expect(contents(result.files as Files)).toEqual(expected);
    if (!sideBySide) expect(expected).toEqual(out?.files);
    const told = seen as object[];
    expect(own.slice(0, turns)).toEqual(told.slice(0, turns));
    expect(own.map(withoutFiles)).toEqual(told.map(withoutFiles));
  }));
