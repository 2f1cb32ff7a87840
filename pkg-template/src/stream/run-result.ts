// How a run ended, what it asks, and why it failed: in one shape for every fold and every runner.
import type { ThreadfoldError } from "../shared/errors.js";

/** How a run ended. */
export interface RunResult {
  /**
   * `finished`: well. `stopped`: by you, or by the server. `interrupted`: it waits for an answer. `error`: it failed.
   * `disconnected`: the connection broke and could not be joined again, or the server answered 401 or 403. The run may
   * still be active, and `load()` tries again.
   */
  readonly status: "finished" | "stopped" | "interrupted" | "error" | "disconnected";
  /** Undefined if the server named none. */
  readonly runId: string | undefined;
  /**
   * With `error` and `disconnected`; with `stopped`, if the server may not have stopped the run. `BUSY` or
   * `INVALID_STATE` if the call came at the wrong moment, as by a second click: it changed nothing.
   */
  readonly error: ThreadfoldError | undefined;
  /** The interrupts that wait for an answer. */
  readonly interrupts: readonly Interrupt[];
  /** The tool calls for you to answer over AG-UI, by sending a message of the role `tool` for each. */
  readonly pendingToolCallIds: readonly string[];
  /** AG-UI's `result` of the run. */
  readonly value?: unknown;
  /** AG-UI's `usage` of the run: an entry for each model, with `inputTokens`, `outputTokens` and more. */
  readonly usage?: readonly TokenUsage[];
}

/** The tokens that a model used in a run. The other counts are parts of input and output. */
export interface TokenUsage {
  readonly provider?: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}

/** An interrupt of a run, in one shape for both protocols. */
export interface Interrupt {
  /** The server's; made here, and kept, where it gives none. */
  readonly id: string;
  /** The request: in LangGraph, also over AG-UI, the argument of `interrupt()`; otherwise the interrupt's metadata. */
  readonly value: unknown;
  /**
   * The question as text: the interrupt's own `message`, or `value` if that is text, or its `message`, `question` or
   * `description`. For an approval of tool calls, their descriptions, a line each. Otherwise undefined.
   */
  readonly message: string | undefined;
  /** The tool call that waits for the answer, if the server names it. */
  readonly toolCallId: string | undefined;
  /** The JSON Schema of an answer, if the server names one. */
  readonly responseSchema?: unknown;
  /** The time after which the server refuses an answer, as ISO 8601, if the server names one. */
  readonly expiresAt?: string | undefined;
  /** The id of the sub-agent that asks, if it is one's: see `thread.subagents`. */
  readonly subagentId?: string | undefined;
  /** The interrupt as the server sent it. */
  readonly raw: unknown;
}

/** An interrupt as a protocol reads it. */
export type UnnamedInterrupt = Omit<Interrupt, "id"> & { readonly id: string | undefined };

/** Gives each interrupt an id of its own: `#` and a number from its position on, after the server's id if that is taken. */
export function withIds(interrupts: readonly UnnamedInterrupt[]): Interrupt[] {
  const ids = new Set<string>();
  return interrupts.map((one) => {
    let { id } = one;
    for (let number = ids.size; id === undefined || ids.has(id); number++) id = `${one.id ?? ""}#${number}`;
    ids.add(id);
    return id === one.id ? (one as Interrupt) : { ...one, id };
  });
}

/** The id that the server gave an interrupt: the one that it knows. */
export function serversId({ raw }: Interrupt): string | undefined {
  const { id } = raw as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}
