// The stream mode `messages`: chunks of models as they come, and whole messages that nodes return.
import type { Values } from "../types.js";
import type { TaskPlace } from "../task/task-place.js";
import { isMessage, type Message } from "./message-ids.js";
import type { RunScope } from "./run-scope.js";

/** The messages of one task. */
export class MessageStream {
  readonly #place: TaskPlace;
  readonly #scope: RunScope;
  readonly #send: (payload: unknown) => void;
  readonly #seen: Set<string>;
  #metadata: object | undefined;
  /** The ids of the messages that the node sent as chunks. */
  #chunked: Set<string> | undefined;

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

  /**
   * Sends a node's own message. Messages of type `ai` with one id are its pieces, as chunks are. After chunks, one is the
   * whole message.
   */
  sent(message: object, metadata?: object): void {
    const { type, id } = message as Message & { type?: unknown };
    const isPiece = type === "ai" && id !== undefined && !this.#chunked?.has(id) && isPlain(message);
    if (type === "AIMessageChunk" && id !== undefined) (this.#chunked ??= new Set()).add(id);
    this.chunk(isPiece ? pieceOf(message) : message, metadata);
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

const isPlain = (message: object) => Object.getPrototypeOf(message) === Object.prototype;

function pieceOf(message: object): object {
  const { tool_calls: calls } = message as { tool_calls?: readonly Call[] };
  const pieces = calls?.map(({ id, name, args }, index) => ({ index, id, name, args: JSON.stringify(args) }));
  return { ...message, type: "AIMessageChunk", ...(pieces && { tool_call_chunks: pieces }) };
}

interface Call {
  readonly id?: string;
  readonly name: string;
  readonly args: object;
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
