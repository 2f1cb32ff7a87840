// A run that is replayed, whole or from where it was cut, is there once.
import * as fc from "fast-check";
import { Thread, type ThreadState } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { finished, started, text } from "./agents.js";
import { conversation, type Event, run } from "./event-specs.js";
import { seeded } from "../../support/seed.js";

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function folded(thread: Thread, ...streams: Event[][]): Promise<unknown> {
  // Joins the run where the stream repeats earlier events. A different id makes it a different run.
  for (const [at, events] of streams.entries())
    await foldAgUi(thread, json(events) as Event[], at > 0 || thread.run.id !== undefined ? { join: true } : {});
  return json(thread.getState());
}

test("cut anywhere and replayed from its start, with or without a reload in between", async () => {
  await fc.assert(
    fc.asyncProperty(
      conversation,
      run({ snapshots: true }),
      fc.nat(),
      fc.boolean(),
      async (start, events, cut, reload) => {
        const values = { messages: start as never };
        const once = await folded(new Thread({ values }), events);
        let thread = new Thread({ values });
        await folded(thread, events.slice(0, cut % (events.length + 1)));
        if (reload) thread = Thread.fromJSON(json(thread) as object);
        expect(await folded(thread, events, events)).toEqual(once);
      },
    ),
    seeded("runs told again", 800),
  );
});

test("cut anywhere and joined after the last part", async () => {
  await fc.assert(
    fc.asyncProperty(run({ snapshots: true }), fc.nat(), async (events, cut) => {
      const once = await folded(new Thread(), events);
      const at = cut % (events.length + 1);
      expect(await folded(new Thread(), events.slice(0, at), events.slice(at))).toEqual(once);
    }),
    seeded("runs joined", 500),
  );
});

test("texts of an earlier run, replayed by a later one", async () => {
  const texts = fc.array(fc.tuple(fc.constantFrom("m1", "m2", "m3"), fc.string({ maxLength: 8 })), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(texts, fc.infiniteStream(fc.integer({ min: 1, max: 3 })), async (said, sizes) => {
      const once = new Map(said);
      const first = [started("r1"), ...[...once].flatMap(([id, whole]) => text(id, whole)), finished("r1")];
      // The same texts, in other parts.
      const again = [
        started("r2"),
        ...[...once].flatMap(([id, whole]) => text(id, ...inParts(whole, sizes))),
        finished("r2"),
      ];
      const thread = new Thread();
      const state = await folded(thread, first as Event[]);
      expect(await folded(thread, again as Event[])).toEqual(state);
    }),
    seeded("texts told again", 500),
  );
});

function inParts(whole: string, sizes: Iterable<number>): string[] {
  const parts: string[] = [];
  let rest = whole;
  for (const size of sizes) {
    if (rest === "") break;
    parts.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return parts;
}

test("local additions during the run outlast its replay", async () => {
  const thread = new Thread<ThreadState & { mood?: string }>();
  const events = [started(), ...text("m1", "a", "b"), finished()];
  await folded(thread, events.slice(0, 3) as Event[]);
  thread.update({ messages: [{ id: "u2", role: "user", content: "Own" }], mood: "calm" });
  const op = thread.optimistic({ messages: [{ id: "u3", role: "user", content: "Pending" }] });
  await folded(thread, events as Event[]);
  const { messages, mood } = thread.getState();
  expect(messages.map(({ id, content }) => [id, content]).toSorted()).toEqual([
    ["m1", "ab"],
    ["u2", "Own"],
    ["u3", "Pending"],
  ]);
  expect(mood).toBe("calm");
  // The run did not carry it.
  expect(op.status).toBe("pending");
});

test("a replay brings back the state that the run began with", async () => {
  const thread = new Thread();
  await folded(thread, [started("r0"), { type: "STATE_SNAPSHOT", snapshot: { log: [1] } }, finished("r0")] as Event[]);
  const events = [
    started("r1"),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/log/-", value: 2 }] },
    finished("r1"),
  ] as Event[];
  await folded(thread, events, events, events.slice(0, 2), events);
  expect(thread.getState()).toEqual({ messages: [], log: [1, 2] });
});
