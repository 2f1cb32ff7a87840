// The chunk forms, expanded as `@ag-ui/client`'s transformChunks expands them.
import { type BaseEvent, transformChunks } from "@ag-ui/client";
import * as fc from "fast-check";
import { from, lastValueFrom, toArray } from "rxjs";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { type Event, finished, started } from "./agents.js";
import { reference } from "./reference.js";
import { seeded } from "../../support/seed.js";

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const delta = maybe(fc.constantFrom("a", "bc", ""));
const subagentRunId = fc.option(fc.constantFrom("s1", "s2"), { nil: undefined, freq: 3 });
const metadata = fc.option(fc.constantFrom({ cost: 1 }, { by: "x" }), { nil: undefined, freq: 3 });

const event = fc
  .oneof(
    fc.record({
      type: fc.constant("TEXT_MESSAGE_CHUNK"),
      messageId: maybe(fc.constantFrom("m1", "m2")),
      role: maybe(fc.constantFrom("assistant", "user")),
      name: maybe(fc.constant("Ada")),
      delta,
      subagentRunId,
      metadata,
    }),
    fc.record({
      type: fc.constant("TOOL_CALL_CHUNK"),
      toolCallId: maybe(fc.constantFrom("c1", "c2")),
      toolCallName: maybe(fc.constantFrom("search", "plan")),
      parentMessageId: maybe(fc.constantFrom("m1", "m3")),
      delta,
      subagentRunId,
      metadata,
    }),
    fc.record({
      type: fc.constant("REASONING_MESSAGE_CHUNK"),
      messageId: maybe(fc.constantFrom("r1", "r2")),
      delta,
      subagentRunId,
      metadata,
    }),
    fc.constantFrom<object>(
      { type: "RAW", event: {} },
      { type: "CUSTOM", name: "n", value: 1 },
      { type: "CUSTOM", name: "n", value: 1, subagentRunId: "s1" },
      { type: "STEP_STARTED", stepName: "s" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "s1" },
      { type: "SUBAGENT_ERROR", subagentRunId: "s2", message: "m" },
      { type: "ACTIVITY_SNAPSHOT", messageId: "a1", activityType: "PLAN", content: {} },
      { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    ),
  )
  .map((one) => JSON.parse(JSON.stringify(one)) as Event);

/** The events that the reference expands them to, up to where it gives up. */
async function expanded(events: Event[]): Promise<{ events: Event[]; whole: boolean }> {
  const through = from(events as unknown as BaseEvent[]).pipe(transformChunks());
  const seen: Event[] = [];
  try {
    await lastValueFrom(
      through.pipe((all) => {
        all.subscribe({ next: (one) => void seen.push(one as unknown as Event), error: () => {} });
        return all;
      }, toArray()),
      { defaultValue: [] },
    );
    return { events: seen, whole: true };
  } catch {
    return { events: seen, whole: false };
  }
}

async function compared(made: Event[]): Promise<void> {
  const run = [started(), ...made, finished()];
  const { events, whole } = await expanded(run);
  const thread = new Thread();
  const codes: string[] = [];
  thread.on("error", ({ code }) => codes.push(code));
  await foldAgUi(thread, run);
  expect(codes.includes("INVALID_ARGUMENT")).toBe(!whole);
  if (whole) expect(thread.getState().messages).toEqual((await reference(events)).messages);
}

test("the same messages, and an error where the reference throws", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 12 }), (made) => compared(made)),
    seeded("chunks", 2000),
  );
});

// Found by random seeds.
test.each([
  [
    "a message",
    [
      { type: "REASONING_MESSAGE_CHUNK", messageId: "r2", subagentRunId: "s1" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "s1" },
      { type: "REASONING_MESSAGE_CHUNK", messageId: "r2" },
      { type: "REASONING_MESSAGE_CHUNK", subagentRunId: "s1" },
    ],
  ],
  [
    "a call",
    [
      { type: "TOOL_CALL_CHUNK", toolCallId: "c1", toolCallName: "search", parentMessageId: "m1" },
      { type: "STEP_STARTED", stepName: "s" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "m1", subagentRunId: "s1" },
      { type: "TOOL_CALL_CHUNK" },
    ],
  ],
])("chunks without an id do not go on with what is over, though its message is open in another lane: %s", (_, made) =>
  compared(made as Event[]),
);

test("a chunk that cannot be is left out, and those after it are not", async () => {
  const thread = new Thread();
  const errors: string[] = [];
  thread.on("error", ({ message }) => errors.push(message));
  await foldAgUi(thread, [
    started(),
    { type: "TEXT_MESSAGE_CHUNK", delta: "lost" },
    { type: "TOOL_CALL_CHUNK", toolCallId: "c1", delta: "lost" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m1", delta: "a" },
    { type: "TEXT_MESSAGE_CHUNK", role: "user", delta: "lost" },
    { type: "TEXT_MESSAGE_CHUNK", delta: "b" },
    finished(),
  ] as Event[]);
  expect(thread.getState().messages).toEqual([{ id: "m1", role: "assistant", content: "ab" }]);
  expect(errors).toHaveLength(3);
});
