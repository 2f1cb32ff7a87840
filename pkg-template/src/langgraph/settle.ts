import { digest } from "../shared/digest.js";
import { httpStatusOf } from "../stream/http.js";
import { foldValues } from "../runner/load.js";
import { messagesIn } from "../runner/messages-in.js";
import { sameJson } from "../shared/same-json.js";
import { INSIDE } from "../thread/inside.js";
import type { AnyThread } from "../thread/thread.js";
import { comparable } from "./message-form.js";
import type { LangGraphTransport } from "./transport.js";

type Values = Readonly<Record<string, unknown>>;

/** The end of a run. */
interface Ended {
  /** Whether nothing of it is unfinished. */
  readonly isWell: boolean;
  /** Whether the user stopped it: then the messages of the page stay. */
  readonly isStopped?: boolean;
  /** Whether fields without a doubt are to be compared with the server's digests, too. */
  readonly compares: boolean;
}

/**
 * Settles the doubts of a thread by the server's state. Fields with the server's digest are proven; it asks for the values
 * of the others. After a gap, or a run that did not end well, it may ask for the whole state.
 */
export async function settle(
  thread: AnyThread,
  transport: LangGraphTransport,
  { isWell, isStopped = false, compares }: Ended,
  signal: AbortSignal,
): Promise<void> {
  const { threadId } = thread;
  if (threadId === undefined) return;
  const call = { signal };
  const compared = isWell && compares ? Object.keys(thread.getConfirmedState()) : [];
  const asked = [...new Set([...namesOf(thread), ...compared])];
  if (asked.length === 0) return;
  const digests = isWell ? await answered(transport.digests?.(threadId, asked, call)) : undefined;
  if (digests) compare(thread, digests, compared);
  const names = namesOf(thread);
  if (names.length === 0) return;
  const isGap = thread.doubts.some(({ reason }) => reason === "gap" || reason === "bad-end");
  const mayAskFew = isWell && (digests !== undefined || !isGap);
  const fields = mayAskFew ? await answered(transport.fields?.(threadId, names, call)) : undefined;
  if (fields) return takeFields(thread, fields, digests);
  const { state, load } = transport;
  const found = await (state ?? load)?.(threadId, call);
  if (!found) return;
  const { values, interrupts = [], position = { isLeft: !isWell } } = found;
  foldValues(thread, { values, interrupts, position }, isStopped || interrupts.length > 0);
  // Half an answer is in no state: it stays until the next run, and the messages in doubt.
  const hasAll = sameJson(idsIn(thread.getConfirmedState()), idsIn(values));
  if (isStopped && interrupts.length === 0 && hasAll) thread[INSIDE].proof.settle((field) => field === "messages");
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

const idsIn = (values: object): unknown[] => messagesIn(values).map(({ id }) => id);

const namesOf = ({ doubts }: AnyThread): string[] => [...new Set(doubts.map(({ field }) => field))];

/** Settles the fields that have the server's digest, and doubts those others of `compared` that the server has. */
function compare(thread: AnyThread, digests: Values, compared: readonly string[]): void {
  const confirmed = thread.getConfirmedState() as Values;
  const isEqual = (name: string) =>
    digests[name] === (confirmed[name] === undefined ? undefined : digest(confirmed[name], comparable));
  const { proof, doubt } = thread[INSIDE];
  proof.settle(isEqual);
  for (const field of compared)
    if (digests[field] !== undefined && !isEqual(field)) doubt({ field, reason: "unknown-reducer" });
}

/** Folds the values of fields; without a digest, the server does not have the field. */
function takeFields(thread: AnyThread, { messages, ...others }: Values, digests: Values | undefined): void {
  const { position } = thread;
  if (messages !== undefined) thread.receive({ type: "messages", messages: messages as object[] });
  if (Object.keys(others).length > 0) {
    const { messages: _, ...own } = thread.getConfirmedState() as Record<string, unknown>;
    const isThere = ([name]: [string, unknown]) => !(name in others) || !digests || digests[name] !== undefined;
    const values = Object.fromEntries(Object.entries({ ...own, ...others }).filter(isThere));
    thread.receive({ type: "state", values });
  }
  thread.receive({ type: "step", ...position });
}
