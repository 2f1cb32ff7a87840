// A LangGraph API server's parts and states, in the same process: what langgraph.js streams, as JSON.
import { Command } from "@langchain/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { build, updateOf, type Loose, type World } from "./graphs.js";
import { randomOf } from "../../support/random.js";
import { type Scenario, type Turn, type Write } from "./specs.js";

export interface Part {
  readonly id?: string;
  readonly event: string;
  readonly data: Loose;
}

/** How a run was requested. */
export interface Asked {
  readonly input: Loose;
  readonly command: Loose;
}

export interface Snapshot {
  readonly values: Record<string, Loose>;
  readonly next: readonly string[];
  readonly interrupts: readonly { id: string; value: unknown }[];
  /** Whether tasks of an unfinished step have written. */
  readonly isPending: boolean;
  readonly step: number | undefined;
  readonly checkpointId: string | undefined;
}

/** As the servers of @langchain/langgraph-api write JSON: a message is its fields and its type. */
export function wire<T>(value: T): T {
  const text = JSON.stringify(value, function (this: Loose, key: string, one: unknown) {
    const raw = this[key];
    if (raw === null || typeof raw !== "object" || typeof raw.toDict !== "function") return one;
    const { type, data } = raw.toDict();
    return { ...data, type };
  });
  return text === undefined ? (undefined as T) : (JSON.parse(text) as T);
}

/** The stand-in for a server of @langchain/langgraph-api. */
export class Server {
  readonly world: World = { epoch: 0, attempt: 0 };
  protected readonly scenario: Scenario;
  protected readonly graph: Loose;
  readonly #config = { configurable: { thread_id: "t" } };
  readonly #random: () => number;
  #clock = 1_700_000_000_000;
  #runs = 0;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.graph = build(scenario, this.world);
    this.#random = randomOf(scenario.seed ^ 0x5bd1e995);
  }

  /** Runs to the end. Returns the parts as a server sends them. */
  async run(asked: Asked, limit: number, modes: readonly string[]): Promise<Part[]> {
    if (asked.input) {
      this.world.epoch++;
      this.world.attempt = 0;
    } else this.world.attempt++;
    return this.stream(asked, limit, modes);
  }

  protected async stream({ input, command }: Asked, limit: number, modes: readonly string[]): Promise<Part[]> {
    const parts: Part[] = [];
    // Two runs are never of one millisecond.
    this.#clock += 10;
    const runId = `run-${this.#runs++}`;
    const put = (event: string, data: unknown) => parts.push({ id: this.#nextId(), event, data: wire(data) });
    put("metadata", { run_id: runId, attempt: 1 });
    try {
      const stream = await this.graph.stream(command ? new Command(command) : input, {
        ...this.#config,
        streamMode: modes,
        subgraphs: true,
        recursionLimit: limit,
      });
      for await (const [ns, mode, data] of stream) {
        if (modes.includes(mode)) put(ns?.length ? `${mode}|${ns.join("|")}` : mode, data);
      }
    } catch (error) {
      put("error", { error: (error as Error).name, message: (error as Error).message });
    }
    return parts;
  }

  /** As `GET /threads/T/state` answers; undefined where that fails. */
  async state(): Promise<Snapshot | undefined> {
    try {
      const { values, next, tasks, metadata, config } = await this.graph.getState(this.#config);
      return {
        values: wire(values),
        next,
        interrupts: tasks.flatMap(({ interrupts }: Loose) => interrupts),
        isPending: tasks.some(({ result }: Loose) => result !== undefined),
        step: metadata?.step,
        checkpointId: config.configurable?.checkpoint_id,
      };
    } catch {
      return undefined;
    }
  }

  async update(turn: Turn, writes: readonly Write[]): Promise<void> {
    const state = await this.state();
    this.world.epoch++;
    const update = await updateOf(
      writes,
      { node: "other", place: `${this.world.epoch}other`, salt: Math.floor(turn.choice * 97) },
      (state?.values["messages"] ?? []) as { id: string }[],
      {},
    );
    const { nodes } = this.scenario;
    const as = nodes[Math.floor(turn.choice * nodes.length)]?.name;
    try {
      await this.graph.updateState(this.#config, update, as);
    } catch {
      // An update that the graph refuses changes nothing.
    }
  }

  /** The ids of parts are times: without `clockIds` all differ. */
  #nextId(): string {
    this.#clock += this.scenario.clockIds ? Math.floor(this.#random() * 3) : 1 + Math.floor(this.#random() * 3);
    return `${this.#clock}-0`;
  }
}

/** The project's own server, which numbers the parts of its updates. */
export class OwnServer extends Server {
  #handler: ((request: Request) => Promise<Response>) | undefined;

  protected override async stream({ input, command }: Asked, limit: number, modes: readonly string[]): Promise<Part[]> {
    if (!this.#handler) {
      this.#handler = serveLangGraph(this.graph, { clientWrites: true });
      await this.#ask("/threads", { thread_id: "t" });
    }
    const response = await this.#ask("/threads/t/runs/stream", {
      assistant_id: "agent",
      ...(command ? { command } : { input }),
      stream_mode: modes.map((mode) => (mode === "messages" ? "messages-tuple" : mode)),
      stream_subgraphs: true,
      stream_steps: true,
      // Then its parts have ids.
      stream_resumable: !this.scenario.clockIds,
      config: { recursion_limit: limit },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.split("\n\n").flatMap((block): Part[] => {
      const fields = Object.fromEntries(
        block
          .split("\n")
          .map((line) => /^(\w+): ?(.*)$/.exec(line))
          .flatMap((found) => (found ? [[found[1], found[2]]] : [])),
      ) as { id?: string; event?: string; data?: string };
      if (fields.event === undefined) return [];
      return [
        {
          ...(fields.id !== undefined && { id: fields.id }),
          event: fields.event,
          data: JSON.parse(fields.data ?? "null"),
        },
      ];
    });
  }

  async #ask(path: string, body: object): Promise<Response> {
    const handler = this.#handler as (request: Request) => Promise<Response>;
    return handler(new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(body) }));
  }
}
