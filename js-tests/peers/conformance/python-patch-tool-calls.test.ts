// patchToolCalls and, on the same conversations, safe cuts and repaired lists, compared with PatchToolCallsMiddleware.
import { patchToolCalls, repairToolCalls, safeCuts } from "threadfold/context";
import { expect, test } from "vitest";
import * as lists from "../../unit/context/conversations.js";
import {
  conversations,
  expectTold,
  type Given,
  type Message,
  messagesOf,
  replayContext,
  type Told,
} from "./context-records.js";

replayContext<Given, Told[] | null>("patch", ({ out }, messages) => {
  const patched = patchToolCalls(messages as never[]);
  if (!out) {
    expect(patched).toBe(messages);
    return;
  }
  // The update begins with the removal of all messages, which belongs to the state and not to the list.
  const [removal, ...told] = out;
  expect(removal).toMatchObject({ new: { type: "remove" } });
  expectTold(patched, told, messages);
});

test("the conversations of the records are cut without orphans, and repaired into lists that providers take", () => {
  for (const index of conversations.keys()) {
    const messages = plain(messagesOf({ messages: index }));
    const safe = safeCuts(messages as never[]);
    for (let target = 0; target <= messages.length; target++)
      expect(lists.orphans(messages, safe.cut(target)), `conversation ${index} at ${target}`).toBe(0);
    const repaired = repairToolCalls(messages as never[]) as unknown as lists.Message[];
    expect(lists.complaint(repaired, lists.waitingIn(repaired)), `conversation ${index}`).toBeUndefined();
  }
});

/** Chunks as their whole kinds, for brute force and the checker, which know no chunks. */
function plain(messages: readonly Message[]): lists.Message[] {
  const types: Record<string, string> = { AIMessageChunk: "ai", HumanMessageChunk: "human", ToolMessageChunk: "tool" };
  return messages.map((message) => {
    const type = message["type"] as string;
    return { ...message, type: types[type] ?? type } as unknown as lists.Message;
  });
}
