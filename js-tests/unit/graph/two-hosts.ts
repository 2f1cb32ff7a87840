// One random graph on langgraph.js or on threadfold, and the visible results of its runs.
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import * as theirs from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import * as ours from "threadfold/graph";
import { type Act, type BranchSpec, type GraphCase, END } from "./random-graphs.js";

type Host = "langgraph.js" | "threadfold";

/** The names that both packages share. */
interface Package {
  StateGraph: new (state: never) => Builder;
  Command: new (params: object) => object;
  Send: new (node: string, args: unknown) => object;
}

interface Builder {
  addNode(name: string, node: (state: never, ctx: never) => unknown, options: object): void;
  addEdge(from: string | string[], to: string): void;
  addConditionalEdges(from: string, path: (state: never) => unknown, map?: object): void;
  compile(options: object): Compiled;
}

export interface Snapshot {
  values: Record<string, unknown>;
  next: string[];
  metadata?: { source: string; step: number };
  config: { configurable?: Record<string, unknown> };
  tasks: { name: string; interrupts: { id?: string; value?: unknown }[] }[];
}

export interface Compiled {
  invoke(input: unknown, config: object): Promise<Record<string, unknown> | undefined>;
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>> | AsyncIterable<unknown>;
  getState(config: object): Promise<Snapshot>;
  getStateHistory(config: object): AsyncIterable<Snapshot>;
  updateState(config: object, values: unknown, asNode?: string): Promise<object>;
}

interface Checkpoint {
  id: string;
  channel_values: Record<string, unknown>;
  channel_versions: Record<string, number>;
  versions_seen: Record<string, Record<string, number>>;
}

export interface Saver {
  list(config: object): AsyncIterable<{
    checkpoint: Checkpoint;
    metadata?: { source: string; step: number };
    pendingWrites?: [string, string, unknown][];
  }>;
}

const add = (a: number, b: number) => a + b;

/** The state of all graphs: a log, a sum, a field that takes one write a step, and messages. */
const State = theirs.Annotation.Root({
  log: theirs.Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  sum: theirs.Annotation<number>({ reducer: add, default: () => 0 }),
  last: theirs.Annotation<string>(),
  messages: theirs.Annotation<BaseMessage[]>({ reducer: theirs.messagesStateReducer, default: () => [] }),
});

/** The same with threadfold's own reducers. */
const OwnState = defineSchema({
  log: field.append<string>(),
  sum: field.reducer(add, { default: () => 0 }),
  last: field.replace<string>(),
  messages: field.messages(),
});

/** A state as nodes see it, with its fields in one order: threadfold's own schemas have another than annotations. */
const told = (state: object): string =>
  JSON.stringify(state, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const { id, kwargs } = value as { id?: unknown; kwargs?: { id: string; content: string } };
    if (kwargs && Array.isArray(id)) return `${kwargs.id}: ${kwargs.content}`;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

/** So often a node sends. */
const MOST_SENDING = 40;

/** A graph, and the log of its nodes' calls. */
export class Case {
  readonly saver: Saver;
  readonly graph: Compiled;
  /** The calls to nodes, with their inputs. */
  readonly calls: string[] = [];
  /** The calls to conditions, with their inputs. Their order among the node calls is not recorded. */
  readonly decisions: string[] = [];
  /** The ids of the questions that are open. */
  asked: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #package: Package;
  readonly #host: Host;

  constructor(host: Host, spec: GraphCase) {
    this.#host = host;
    this.#package = (host === "threadfold" ? ours : theirs) as unknown as Package;
    const { StateGraph } = this.#package;
    // Both keep their threads in langgraph.js's own saver.
    this.saver = new theirs.MemorySaver() as unknown as Saver;
    const builder = new StateGraph((host === "threadfold" && spec.ownSchema ? OwnState : State) as never);
    const names = spec.nodes.map(({ name }) => name);
    for (const { name, acts, defer } of spec.nodes)
      builder.addNode(name, (state, ctx) => this.#act(name, acts, state, ctx), { defer, ends: [...names, END] });
    for (const [from, to] of spec.edges) builder.addEdge(from, to);
    for (const [from, to] of spec.joins) builder.addEdge([...from], to);
    const from = new Map<string, number>();
    for (const branch of spec.branches) {
      const count = from.get(branch.from) ?? 0;
      from.set(branch.from, count + 1);
      // langgraph.js takes one unnamed condition a node.
      if (count > 0) continue;
      const map = branch.mapped ? Object.fromEntries([...names, END].map((name) => [`to ${name}`, name])) : undefined;
      builder.addConditionalEdges(branch.from, (state) => this.#decide(branch, state), map);
    }
    this.graph = builder.compile({
      ...(spec.checkpointed && { checkpointer: this.saver }),
      interruptBefore: spec.before,
      interruptAfter: spec.after,
    });
  }

  /** How often something was done, from 0. */
  #count(what: string): number {
    const count = this.#counts.get(what) ?? 0;
    this.#counts.set(what, count + 1);
    return count;
  }

  #act(name: string, acts: readonly Act[], state: object, ctx: { interrupt?: (value: unknown) => unknown }): unknown {
    const count = this.#count(name);
    this.calls.push(`${name} ${told(state)}`);
    const { kind, to = [], last, later } = acts[count % acts.length] as Act;
    const { Command, Send } = this.#package;
    const update = {
      log: [`${name}${count}`],
      sum: count + 1,
      // Now new, now another version of a present one.
      messages: [new AIMessage({ id: `${name}${count % 3}`, content: String(count) })],
      ...(last && { last: name }),
    };
    // Nodes that send to each other double with each step.
    const sent = count < MOST_SENDING ? to : [];
    const sends = () => sent.map((one, at) => new Send(one, { log: [`for ${one} ${at}`], sum: at }));
    const answer = () => {
      switch (kind) {
        case "nothing":
          return undefined;
        case "goto":
          return new Command({ goto: to });
        case "command":
          return new Command({ goto: to, update });
        case "send":
          return new Command({ goto: sends(), update: Object.entries(update) });
        case "list":
          return [new Command({ goto: to }), update];
        case "error":
          throw new Error(`${name} fails`);
        case "ask": {
          const interrupt = this.#host === "threadfold" ? (ctx.interrupt as typeof theirs.interrupt) : theirs.interrupt;
          const first: unknown = interrupt(`${name}?`);
          return { ...update, log: [`${name}${count} ${String(first)} ${String(interrupt(`${name}??`))}`] };
        }
        default:
          return update;
      }
    };
    return later ? Promise.resolve().then(answer) : answer();
  }

  #decide({ from, answers, mapped }: BranchSpec, state: { log: unknown[] }): unknown {
    const count = state.log.length;
    this.decisions.push(`${from} decides ${told(state)}`);
    const { Send } = this.#package;
    return (answers[count % answers.length] as string[]).map((answer) =>
      answer.startsWith(">")
        ? new Send(answer.slice(1), { log: [`sent by ${from}`], sum: 0 })
        : mapped
          ? `to ${answer}`
          : answer,
    );
  }

  command(params: object): object {
    return new this.#package.Command(params);
  }
}
