// A library in TypeScript may export what the package returns, without writing its type. The entries export a name for
// each inferred type (TS2742, TS4023).
import { expect, test } from "vitest";
import { complaints, DECLARING, IN_A_PAGE } from "./compiler.js";

const PROGRAM = `
import * as t from "threadfold";
import { agentTransport, AgUiRunner, foldAgUi, graphTransport, httpTransport, openAgUi, runInput } from "threadfold/ag-ui";
import { apiTransport, foldGraph, foldLangGraph, LangGraphRunner, openLangGraph } from "threadfold/langgraph";
import { loadThread, persist } from "threadfold/persist";
import { useChat, useMessage, usePending, useRun, useSubagents, useThread, useToolResult } from "threadfold/react";
import { serveAgUi, serveLangGraph, toNodeListener } from "threadfold/serve";
import { Context, countTokens, deepAgentsSummarization, repairToolCalls, slidingWindow, trimMessages } from "threadfold/context";

export const schema = t.defineSchema({
  messages: t.field.messages<t.AgUiMessage>(),
  todos: t.field.todos({ input: false }),
  files: t.field.files(),
  tools: t.field.tools(),
  log: t.field.append<string>(),
  prefs: t.field.merge<{ dark: boolean }>(),
  mood: t.field.replace<string>(),
  now: t.field.ephemeral<number>(),
  secret: t.field.untracked<number>({ input: false }),
  sum: t.field.reducer((a: number, b: number) => a + b, { default: () => 0 }),
});
export const fields = { log: t.field.append<string>(), sum: t.field.reducer((a: number, b: number) => a + b) };
export const both = t.combineSchemas(schema, t.defineSchema({ extra: t.field.replace<number>() }));
export const initial = schema.initial();
export const filtered = schema.input({ mood: "gay" });
export const thread = new t.Thread({ schema });
export const plain = new t.Thread();
export const agUi = new t.Thread<t.AgUiState>();
export const record = plain.toJSON();
export const again = t.Thread.fromJSON(record);
export const pending = thread.pending;
export const op = plain.optimistic({ messages: "Hi" });
export const run = plain.run;
export const context = plain.context;
export const history = plain.history;
export const message = agUi.getMessage("a");
export const state = thread.getState();
export const leave = plain.on("drift", (drift) => drift);
export const list = new t.MessageList();
export const messages = t.addMessages([], "Hi");
export const merged = t.addMessages([{ role: "user" as const, content: "Hi" }], []);
export const removal = t.removeMessage("a");
export const over = t.overwrite([1]);
export const converted = [t.toAgUi({ type: "human", content: "Hi" }), t.toLangChain({ role: "user", content: "Hi" })] as const;
export const patched = t.applyPatch({ a: 1 }, []);
export const merges = [t.mergeFiles({}, {}), t.mergeTools([], []), t.replaceTodos([], [])] as const;

export const chat = openAgUi({ url: "/agent" });
export const typed = openAgUi({ url: "/agent", schema });
export const graphChat = openLangGraph({ apiUrl: "/", assistantId: "a" });
export const agent = new AgUiRunner(agUi, { url: "/agent" });
export const graphAgent = new LangGraphRunner(plain, { apiUrl: "/", assistantId: "a" });
export const transport = { ...httpTransport({ url: "/agent" }), cancel: () => undefined };
export const http = httpTransport({ url: "/agent" });
export const api = { ...apiTransport({ apiUrl: "/", assistantId: "a" }), create: undefined };
declare const graph: Parameters<typeof graphTransport>[0];
export const inPage = graphTransport(graph);
declare const client: Parameters<typeof agentTransport>[0];
export const ofAgent = agentTransport(client);
export const end = agent.sendMessage("Hi");
export const answers = agent.interrupts.map(({ id }) => ({ id, value: true }));
export const interrupts = agent.interrupts;
export const folds = [foldAgUi(agUi, []), foldLangGraph(plain, []), foldGraph(plain, (async function* () {})())];
export const fold = foldAgUi;
export const input = runInput(agUi);

export const loaded = loadThread({ name: "a", storage: { getItem: () => null, setItem: () => {} } });
export const stop = persist(plain, { name: "a", storage: { getItem: () => null, setItem: () => {} } });

export const useAgent = () => useChat(agent);
export const useIt = () => [useMessage(agent, "a"), usePending(agent), useRun(agent), useThread(agent), useToolResult(agent, "a"), useSubagents(agent)] as const;

export const servers = [serveAgUi(graph), serveLangGraph(graph)];
export const listener = toNodeListener(serveAgUi(graph));

export const kept = new Context({ trigger: { tokens: 10 }, keep: { tokens: 5 } });
export const view = kept.of(plain);
export const due = view.due;
export const presets = [slidingWindow({ messages: 5 } as never), deepAgentsSummarization({} as never)] as const;
export const counted = countTokens([]);
export const trimmed = trimMessages([], { maxTokens: 5 });
export const repaired = repairToolCalls([]);
`;

test("every inferred type has a public name", () => {
  expect(complaints({ "main.ts": PROGRAM }, { ...DECLARING, lib: IN_A_PAGE, types: [] })).toBe("");
}, 60_000);
