// Short helpers for the events of servers and users.
import { Thread, type PatchOperation, type ThreadEvent, type ThreadfoldError } from "threadfold";
import type { Drift } from "../../../pkg-template/src/thread/thread-types.js";

/** A message as the tests write it. */
export interface Message {
  readonly id: string;
  readonly content?: unknown;
  readonly [key: string]: unknown;
}

export const human = (id: string, content: string) => ({ type: "human", id, content }) as const;
export const ai = (id: string, content = "") => ({ type: "ai", id, content }) as const;
export const tool = (id: string, call: string, content: string) =>
  ({ type: "tool", id, tool_call_id: call, content }) as const;

export const started = (runId?: string, id?: string): ThreadEvent => ({ type: "run-started", runId, id });
/** The last run, replayed from its start. */
export const joined = (runId: string): ThreadEvent => ({ type: "run-started", runId, joined: true });
export const finished: ThreadEvent = { type: "run-finished" };
export const failed: ThreadEvent = { type: "run-error", error: "down" };
export const message = (message: object, more: { streaming?: boolean; after?: string } = {}): ThreadEvent => ({
  type: "message",
  message,
  ...more,
});
export const streamed = (id: string): ThreadEvent => message(ai(id), { streaming: true });
export const text = (messageId: string, text: string): ThreadEvent => ({ type: "text", messageId, text });
export const whole = (messageId: string): ThreadEvent => ({ type: "message-finished", messageId });
export const messages = (...messages: object[]): ThreadEvent => ({ type: "messages", messages });
export const values = (values: object): ThreadEvent => ({ type: "values", values });

export type Shown = Record<string, unknown> & { messages: readonly Message[] };

/** A thread that has these messages. */
export function threadOf(...given: object[]): Thread<Shown> {
  return new Thread<Shown>({ values: { messages: given as Message[] } });
}

export function hear(thread: { receive(event: ThreadEvent): void }, ...events: ThreadEvent[]): void {
  for (const event of events) thread.receive(event);
}

/** The messages that are shown, as `id content`. */
export function shown(thread: { getState(): object }): string[] {
  return (thread.getState() as Shown).messages.map(({ id, content }) => `${id} ${content as string}`.trim());
}

export const idsOf = (thread: { getState(): object }): string[] =>
  (thread.getState() as Shown).messages.map(({ id }) => id);

/** Records a thread's events besides its state, in order. */
export function told(thread: Pick<Thread, "on">): {
  drifts: (readonly PatchOperation[])[];
  errors: string[];
  events: unknown[];
} {
  const all = { drifts: [] as (readonly PatchOperation[])[], errors: [] as string[], events: [] as unknown[] };
  thread.on("drift", ({ patch, event }: Drift) => {
    all.drifts.push(patch);
    all.events.push(event);
  });
  thread.on("error", (error: ThreadfoldError, event) => {
    all.errors.push(error.code);
    all.events.push(event);
  });
  return all;
}

/** The thread as it comes back from where it was kept. */
export function reloaded(thread: Thread<Shown>): Thread<Shown> {
  return Thread.fromJSON<Shown>(JSON.parse(JSON.stringify(thread)) as object);
}
