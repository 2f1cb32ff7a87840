// A server that knows which of its checkpoints a client has: neither sends the other what both have.
import type { LoadedThread } from "../runner/transport.js";
import { sameJson } from "../shared/same-json.js";
import type { AnyThread } from "../thread/thread.js";
import type { HeldMessage } from "./event-types.js";
import { foldOf } from "./fold.js";
import type { RunAgentInput } from "./run-input.js";
import type { AgUiTransport } from "./transport.js";

/** As much of AG-UI's capabilities as a client that folds looks at, if they have it. */
interface Capabilities {
  readonly custom: { readonly threadfold: { readonly folds: unknown } };
}

/** Whether a transport's agent leaves out what a client has; undefined until its answer comes. */
const FOLDS = new WeakMap<AgUiTransport, boolean | undefined>();

/** Returns whether an agent leaves out what a client has; undefined until its answer comes. Asks it once. */
export function agentFolds(transport: AgUiTransport): boolean | undefined {
  if (!transport.capabilities) return false;
  if (!FOLDS.has(transport)) void ask(transport);
  return FOLDS.get(transport);
}

async function ask(transport: AgUiTransport): Promise<void> {
  FOLDS.set(transport, undefined);
  try {
    const told = (await transport.capabilities?.()) as Capabilities;
    FOLDS.set(transport, told.custom.threadfold.folds === true);
  } catch (error) {
    // Without an answer it is asked again, beside the next run.
    if ((error as { code?: unknown }).code === "NO_CONNECTION") FOLDS.delete(transport);
    else FOLDS.set(transport, false);
  }
}

/** A checkpoint of the server, and the thread's state that equals it. */
export interface Checkpoint {
  readonly id: string;
  readonly state: object;
}

/** Returns the checkpoint whose state the thread has, and nothing else; undefined if none is known. */
export function checkpointOf(thread: AnyThread, loaded: LoadedThread | undefined): Checkpoint | undefined {
  const state = thread.getConfirmedState();
  let id = foldOf(thread).proven === state ? thread.position?.checkpointId : undefined;
  if (loaded && sameJson(loaded.values, state)) id ??= loaded.position?.checkpointId;
  return id === undefined ? undefined : { id, state };
}

interface Marks {
  readonly leavesOut?: boolean | undefined;
  readonly changes?: readonly string[];
  readonly since?: string | undefined;
}

/**
 * Returns the input for a server that leaves out what the client has. With `leavesOut` it lacks the messages of the
 * checkpoint, unless some of them were changed here: the server reads a list by its last messages. `changes` names the
 * fields that the user's updates write: a sum of 5 counts where the server has 5. `since` names the last checkpoint that
 * the client had, if it has none now. The server refuses a run once the thread has replaced messages of it.
 */
export function forFolding(
  input: RunAgentInput,
  checkpoint?: Checkpoint,
  { leavesOut, changes = [], since }: Marks = {},
): RunAgentInput {
  const { messages: all = [] } = (checkpoint?.state ?? {}) as { messages?: readonly HeldMessage[] };
  const known = new Map(all.map((message) => [message.id, message]));
  const sent = input.messages as HeldMessage[];
  const last = sent.at(-1);
  const messages = sent.filter(
    (message) => known.get(message.id) !== message || (message === last && last.role === "user"),
  );
  const isRest = leavesOut && checkpoint && messages.every((message) => message === last || !known.has(message.id));
  return {
    ...input,
    ...(isRest && { messages }),
    forwardedProps: {
      ...(input.forwardedProps as object),
      threadfold: {
        at: checkpoint?.id,
        leavesOut: isRest || undefined,
        ...(!checkpoint && since !== undefined && { since }),
        ...(changes.length > 0 && { changes }),
      },
    },
  };
}
