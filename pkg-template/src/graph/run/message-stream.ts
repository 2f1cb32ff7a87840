// The stream mode `messages`: chunks of models as they come, and whole messages that nodes return.
import { newId } from "../../shared/new-id.js";
import type { Values } from "../types.js";
import type { TaskPlace } from "../task/task-place.js";
import type { RunScope } from "./run-scope.js";

interface Message {
  id?: string | undefined;
  readonly lc_kwargs?: Record<string, unknown>;
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly _getType?: unknown;
}

const KINDS = new Set(["human", "ai", "system", "tool", "function", "developer", "user", "assistant", "generic"]);

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null || !("content" in value)) return false;
  const { type, role, _getType } = value as Message;
  return typeof _getType === "function" || KINDS.has((type ?? role) as string);
}

/** The messages of one task. */
export class MessageStream {
  readonly #place: TaskPlace;
  readonly #scope: RunScope;
  readonly #send: (payload: unknown) => void;
  readonly #seen: Set<string>;
  #metadata: object | undefined;

  /** `seen`: the ids of the messages that any task of the run has sent. */
  constructor(place: TaskPlace, scope: RunScope, send: (payload: unknown) => void, seen: Set<string>) {
    this.#place = place;
    this.#scope = scope;
    this.#send = send;
    this.#seen = seen;
  }

  /** langgraph.js's metadata of where a message comes from. */
  get metadata(): object {
    const { name, node, metadata, home } = this.#place;
    const { config, callersMetadata } = this.#scope;
    return (this.#metadata ??= {
      tags: [`graph:step:${home.at.stepNumber}`, ...(config.tags ?? [])],
      name,
      ...callersMetadata,
      ...metadata,
      ...node.options.metadata,
    });
  }

  /** Sends a message, or a chunk of one. */
  chunk(message: object, metadata?: object): void {
    const { id } = message as Message;
    if (id !== undefined) this.#seen.add(id);
    this.#send([message, metadata ? { ...this.metadata, ...metadata } : this.metadata]);
  }

  /** Sends the messages among what a node writes that were not sent before. */
  written(updates: readonly Values[]): void {
    for (const update of updates) {
      for (const value of Object.values(update)) {
        for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
          if (isMessage(one) && !(one.id !== undefined && this.#seen.has(one.id))) this.chunk(one);
        }
      }
    }
  }
}

/** The writes of a node, with an id for each message that has none: the state and the stream share it. */
export function identified(update: Values): Values {
  const all: Record<string, unknown> = { ...update };
  // A list in which no message was copied stays the list that it is.
  for (const [key, value] of Object.entries(all)) {
    const list = Array.isArray(value) ? value.map(withId) : undefined;
    if (!list) all[key] = withId(value);
    else if (list.some((one, at) => one !== (value as unknown[])[at])) all[key] = list;
  }
  return all;
}

/** An instance of LangChain's is given its id in place, as in langgraph.js; a dict is copied. */
function withId(message: unknown): unknown {
  if (!isMessage(message) || message.id || Object.isFrozen(message)) return message;
  const id = newId();
  if (!message.lc_kwargs) return { ...message, id };
  message.lc_kwargs["id"] = id;
  message.id = id;
  return message;
}

/** Records messages as known, so that they are not sent. */
export function noteMessages(values: Readonly<Record<string, unknown>>, seen: Set<string>): void {
  for (const value of Object.values(values))
    if (Array.isArray(value))
      for (const one of value as unknown[]) if (isMessage(one) && one.id !== undefined) seen.add(one.id);
}

interface Fields {
  chunk?: { message?: Message };
}
interface Result {
  generations?: readonly (readonly { message?: Message }[])[];
}

/** Adds a handler to LangChain's callbacks: a model of `@langchain/core` that is given the context streams through it. */
export function messageCallbacks(stream: MessageStream, given: unknown): unknown {
  /** For each model call: the metadata of its messages, and the id of the one that it makes. */
  const calls = new Map<string, { readonly metadata: object; id?: string }>();
  const send = (message: Message, run: string) => {
    const call = calls.get(run);
    if (!call) return;
    const id = (call.id ??= message.id ?? `run-${run}`);
    if (message.id !== id) {
      message.id = id;
      if (message.lc_kwargs) message.lc_kwargs["id"] = id;
    }
    stream.chunk(message, call.metadata);
  };
  const handler = {
    name: "ThreadfoldMessages",
    // A model that can stream does so for its sake.
    lc_prefer_streaming: true,
    awaitHandlers: true,
    ignoreChain: true,
    ignoreAgent: true,
    ignoreRetriever: true,
    // oxlint-disable-next-line max-params -- LangChain's
    handleChatModelStart(
      _model: unknown,
      _given: unknown,
      run: string,
      _parent: unknown,
      _of: unknown,
      tags?: readonly string[],
      metadata?: object,
      name?: string,
    ) {
      if (!tags?.includes("nostream") && !tags?.includes("langsmith:nostream"))
        calls.set(run, { metadata: { tags, name, ...metadata } });
    },
    handleLLMNewToken(token: string, _: unknown, run: string, _of: unknown, _tags: unknown, fields?: Fields) {
      send(fields?.chunk?.message ?? { type: "AIMessageChunk", content: token }, run);
    },
    handleLLMEnd({ generations }: Result, run: string) {
      const message = generations?.[0]?.[0]?.message;
      if (message && !calls.get(run)?.id) send(message, run);
      calls.delete(run);
    },
    handleLLMError(_: unknown, run: string) {
      calls.delete(run);
    },
  };
  if (given === undefined || given === null) return [handler];
  if (Array.isArray(given)) return [...(given as unknown[]), handler];
  const manager = (given as { copy(): { addHandler(handler: object, inherit: boolean): void } }).copy();
  manager.addHandler(handler, true);
  return manager;
}
