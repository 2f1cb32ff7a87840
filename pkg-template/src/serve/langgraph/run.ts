// A run of a server: the facts that its store keeps, and the one that this program works on.
import { newId } from "../../shared/new-id.js";
import { errorWords } from "../../stream/error-words.js";
import type { Owner } from "../owners.js";
import type { ClaimedRun } from "../run-stores/leases.js";
import { isPlainJson } from "../run-stores/plain-json.js";
import type { RunKey, RunStore } from "../run-stores/run-store.js";
import { WorkedRun } from "../run-stores/worked-run.js";
import { wireJson } from "../wire.js";
import type { RunEnd, RunPart } from "./run-parts.js";
import type { RunRequest } from "./run-request.js";
import type { RunEvent } from "./v2/protocol-event.js";

export type Status = "pending" | "running" | "success" | "error" | "interrupted";

/** The facts about a run that the store keeps. */
export interface RunFacts {
  readonly assistantId: string;
  readonly request: RunRequest;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: Status;
  readonly error?: { readonly error: string; readonly message: string } | undefined;
  /** The values that the run ended with, of the graph's output: as JSON in a store that instances share. */
  readonly values?: unknown;
  /** The interrupts that it answers, if protocol v2 started it: it has no parts then. */
  readonly answers?: readonly string[] | undefined;
  /** More of its config, from the program, if JSON takes it: another instance can continue the run. */
  readonly config?: object | undefined;
  /** The thread's checkpoint when its graph began, and the answers saved there, if leases run out. */
  readonly from?: { readonly id: unknown; readonly answers?: number | undefined } | undefined;
  /** Whether its graph began: an answer that never reached it was not given. */
  readonly hasBegun?: boolean | undefined;
}

/** A run of a thread, whichever instance works on it. */
export interface KnownRun extends RunKey {
  readonly facts: RunFacts;
}

/** The parts of this server's runs are those of LangGraph's runs API. */
export const SERVER = "langgraph";

/** A run that this program works on. */
export class Run extends WorkedRun implements KnownRun {
  readonly assistantId: string;
  readonly request: RunRequest;
  readonly createdAt: string;
  updatedAt: string;
  readonly config: object | undefined;
  /** The thread's checkpoint when its graph began, if leases run out. */
  from: RunFacts["from"];
  hasBegun: boolean | undefined;
  readonly #isShared: boolean;
  #values: unknown;
  status: Status = "pending";
  readonly ending: RunEnd = { values: null, isInterrupted: false };
  error: { error: string; message: string } | undefined;
  /** Where the run's events go, if protocol v2 started it: it has no parts then. */
  readonly events: ProtocolEvents | undefined;
  /** The parts that its starter gets otherwise, by their numbers. */
  readonly starters = new Map<number, string>();

  constructor(
    store: RunStore,
    threadId: string,
    assistantId: string,
    request: RunRequest,
    { owner, events, config }: Partial<More>,
    claimed?: ClaimedRun,
  ) {
    super(store, { threadId, id: claimed?.id ?? newId() }, owner);
    const facts = claimed?.run.about as RunFacts | undefined;
    this.from = facts?.from;
    this.createdAt = facts?.createdAt ?? new Date().toISOString();
    this.updatedAt = this.createdAt;
    this.#isShared = store.ttl !== undefined;
    this.config = this.#isShared && isPlainJson(config) ? config : undefined;
    this.assistantId = assistantId;
    this.request = request;
    this.events = events;
  }

  become(status: Status): void {
    this.status = status;
    this.updatedAt = new Date().toISOString();
  }

  /** Keeps the values that it ended with. Those that JSON cannot hold must not keep the store from ending it. */
  keepValues(): void {
    const { values } = this.ending;
    this.#values = this.#isShared ? written(values) : values;
  }

  get facts(): RunFacts {
    const values = this.#values;
    const { assistantId, request, createdAt, updatedAt, status, error, events, config, from, hasBegun } = this;
    const answers = events?.answers;
    const base = { assistantId, request, createdAt, updatedAt, status, error };
    return { ...base, values, answers, config, from, hasBegun };
  }
}

/** A run in the form of the API. */
export function toldRun({ threadId, id, facts }: KnownRun): object {
  const { assistantId, request, createdAt, updatedAt, status } = facts;
  const { metadata, multitask_strategy } = request;
  return {
    run_id: id,
    thread_id: threadId,
    assistant_id: assistantId,
    created_at: createdAt,
    updated_at: updatedAt,
    status,
    metadata: metadata ?? {},
    kwargs: request,
    multitask_strategy: multitask_strategy ?? "enqueue",
  };
}

/** The response of `wait` and `join`, as JSON. */
export function resultOf({ error, values = null }: RunFacts): string {
  if (error) return failed(error);
  return typeof values === "string" ? values : wireJson(values);
}

const failed = (error: unknown) => wireJson({ __error__: error });

function written(values: unknown): string {
  try {
    return wireJson(values);
  } catch (error) {
    return failed(failure(error));
  }
}

export function failure(error: unknown): { error: string; message: string } {
  const { name, message } = errorWords(error);
  return { error: name, message };
}

/** Whether parts have ids, so that they can be sent again. */
export const isResumable = ({ request }: RunFacts): boolean => request.stream_resumable === true;

/** Where protocol v2 sends a run's events, and the interrupts that the run answers. */
export interface ProtocolEvents {
  readonly answers: readonly string[];
  add(runId: string, event: RunEvent): void;
}

/** The data that the server adds to a request. */
export interface More {
  /** More of the run's config. */
  readonly config: object;
  /** Changes the parts on their way. */
  readonly change: ((parts: AsyncIterable<RunPart>, run: Run) => AsyncIterable<RunPart>) | undefined;
  /** The identity that the thread belongs to, of a run that another instance began. */
  readonly owner?: string | undefined;
  /** Where the events go of a run that protocol v2 starts. */
  readonly events?: ProtocolEvents | undefined;
  /** Begins the run once the user may use its thread, and makes that the user's if it is not there. */
  readonly make?: (<T>(begin: (owner: Owner) => Promise<T>) => Promise<T>) | undefined;
}
