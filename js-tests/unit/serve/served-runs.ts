// Graphs of a script, served by serveAgUi: the events that the Rust crate is held to (tests/streams/served.rs).
import { defineSchema, field } from "threadfold";
import { MemorySaver, StateGraph, type NodeContext } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";

type Action = Readonly<Record<string, unknown>>;

export interface Script {
  readonly nodes: Readonly<Record<string, readonly Action[]>>;
  readonly edges: readonly (readonly [string, string])[];
  readonly turns: readonly Turn[];
}

interface Turn {
  readonly messages: readonly object[];
  readonly state?: object;
  readonly resume?: readonly object[];
  readonly forwardedProps?: object;
  /** Answers to what the last turn asked, in order. */
  readonly answers?: readonly unknown[];
  readonly cancels?: boolean;
}

interface Event {
  readonly type: string;
  readonly outcome?: { readonly interrupts?: readonly { readonly id: string }[] };
  readonly value?: unknown;
}

/** Serves a script's graph, and returns the events of each turn. */
export async function served({ nodes, edges, turns }: Script): Promise<Event[][]> {
  const run = { turn: 0, failed: false };
  const schema = defineSchema({
    messages: field.messages(),
    mood: field.reducer((_: string, mood: string) => mood, { default: () => "" }),
    notes: field.append(),
  });
  const graph = new StateGraph(schema) as unknown as Builder;
  for (const [name, actions] of Object.entries(nodes))
    graph.addNode(name, (_: unknown, ctx: NodeContext<object>) => act(actions, ctx, run));
  for (const [from, to] of edges) graph.addEdge(from, to);
  const handler = serveAgUi(graph.compile({ checkpointer: new MemorySaver() }) as never, { interrupts: "both" });
  const all: Event[][] = [];
  let asked: readonly { readonly id: string }[] = [];
  for (const { answers, cancels, resume, ...input } of turns) {
    run.turn++;
    const answered = answers?.map((payload, at) => ({ interruptId: asked[at]?.id, status: "resolved", payload }));
    const cancelled = cancels && asked.map(({ id }) => ({ interruptId: id, status: "cancelled" }));
    const body = { threadId: "t", runId: `r${run.turn}`, ...input, resume: resume ?? answered ?? cancelled };
    const response = await handler(new Request("http://localhost/", { method: "POST", body: JSON.stringify(body) }));
    const parts = (await response.text()).split("\n\n").filter((part) => part.startsWith("data: "));
    const events = parts.map((part) => JSON.parse(part.slice("data: ".length)) as Event);
    asked = events.at(-1)?.outcome?.interrupts ?? [];
    all.push(events);
  }
  return all;
}

interface Builder {
  addNode(name: string, node: unknown): void;
  addEdge(from: string, to: string): void;
  compile(options: object): object;
}

/** Does what a script says of a node. */
async function act(
  actions: readonly Action[],
  ctx: NodeContext<object>,
  run: { turn: number; failed: boolean },
): Promise<object> {
  const told = JSON.parse(JSON.stringify(actions).replaceAll("{turn}", String(run.turn))) as Action[];
  let update = {};
  const chunk = (id: unknown, fields: object) => ctx.message({ type: "AIMessageChunk", id, content: "", ...fields });
  for (const action of told) {
    const [[name, value]] = Object.entries(action) as [[string, never]];
    const [id, index, callId, tool] = Array.isArray(value) ? (value as unknown[]) : [];
    if (name === "text") chunk(id, { content: index });
    if (name === "reasoning") chunk(id, { content: [{ type: "reasoning", reasoning: index }] });
    if (name === "call") chunk(id, { tool_call_chunks: [{ index, id: callId, name: tool, args: "" }] });
    if (name === "args") chunk(id, { tool_call_chunks: [{ index, args: callId }] });
    if (name === "last") chunk(value, { chunk_position: "last" });
    if (name === "custom") ctx.write(value);
    if (name === "ask") ctx.interrupt(value);
    if (name === "update") update = value;
    if (name === "fail" || (name === "fail once" && !run.failed)) {
      run.failed = true;
      throw new Error(value);
    }
    await Promise.resolve();
  }
  return update;
}
