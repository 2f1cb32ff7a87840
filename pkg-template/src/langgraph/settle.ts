import { digest } from "../shared/digest.js";
import { httpStatusOf } from "../stream/http.js";
import { reconcile } from "../runner/load.js";
import { INSIDE } from "../thread/inside.js";
import type { AnyThread } from "../thread/thread.js";
import { comparable } from "./message-form.js";
import type { LangGraphTransport } from "./transport.js";

type Values = Readonly<Record<string, unknown>>;

/**
 * Settles the doubts of a thread by the server's state. Fields with the server's digest are proven; it asks for the values
 * of the others. After a gap, or a run that did not end well, it may ask for the whole state.
 */
export async function settle(
  thread: AnyThread,
  transport: LangGraphTransport,
  endedWell: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { threadId } = thread;
  if (thread.doubts.length === 0 || threadId === undefined) return;
  const call = { signal };
  const isSettled =
    endedWell && settleEqual(thread, await answered(transport.digests?.(threadId, namesOf(thread), call)));
  const names = namesOf(thread);
  if (names.length === 0) return;
  const isGap = thread.doubts.some(({ reason }) => reason === "gap" || reason === "bad-end");
  const mayAskFew = endedWell && (isSettled || !isGap);
  const fields = mayAskFew ? await answered(transport.fields?.(threadId, names, call)) : undefined;
  if (fields) return takeFields(thread, fields);
  const { state, load } = transport;
  const found = await (state ?? load)?.(threadId, call);
  if (!found) return;
  const { values, interrupts = [], position } = found;
  reconcile(thread, { values, interrupts, position });
}

/** Waits for an answer; a server or a proxy that refuses the question has none. */
async function answered(asked: PromiseLike<Values | undefined> | undefined): Promise<Values | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (httpStatusOf(error) === undefined) throw error;
    return undefined;
  }
}

const namesOf = ({ doubts }: AnyThread): string[] => [...new Set(doubts.map(({ field }) => field))];

/** Settles the fields that have the server's digest. Returns whether there are digests. */
function settleEqual(thread: AnyThread, digests: Values | undefined): boolean {
  if (!digests) return false;
  const confirmed = thread.getConfirmedState() as Values;
  const digestOf = (name: string) => (confirmed[name] === undefined ? undefined : digest(confirmed[name], comparable));
  thread[INSIDE].proof.settle((name) => digests[name] === digestOf(name));
  return true;
}

function takeFields(thread: AnyThread, { messages, ...others }: Values): void {
  const { position } = thread;
  if (messages !== undefined) thread.receive({ type: "messages", messages: messages as object[] });
  if (Object.keys(others).length > 0) {
    const { messages: _, ...own } = thread.getConfirmedState() as Record<string, unknown>;
    thread.receive({ type: "state", values: { ...own, ...others } });
  }
  thread.receive({ type: "step", ...position });
}
