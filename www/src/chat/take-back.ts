// Rolling back failed messages.
import { removeMessage, type PendingUpdate, type Thread } from "threadfold";
import { read } from "./message";

/** Rolls back a failed update. Half an answer to it goes with the question. */
export function takeBack(thread: Thread, pending: PendingUpdate): void {
  if (thread.run.status === "error") {
    const { messages } = thread.getState();
    const asked = [(pending.update as { messages?: unknown }).messages]
      .flat()
      .map((message) => read(message as object).id);
    const behind = messages.slice(messages.findIndex((message) => message.id === asked.at(-1)) + 1);
    const end = behind.findIndex((message) => read(message).role === "user");
    const answer = end < 0 ? behind : behind.slice(0, end);
    if (answer.length > 0) thread.update({ messages: answer.map((message) => removeMessage(message.id as string)) });
  }
  pending.rollback();
}
