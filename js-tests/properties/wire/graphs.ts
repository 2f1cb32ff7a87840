// A scenario's graph, built with langgraph.js.
import { AIMessage, AIMessageChunk, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  messagesStateReducer,
  Overwrite,
  REMOVE_ALL_MESSAGES,
  Send,
  START,
  StateGraph,
  UntrackedValueChannel,
} from "@langchain/langgraph";
import { EphemeralValue } from "@langchain/langgraph/channels";
import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import type { Act, Field, NodeSpec, Scenario, Write } from "./specs.js";

// oxlint-disable-next-line typescript/no-explicit-any -- graphs that no type describes
export type Loose = any;

/** The time, as the nodes know it. */
export interface World {
  /** Counts the inputs: a node that runs again for the same one does the same. */
  epoch: number;
  /** Counts the runs since the last input. */
  attempt: number;
}

const CHANNELS: Record<Field, () => Loose> = {
  messages: () => Annotation<Loose>({ reducer: messagesStateReducer as Loose, default: () => [] }),
  log: () => Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  sum: () => Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
  latest: () => Annotation<string>({ reducer: (_, b) => b, default: () => "" }),
  files: () => Annotation<Record<string, string>>({ reducer: (a, b) => ({ ...a, ...b }), default: () => ({}) }),
  last: () => Annotation<string>(),
  mood: () => () => new EphemeralValue(false),
  scratch: () => () => new UntrackedValueChannel({ guard: false } as Loose),
};

/** Names what a task writes: the input, the node, the Send, and the number of the write. */
interface Place {
  readonly node: string;
  readonly place: string;
  readonly salt: number;
}

/** Makes an update of writes. `messages` are those that a node sees, or the ids of those that are there. */
export async function updateOf(
  writes: readonly Write[],
  { node, place, salt }: Place,
  messages: readonly { id?: string }[],
  config: Loose,
): Promise<Record<string, unknown>> {
  const update: Record<string, unknown> = {};
  for (const write of writes) {
    const { field } = write;
    let value: unknown;
    if (write.field === "messages") {
      const list: unknown[] = [];
      for (const [at, { kind }] of write.messages.entries()) {
        const id = `${place}.${at}`;
        // Tasks of one step remove different messages: removing one twice is an error.
        const known = messages.filter(({ id: other }, index) => other !== undefined && index % 5 === salt % 5);
        const old = known[at % Math.max(known.length, 1)]?.id;
        if (kind === "ai") list.push(new AIMessage({ id, content: `says ${id}` }));
        else if (kind === "calls")
          list.push(new AIMessage({ id, content: "", tool_calls: [{ id: `c${id}`, name: "look", args: { at } }] }));
        else if (kind === "tool") list.push(new ToolMessage({ id, tool_call_id: `c${id}`, content: "found" }));
        else if (kind === "human") list.push({ type: "human", id, content: `asks ${id}` });
        else if (kind === "replace")
          list.push(new AIMessage({ id: (write.overwrite ? undefined : old) ?? id, content: `replaced by ${id}` }));
        else if (kind === "remove") {
          if (old !== undefined && at === 0 && !write.overwrite) list.push(new RemoveMessage({ id: old }));
        } else if (kind === "clear") {
          if (!write.overwrite) list.push(new RemoveMessage({ id: REMOVE_ALL_MESSAGES }));
        } else if (kind === "model")
          list.push(await new FakeListChatModel({ responses: [`t${at}!`] }).invoke("go", config as never));
        else if (kind === "no-id") list.push(new AIMessage(`no id, ${id}`));
        else if (kind === "chunk") list.push(new AIMessageChunk({ id, content: `part ${id}` }));
        else list.push(at % 2 === 0 ? { role: "assistant", content: `bare ${id}` } : `bare ${id}`);
      }
      value = list;
    } else if (field === "log") value = [place];
    else if (field === "sum") value = salt + 1;
    else if (field === "files") value = { [`f${salt % 3}`]: place, [node]: place };
    else value = place;
    update[field] = write.overwrite ? new Overwrite(value) : value;
  }
  return update;
}

export function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  return mixed >>> 0;
}

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise((resolve) => setImmediate(resolve));
}

const targets = (to: readonly string[]) =>
  to.map((name, at) => (name.startsWith(">") ? new Send(name.slice(1), { sent: at }) : name));

function nodeOf(spec: NodeSpec, world: World, prefix: string): (state: Loose, config: Loose) => Promise<unknown> {
  return async (state, config) => {
    const sent = (state as { sent?: number }).sent ?? 0;
    const act = spec.acts[(world.epoch + sent) % spec.acts.length] as Act;
    const place = `${world.epoch}${prefix}${spec.name}${sent || ""}`;
    const make = async (writes: readonly Write[], more = "") =>
      updateOf(
        writes,
        { node: spec.name, place: place + more, salt: hash(place) % 97 },
        (state as { messages?: { id?: string }[] }).messages ?? [],
        config,
      );
    await ticks(act.wait);
    if (act.kind === "fail" && (act.always || world.attempt === 0)) throw new Error(`${place} fails`);
    if (act.kind === "nothing") return undefined;
    if (act.kind === "ask") interrupt(`${place}?`);
    const update = await make(act.writes);
    if (act.kind === "command") return new Command({ update, goto: targets(act.to) as Loose });
    if (act.kind === "parent") return new Command({ update, goto: targets(act.to) as Loose, graph: Command.PARENT });
    if (act.kind === "list") {
      const list: unknown[] = [new Command({ update })];
      for (const [at, writes] of act.more.entries()) list.push(new Command({ update: await make(writes, `+${at}`) }));
      return list;
    }
    return update;
  };
}

function inner(specs: readonly NodeSpec[], of: Scenario, world: World, prefix: string): Loose {
  const graph: Loose = new StateGraph(stateOf(of));
  let from: string = START;
  for (const spec of specs) {
    graph.addNode(spec.name, nodeOf(spec, world, `${prefix}/`));
    graph.addEdge(from, spec.name);
    from = spec.name;
  }
  graph.addEdge(from, END);
  return graph.compile();
}

const stateOf = ({ fields }: Scenario): Loose =>
  Annotation.Root(Object.fromEntries(fields.map((field) => [field, CHANNELS[field]()])) as Loose);

export function build(of: Scenario, world: World): Loose {
  const graph: Loose = new StateGraph(stateOf(of));
  const names = of.nodes.map(({ name }) => name);
  for (const spec of of.nodes) {
    const work = spec.inside ? inner(spec.inside, of, world, spec.name) : nodeOf(spec, world, "");
    const cache = spec.cached && !spec.inside ? { cachePolicy: { keyFunc: () => `${world.epoch % 2}` } } : {};
    graph.addNode(spec.name, work, { ends: [...names, END], ...cache });
    for (const to of spec.to) graph.addEdge(spec.name, to);
    if (spec.sends.length > 0)
      graph.addConditionalEdges(spec.name, () => spec.sends.map((name, at) => new Send(name, { sent: at })), [
        ...names,
      ]);
  }
  for (const name of of.start) graph.addEdge(START, name);
  return graph.compile({
    checkpointer: new MemorySaver(),
    ...(of.nodes.some(({ cached }) => cached) && { cache: new InMemoryCache() }),
    ...(of.before.length > 0 && { interruptBefore: of.before }),
    ...(of.after.length > 0 && { interruptAfter: of.after }),
  });
}
