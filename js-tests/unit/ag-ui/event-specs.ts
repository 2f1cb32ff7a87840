// Random runs in AG-UI's events, as a server may send them.
import * as fc from "fast-check";

export type Event = { type: string } & Record<string, unknown>;

const TEXT_IDS = ["m1", "m2", "m3", "m4"];
const REASONING_IDS = ["r1", "r2"];
const CALL_IDS = ["c1", "c2", "c3", "c4"];
const ACTIVITY_IDS = ["a1", "a2", "m1"];

const delta = fc.constantFrom("x", "yz", "", "é", '{"a":', "1}");
const metadata = fc.option(fc.constantFrom({ cost: 1 }, { cost: 2, by: "tool" }, {}), { nil: undefined, freq: 4 });
const attribution = fc.option(fc.constantFrom("sub1", null), { nil: undefined, freq: 5 });

/** An event with those of its optional fields that are there. */
const event = <T extends Record<string, fc.Arbitrary<unknown>>>(type: string, fields: T): fc.Arbitrary<Event> =>
  fc
    .record({ type: fc.constant(type), ...fields, metadata, subagentRunId: attribution })
    .map(defined) as fc.Arbitrary<Event>;

const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const stream = (ids: string[], prefix: string, start: Record<string, fc.Arbitrary<unknown>>) =>
  fc.constantFrom(...ids).chain((id) => {
    const messageId = fc.constant(id);
    return fc
      .tuple(
        event(`${prefix}_START`, { messageId, ...start }),
        fc.array(event(`${prefix}_CONTENT`, { messageId, delta }), { maxLength: 4 }),
        event(`${prefix}_END`, { messageId }),
      )
      .map(([first, middle, last]) => [first, ...middle, last]);
  });

const text = stream(TEXT_IDS, "TEXT_MESSAGE", {
  role: fc.constantFrom(undefined, "assistant", "user", "system", "developer"),
  name: fc.constantFrom(undefined, "Ada"),
});
const reasoning = stream(REASONING_IDS, "REASONING_MESSAGE", { role: fc.constant("reasoning") });

const toolCall = fc.constantFrom(...CALL_IDS).chain((id) => {
  const toolCallId = fc.constant(id);
  return fc
    .tuple(
      event("TOOL_CALL_START", {
        toolCallId,
        toolCallName: fc.constantFrom("search", "plan"),
        parentMessageId: fc.constantFrom(undefined, ...TEXT_IDS, "m9", "t-c1"),
      }),
      fc.array(event("TOOL_CALL_ARGS", { toolCallId, delta }), { maxLength: 4 }),
      event("TOOL_CALL_END", { toolCallId }),
    )
    .map(([first, middle, last]) => [first, ...middle, last]);
});

const result = fc.constantFrom(...CALL_IDS).chain((id) =>
  event("TOOL_CALL_RESULT", {
    messageId: fc.constant(`t-${id}`),
    toolCallId: fc.constant(id),
    content: fc.constantFrom("42", "", [{ type: "text", text: "42" }]),
    role: fc.constantFrom(undefined, "tool"),
  }),
);

const encrypted = fc.oneof(
  event("REASONING_ENCRYPTED_VALUE", {
    subtype: fc.constant("message"),
    entityId: fc.constantFrom(...REASONING_IDS, "m1", "a1", "unknown"),
    encryptedValue: fc.constantFrom("s3cret", "other"),
  }),
  event("REASONING_ENCRYPTED_VALUE", {
    subtype: fc.constant("tool-call"),
    entityId: fc.constantFrom(...CALL_IDS, "unknown"),
    encryptedValue: fc.constant("s3cret"),
  }),
);

const value = fc.constantFrom<unknown>(null, 1, "s", [1, 2], { deep: { er: [1] } }, { list: [] });
const operation = fc.oneof(
  fc.record({
    op: fc.constantFrom("add", "replace"),
    path: fc.constantFrom("/a", "/b/deep", "/list/-", "/list/0", "/messages", "/x~1y"),
    value,
  }),
  fc.record({ op: fc.constant("remove"), path: fc.constantFrom("/a", "/list/0", "/nowhere") }),
  fc.record({
    op: fc.constantFrom("move", "copy"),
    from: fc.constantFrom("/a", "/b", "/messages"),
    path: fc.constantFrom("/c", "/list/0"),
  }),
  fc.record({ op: fc.constant("test"), path: fc.constant("/a"), value }),
);
const stateful = fc.oneof(
  event("STATE_SNAPSHOT", {
    snapshot: fc.constantFrom<unknown>(
      null,
      {},
      { a: 1, list: [1] },
      { a: { deep: 1 }, b: { deep: 2 }, list: [], "x/y": 1 },
      { messages: [{ type: "human", id: "h", content: "hi" }], a: 2 },
      // No text: fast-json-patch takes a patch of one for done, and leaves it as it was.
      [1, 2],
    ),
  }),
  event("STATE_DELTA", { delta: fc.array(operation, { minLength: 1, maxLength: 3 }) }),
);

const activity = fc.oneof(
  event("ACTIVITY_SNAPSHOT", {
    messageId: fc.constantFrom(...ACTIVITY_IDS),
    activityType: fc.constantFrom("PLAN", "SEARCH"),
    content: fc.constantFrom({ a: 1 }, { list: [1, 2], b: {} }, {}),
    replace: fc.constantFrom(undefined, true, false),
  }),
  event("ACTIVITY_DELTA", {
    messageId: fc.constantFrom(...ACTIVITY_IDS, "unknown"),
    activityType: fc.constantFrom("PLAN", "SEARCH"),
    patch: fc.array(operation, { maxLength: 2 }),
  }),
);

const heard = fc.oneof(
  event("RAW", { event: fc.constant({ any: 1 }) }),
  event("CUSTOM", { name: fc.constant("n"), value }),
  event("STEP_STARTED", { stepName: fc.constant("s") }),
  event("STEP_FINISHED", { stepName: fc.constant("s") }),
  event("REASONING_START", { messageId: fc.constant("r1") }),
  event("REASONING_END", { messageId: fc.constant("r1") }),
  event("SUBAGENT_STARTED", { name: fc.constant("n") }),
  event("SUBAGENT_FINISHED", { result: value }),
  event("SUBAGENT_ERROR", { message: fc.constant("m") }),
);

/** Events for missing messages and calls. */
const stray = fc.oneof(
  event("TEXT_MESSAGE_CONTENT", { messageId: fc.constant("unknown"), delta }),
  event("TEXT_MESSAGE_END", { messageId: fc.constant("unknown") }),
  event("TOOL_CALL_ARGS", { toolCallId: fc.constant("unknown"), delta }),
  event("TOOL_CALL_END", { toolCallId: fc.constant("unknown") }),
);

const block = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: toolCall },
  { weight: 2, arbitrary: reasoning },
  { weight: 3, arbitrary: result.map((one) => [one]) },
  { weight: 3, arbitrary: stateful.map((one) => [one]) },
  { weight: 2, arbitrary: activity.map((one) => [one]) },
  { weight: 1, arbitrary: encrypted.map((one) => [one]) },
  { weight: 1, arbitrary: heard.map((one) => [one]) },
  { weight: 1, arbitrary: stray.map((one) => [one]) },
);

/** Streams that come at the same time. */
const woven = fc
  .tuple(fc.array(block, { minLength: 1, maxLength: 3 }), fc.infiniteStream(fc.nat(2)))
  .map(([blocks, choices]) => {
    const waiting = blocks.map((events) => [...events]);
    const events: Event[] = [];
    for (const choice of choices) {
      const left = waiting.filter((one) => one.length > 0);
      const next = left[choice % left.length]?.shift();
      if (!next) break;
      events.push(next as Event);
    }
    return events;
  });

/** A message as a server may have stored it. */
export const message: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    id: fc.constantFrom("u1", "u2"),
    role: fc.constant("user"),
    content: fc.constantFrom<unknown>("Q", [{ type: "text", text: "Q" }]),
  }),
  fc.record({ id: fc.constantFrom(...TEXT_IDS), role: fc.constant("assistant"), content: fc.constantFrom("A", "B") }),
  fc.record({
    id: fc.constantFrom(...TEXT_IDS),
    role: fc.constant("assistant"),
    toolCalls: fc
      .constantFrom(...CALL_IDS)
      .map((id) => [{ id, type: "function", function: { name: "search", arguments: "Q" } }]),
  }),
  fc.record({
    id: fc.constantFrom("t-c1", "t-c2"),
    role: fc.constant("tool"),
    toolCallId: fc.constantFrom("c1", "c2"),
    content: fc.constant("R"),
  }),
  fc
    .record({
      id: fc.constantFrom("r1", "r2"),
      role: fc.constant("reasoning"),
      content: fc.constant("T"),
      subagentRunId: fc.constantFrom(undefined, null, "sub1"),
    })
    .map(defined),
  fc.record({
    id: fc.constantFrom("a1", "a2"),
    role: fc.constant("activity"),
    activityType: fc.constantFrom("PLAN", "SEARCH"),
    content: fc.constant({ a: 9 }),
  }),
) as unknown as fc.Arbitrary<Event>;

/** Messages with one message for an id, and one for a tool call's result. */
export const conversation = fc
  .uniqueArray(message, { maxLength: 5, selector: (one) => one["id"] })
  .map((messages) => messages.filter((one, at) => messages.findIndex((other) => own(one) === own(other)) === at));
const own = (one: Event) =>
  one["toolCallId"] ?? (one["toolCalls"] as { id: string }[] | undefined)?.[0]?.id ?? one["id"];

const snapshot = fc
  .tuple(conversation, fc.constantFrom<unknown>(undefined, null, [], ["PLAN"], "nonsense"))
  .map(([messages, types]): Event => ({
    type: "MESSAGES_SNAPSHOT",
    messages,
    ...(types !== undefined && { metadata: { "@ag-ui/client": { authoritativeActivityTypes: types } } }),
  }));

/** A run: its parts, with snapshots between them when nothing is being streamed. */
export const run = (options: { snapshots: boolean }): fc.Arbitrary<Event[]> =>
  fc
    .tuple(
      fc.option(conversation, { nil: undefined }),
      fc.array(
        options.snapshots
          ? fc.oneof({ weight: 4, arbitrary: woven }, { weight: 1, arbitrary: snapshot.map((one) => [one]) })
          : woven,
        { maxLength: 5 },
      ),
      fc.constantFrom<Event>(
        { type: "RUN_FINISHED", threadId: "t1", runId: "r1" },
        { type: "RUN_ERROR", message: "m" },
      ),
    )
    .map(([messages, parts, last]) => [
      {
        type: "RUN_STARTED",
        threadId: "t1",
        runId: "r1",
        ...(messages && { input: { threadId: "t1", runId: "r1", messages, tools: [], context: [] } }),
      },
      ...parts.flat(),
      last,
    ]);
