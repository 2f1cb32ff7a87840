// A queued message is never shown as failed, whatever becomes of the run before it.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { Call, settled, told } from "./told-agent.js";

/** All statuses that subscribers see of the update that adds this message, each once. */
function looksAt(thread: Thread<AgUiState>, id: string): Set<string> {
  const seen = new Set<string>();
  const look = () => {
    for (const { status, update } of thread.pending) if (JSON.stringify(update).includes(`"${id}"`)) seen.add(status);
  };
  thread.subscribe(look);
  return seen;
}

const user = (id: string) => ({ id, role: "user" as const, content: id });

test("while an answer continues the run before it", async () => {
  const { thread, runner, calls } = told();
  const asked = runner.sendMessage("Pay");
  await settled();
  calls[0]?.begin().ask("i");
  await asked;
  const seen = looksAt(thread, "later");
  const later = runner.sendMessage(user("later"));
  const answered = runner.resume({ value: true });
  await settled();
  calls[1]?.begin().finish();
  expect(await answered).toMatchObject({ status: "finished" });
  await settled();
  calls[2]?.begin().finish();
  await later;
  expect([...seen]).toEqual(["pending", "sent"]);
});

/** A message that waits while the run of another is under way. */
async function queued(options: Parameters<typeof told>[0]) {
  const world = told(options);
  const { thread, runner, calls } = world;
  const first = runner.sendMessage(user("first"));
  await settled();
  calls[0]?.begin();
  await settled();
  const seen = looksAt(thread, "later");
  const later = runner.sendMessage(user("later"));
  return { ...world, first, seen, later };
}

test("while the run before it is cut off, and joined again", async () => {
  const { calls, joined, first, seen, later } = await queued({ joins: true, rejoinDelays: [0] });
  calls[0]?.cut();
  await settled();
  joined[0]?.begin().say("a").finish();
  await first;
  await settled();
  calls[1]?.begin().finish();
  await later;
  expect([...seen]).toEqual(["pending", "sent"]);
});

test.each(["fails", "cannot be joined"])("while the run before it %s", async (how) => {
  const options = how === "fails" ? {} : { joins: true, rejoinDelays: [0] };
  const { calls, joined, first, seen, later } = await queued(options);
  if (how === "fails") calls[0]?.fail("503");
  else calls[0]?.cut();
  await settled();
  joined[0]?.refuse?.(404);
  await first;
  await settled();
  calls[1]?.begin().finish();
  await later;
  expect([...seen]).toEqual(["pending", "sent"]);
});

test("while a run of another page is joined, which a load has found", async () => {
  const joined: Call[] = [];
  const calls: Call[] = [];
  const thread = new Thread<AgUiState>({ threadId: "t" });
  thread.optimistic({ messages: [user("later")] });
  const runner = new AgUiRunner(thread, {
    transport: {
      run: ({ runId }, { signal }) => begun(calls, new Call(runId, signal)),
      join: ({ runId }, { signal }) => begun(joined, new Call(runId, signal)),
      load: async () => ({ values: { messages: [] }, ...(joined.length === 0 && { runId: "r1" }) }),
    },
  });
  const seen = looksAt(thread, "later");
  const loaded = runner.load();
  await settled();
  joined[0]?.finish();
  await settled();
  calls[0]?.finish();
  await loaded;
  await settled();
  expect([...seen]).toEqual(["pending", "sent"]);
});

const begun = (calls: Call[], call: Call) => (calls.push(call.begin()), call as never);
