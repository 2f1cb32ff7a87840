// The agent and the page's knowledge of it: its runner, the nodes at work, its checkpoints. A reload finds it as it
// was.
import { Thread, toAgUi, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
import { forgetThread, loadThread, persist } from "threadfold/persist";
import { saved, storage } from "../chat/saved";
import { lineage, type Checkpoint } from "./checkpoints";
import { checkpoints, graph } from "./graph";

const kept = saved("page agent");
/** The storage key of the checkpoint that the next run continues from. */
const FROM = `${kept.name} from`;

/** The view beside the conversation. */
export interface Sight {
  readonly active: ReadonlySet<string>;
  readonly checkpoints: readonly Checkpoint[];
}

export class PageAgent {
  readonly runner: AgUiRunner;
  #sight: Sight = { active: new Set(), checkpoints: [] };
  readonly #listeners = new Set<() => void>();
  /** The checkpoint that the next run continues from, if not the latest. */
  #from = storage.getItem(FROM) ?? undefined;
  readonly #stopSaving: () => void;
  #looks = 0;

  /** The agent as the page was left, or a new one. */
  static async opened(): Promise<PageAgent> {
    return new PageAgent(await loadThread<AgUiState>(kept));
  }

  private constructor(readonly thread = new Thread<AgUiState>({ threadId: crypto.randomUUID() })) {
    this.runner = new AgUiRunner(this.thread, {
      transport: graphTransport(graph, { config: () => this.#config() }),
      onEvent: ({ type, ...event }) => {
        const { stepName } = event as { stepName?: string };
        const active = new Set(this.#sight.active);
        if (type === "STEP_STARTED") active.add(stepName ?? "");
        else if (type === "STEP_FINISHED") active.delete(stepName ?? "");
        else if (type === "RUN_FINISHED" || type === "RUN_ERROR") active.clear();
        else return;
        this.#show({ active });
        void this.#look();
      },
    });
    void this.runner.load(); // what a reload cut off can be tried again
    this.#stopSaving = persist(thread, kept);
    void this.#look();
  }

  /** Forgets this one, and returns a new one. */
  startOver(): PageAgent {
    this.#stopSaving();
    void forgetThread(kept);
    storage.removeItem(FROM);
    void this.stop().then(() => checkpoints.deleteThread(this.thread.threadId ?? ""));
    return new PageAgent();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSight = (): Sight => this.#sight;

  /** Stops the run; the nodes are at rest then. */
  async stop(): Promise<void> {
    await this.runner.stop();
    this.#show({ active: new Set() });
    await this.#look();
  }

  /** Goes back to a checkpoint: the conversation is as it was then, and the next message branches off there. */
  async goBack({ id, messages, todos }: Checkpoint): Promise<void> {
    await this.stop();
    this.#from = id;
    storage.setItem(FROM, id);
    this.thread.receive({
      type: "values",
      values: { messages: messages.map((message) => toAgUi(message)), todos: todos ?? [] },
    });
    await this.#look();
  }

  #config(): object | undefined {
    const from = this.#from;
    this.#from = undefined;
    storage.removeItem(FROM);
    return from === undefined ? undefined : { configurable: { checkpoint_id: from, checkpoint_ns: "" } };
  }

  async #look(): Promise<void> {
    const { threadId = "" } = this.thread;
    const look = ++this.#looks;
    const checkpoints = await lineage(threadId, this.#from);
    // A later look has begun: this one may be out of date.
    if (look === this.#looks) this.#show({ checkpoints });
  }

  #show(news: Partial<Sight>): void {
    this.#sight = { ...this.#sight, ...news };
    for (const listener of this.#listeners) listener();
  }
}
