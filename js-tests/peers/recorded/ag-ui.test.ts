// Recorded runs of the AG-UI server, folded: at the end of each the thread is what the server holds.
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { CHANGED_AFTERWARDS, FAILING_AG_UI, TAKEN_BACK } from "../../hosts/servers/scenarios.mjs";
import { NAMES, said, WHOLE } from "./ag-ui-runs";
import { holds } from "./ag-ui-state";
import { afterTakingBack, expectAllKept, expectInSync, expectInSyncAfterDrift } from "./checks";
import { readRecording, type Part } from "./format.mjs";
import { held, plain, Witness } from "./witness";

async function* stream(parts: Part[]) {
  for (const { data } of parts) yield plain(data);
}

/** What to expect after a turn. */
function syncAfter(name: string, turn: number): typeof expectInSync {
  if (CHANGED_AFTERWARDS[name]?.includes(turn)) return expectInSyncAfterDrift;
  return TAKEN_BACK[name]?.includes(turn) ? afterTakingBack(expectInSync) : expectInSync;
}

test.each(NAMES)("is in sync after each run of %s", async (name) => {
  const thread = new Thread();
  const witness = new Witness(thread);
  for (const [index, turn] of readRecording("ag-ui", name).turns.entries()) {
    const before = held(thread.getConfirmedState());
    const message = said(turn);
    if (message) thread.optimistic({ messages: [message] });
    await foldAgUi(thread, stream(turn.parts)).catch(() => {});
    const seen = witness.see();
    if (FAILING_AG_UI[name]?.includes(index + 1))
      expectAllKept(seen, "refused" in turn.state ? undefined : holds(turn.state), before);
    else syncAfter(name, index + 1)(seen, holds(turn.state));
  }
});

type Calls = { id: string; function: { name: string; arguments: string } }[] | undefined;

/** What is said, without the ids, which a tool's result gets anew in the snapshot, and with arguments as what they mean. */
const words = ({ role, content, toolCalls, toolCallId }: Record<string, unknown>) => {
  const calls = (toolCalls as Calls)?.map(({ id, function: called }) => [
    id,
    called.name,
    JSON.parse(called.arguments),
  ]);
  return { role, content: content ?? "", calls, toolCallId };
};

test.each(["chat", "todos", "parallel", "files", "log"])(
  "the stream of %s alone says all that was said",
  async (name) => {
    const thread = new Thread();
    for (const turn of readRecording("ag-ui", name).turns) {
      thread.update({ messages: [said(turn)] as never });
      await foldAgUi(thread, stream(turn.parts.filter(({ data }) => data.type !== "MESSAGES_SNAPSHOT")));
      expect(held(thread.getConfirmedState()).messages.map(words)).toEqual(holds(turn.state).messages.map(words));
    }
  },
);

test.each(WHOLE)("a run of %s replayed, in part or in full, equals the run streamed once", async (name) => {
  const thread = new Thread();
  const witness = new Witness(thread);
  for (const [index, turn] of readRecording("ag-ui", name).turns.entries()) {
    const message = said(turn);
    if (message) thread.optimistic({ messages: [message] });
    await foldAgUi(thread, stream(turn.parts.slice(0, turn.parts.length / 2)));
    await foldAgUi(thread, stream(turn.parts));
    const expectSync = syncAfter(name, index + 1);
    expectSync(witness.see(), holds(turn.state));
    // It has ended: that it is the same one once more has to be said.
    await foldAgUi(thread, stream(turn.parts), { join: true });
    expectSync(witness.see(), holds(turn.state));
  }
});
