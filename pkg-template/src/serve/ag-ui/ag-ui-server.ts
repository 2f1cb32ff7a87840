// The paths of an AG-UI server, and the answers to them.
import { isKept } from "../../ag-ui/graph/graph-events.js";
import { checkedInput, type GraphRunInput } from "../../ag-ui/graph/graph-input.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";
import { decoded, eventStream, json, type Asker } from "../http.js";
import { ClientWrites } from "../threads/client-writes.js";
import { checkpointList, copyCheckpoint } from "../threads/checkpoints.js";
import { leaving } from "../leaving.js";
import { Owners, type Owner } from "../owners.js";
import { Refusal } from "../refusal.js";
import { bodyOf } from "../request-body.js";
import { MemoryRuns } from "../run-stores/memory-runs.js";
import { ended, textOf, type RunStore, type StoredRun } from "../run-stores/run-store.js";
import { steered } from "../run-stores/steered.js";
import { switching } from "../run-stores/switches.js";
import { keepsRuns } from "../stores.js";
import { threadStream } from "../thread-stream.js";
import { wireJson } from "../wire.js";
import { capabilities } from "./capabilities.js";
import { framed, partOf, SERVER } from "./parts.js";
import { AgUiRuns } from "./runs.js";
import type { ServeAgUiOptions } from "./serve-options.js";
import { stateOf, toldThread } from "./thread.js";
import { threadList } from "./thread-list.js";

/** The paths of a thread, of its stream, of its checkpoints, of a run of it, or of what is sent into that. A POST to any other path starts a run. */
const PATH = /\/threads\/([^/]+)(?:\/runs\/([^/]+)(\/messages)?|\/(events|checkpoints))?$/;

export class AgUiServer {
  readonly #graph: RunnableGraph;
  readonly #options: ServeAgUiOptions;
  readonly #store: RunStore;
  readonly #runs: AgUiRuns;
  readonly #owners: Owners;
  readonly #writes: ClientWrites;

  constructor(graph: RunnableGraph, options: ServeAgUiOptions) {
    this.#graph = graph;
    this.#writes = new ClientWrites([graph], undefined, ".");
    this.#options = options;
    this.#store = options.runs ?? new MemoryRuns({ keep: options.resumable ? (options.keep ?? 100) : 0 });
    keepsRuns(graph, this.#store);
    this.#owners = new Owners(
      () => [graph],
      options,
      (threadId) => () => this.#store.runs({ threadId }),
    );
    this.#runs = new AgUiRuns(graph, options, this.#store, this.#owners);
  }

  async answer(request: Request, asker: Asker | undefined): Promise<Response> {
    this.#runs.watch();
    const { method } = request;
    const { pathname, searchParams } = new URL(request.url);
    const [, threadId, runId, messages, part] = (PATH.exec(pathname) ?? []).map((one) => one && decoded(one));
    if (threadId === undefined) {
      if (method === "GET" && pathname.endsWith("/capabilities"))
        return json(JSON.stringify(capabilities(this.#graph, this.#options)));
      if (method === "GET" && pathname.endsWith("/threads")) {
        const hasRun = async (id: string) => (await this.#runs.active(id)) !== undefined;
        return json(JSON.stringify(await threadList(this.#graph, this.#owners, asker, searchParams, hasRun)));
      }
      if (method === "POST" && !/\/runs\/[^/]+$/.test(pathname))
        return this.#runs.start(readInput(await bodyOf(request, this.#options)), request, asker);
      throw new Refusal(404, `There is no ${method} ${pathname}.`);
    }
    const owner = await this.#owners.open(asker, threadId);
    if (part === "checkpoints") {
      if (method === "GET" || method === "POST") await this.#checkKnown(threadId);
      if (method === "GET") return json(wireJson(await checkpointList(this.#graph, threadId, searchParams)));
      if (method === "POST") return this.#switched(threadId, request, owner);
    } else if (part !== undefined) {
      if (method === "GET") return this.#followed(threadId, request, asker, searchParams.get("only"));
    } else if (runId === undefined) {
      if (method === "GET") return this.#thread(threadId);
    } else if (messages !== undefined) {
      if (method === "POST") {
        const body = (await bodyOf(request, this.#options)) as { readonly messages?: unknown } | null;
        await steered(this.#store, await this.#runs.known(threadId, runId), body?.messages);
        return json("{}", 202);
      }
    } else if (method === "GET" || method === "DELETE") {
      const run = await this.#runs.known(threadId, runId);
      if (!run) throw new Refusal(404, `There is no run ${runId} of the thread ${threadId}.`);
      if (method === "GET") return this.#runs.joined(run, request);
      await this.#store.cancel(run);
      await ended(this.#store, run);
      return json("{}");
    }
    throw new Refusal(404, `There is no ${method} ${pathname}.`);
  }

  /** Streams a thread. A run of another protocol cannot be read here: its start is sent when it is over. */
  async #followed(
    threadId: string,
    request: Request,
    asker: Asker | undefined,
    only: string | null,
  ): Promise<Response> {
    if (!this.#options.resumable) throw new Refusal(404, "To follow threads, give serveAgUi the option resumable.");
    if (only !== null && only !== "starts") throw new Refusal(400, `Unknown only=${only}: use only=starts.`);
    await this.#checkKnown(threadId);
    const store = this.#store;
    const { signal, leave } = leaving(request);
    const hasParts = only === null;
    const isReadable = ({ server }: StoredRun) => server === SERVER;
    const isAllowed = (run: string) => this.#owners.mayStillUse(asker, threadId, run);
    const following = { lastEventId: request.headers.get("last-event-id"), hasParts, isReadable, isAllowed };
    async function* parts(): AsyncGenerator<string> {
      for await (const told of threadStream(store, threadId, following, signal)) {
        const { id, run, part, isOver } = told;
        if (part !== undefined) yield framed(textOf(part), id);
        else if (!hasParts && !isOver) yield framed(partOf({ type: "RUN_STARTED", threadId, runId: run.id }), id);
      }
    }
    return eventStream(parts(), this.#options, {}, leave);
  }

  /** Makes a copy of a checkpoint the thread's newest, while no run of the thread is under way. */
  async #switched(threadId: string, request: Request, owner: Owner): Promise<Response> {
    const body = (await bodyOf(request, this.#options)) as { readonly from?: unknown } | null;
    await this.#runs.whenFree(threadId, () => undefined);
    const copy = () => copyCheckpoint(this.#graph, this.#writes, threadId, body?.from);
    await switching(this.#store, threadId, { owner, isAlone: true }, copy);
    return json("{}");
  }

  /** @throws {@link Refusal} 404 for a thread that has no run and is in no checkpointer. */
  async #checkKnown(threadId: string): Promise<void> {
    if ((await this.#store.runs({ threadId })).length > 0) return;
    try {
      const known = await stateOf(this.#graph, threadId);
      if (known && isKept(known)) return;
    } catch (error) {
      // A thread whose saved writes the graph refuses is there: a copy of an earlier checkpoint repairs it.
      if (error instanceof Refusal && error.status === 400) return;
      throw error;
    }
    throw new Refusal(404, `There is no thread ${threadId}.`);
  }

  async #thread(threadId: string): Promise<Response> {
    // First: a run that ends meanwhile is joined, instead of a thread without its end and without a run.
    const run = await this.#runs.active(threadId);
    const told = toldThread(this.#graph, await stateOf(this.#graph, threadId), run);
    if (!told) throw new Refusal(404, `There is no thread ${threadId}.`);
    return json(wireJson(told));
  }
}

/** Reads a `RunAgentInput`; refuses an invalid one. */
function readInput(given: unknown): GraphRunInput {
  try {
    return checkedInput(given);
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
}
