import type { PendingUpdate } from "threadfold";

/** The updates that failed, by the ids of their messages: a pending update's messages are whole and have ids. */
export function failedByMessage<U>(pending: readonly PendingUpdate<U>[]): ReadonlyMap<string, PendingUpdate<U>> {
  const failed = pending.filter(({ status }) => status === "failed");
  return new Map(
    failed.flatMap((one) => {
      const { messages = [] } = one.update as { messages?: readonly { id: string }[] };
      return messages.map(({ id }) => [id, one] as const);
    }),
  );
}
