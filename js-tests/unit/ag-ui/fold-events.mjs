// `node js-tests/unit/ag-ui/fold-events.mjs` records the threads that random streams of AG-UI lead to, in
// fold-events.json. TypeScript's fold (fold-events.test.ts) and Rust's (tests/streams/ag_ui_words.rs) must both give
// these.
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { numbers } from "../context/corpus.mjs";

const COUNT = 100;
const IDS = ["m1", "m2", "m3", "a1", "r1"];
const CALLS = ["c1", "c2"];
const DELTAS = ["x", "yz", "", "é", '{"a":', "1}"];

/** The events of a stream, by their type. Each field is one of those listed; `undefined` leaves it out. */
const message = { messageId: IDS };
const call = { toolCallId: CALLS };
const PATCH = [
  [{ op: "add", path: "/n", value: 1 }],
  [{ op: "add", path: "/list/-", value: 2 }],
  [{ op: "copy", from: "/messages", path: "/kept" }],
  [{ op: "remove", path: "/messages" }, { op: "unknown" }],
  [{ op: "replace", path: "", value: { whole: true } }],
  [],
];
const told = (id, role, more) => ({ id, role, content: `${role} ${id}`, ...more });
const MESSAGES = [
  told("m1", "user"),
  told("m2", "assistant"),
  told("m2", "assistant", { toolCalls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }] }),
  told("m3", "alien"),
  told("m3", "user", { type: "human" }),
  told("t1", "tool", { toolCallId: "c1" }),
  told("r1", "reasoning", { subagentRunId: null }),
  { id: "a1", role: "activity", activityType: "PLAN", content: { n: 1 } },
];
const EVENTS = {
  TEXT_MESSAGE_START: { ...message, role: [undefined, "assistant", "user", "alien"], name: [undefined, "Ada"] },
  TEXT_MESSAGE_CONTENT: { ...message, delta: DELTAS },
  TEXT_MESSAGE_END: message,
  TEXT_MESSAGE_CHUNK: { messageId: [undefined, ...IDS], role: [undefined, "assistant"], delta: [undefined, ...DELTAS] },
  REASONING_MESSAGE_START: message,
  REASONING_MESSAGE_CONTENT: { ...message, delta: DELTAS },
  REASONING_MESSAGE_END: message,
  REASONING_MESSAGE_CHUNK: { messageId: [undefined, "r1", "r2"], delta: [undefined, ...DELTAS] },
  REASONING_ENCRYPTED_VALUE: {
    subtype: ["message", "tool-call"],
    entityId: [...IDS, ...CALLS],
    encryptedValue: ["secret"],
  },
  THINKING_START: {},
  THINKING_TEXT_MESSAGE_START: {},
  THINKING_TEXT_MESSAGE_CONTENT: { delta: DELTAS },
  THINKING_TEXT_MESSAGE_END: {},
  TOOL_CALL_START: { ...call, toolCallName: ["f", "g"], parentMessageId: [undefined, "", ...IDS, "new"] },
  TOOL_CALL_ARGS: { ...call, delta: DELTAS },
  TOOL_CALL_END: call,
  TOOL_CALL_CHUNK: { toolCallId: [undefined, ...CALLS], toolCallName: [undefined, "f"], delta: [undefined, ...DELTAS] },
  TOOL_CALL_RESULT: { ...call, messageId: ["t1", "t2", "m1"], content: ["42", [{ type: "text", text: "42" }]] },
  STATE_SNAPSHOT: { snapshot: [null, [1], {}, { list: [1] }, { messages: ["own"], n: 2 }] },
  STATE_DELTA: { delta: PATCH },
  ACTIVITY_SNAPSHOT: {
    messageId: ["a1", "a2", "m1"],
    activityType: ["PLAN", "FIND"],
    content: [{ n: 1 }, { list: [] }],
    replace: [undefined, true, false],
  },
  ACTIVITY_DELTA: { messageId: ["a1", "a2", "m1"], activityType: ["PLAN", "FIND"], patch: PATCH.slice(0, 2) },
  STEP_STARTED: { stepName: ["s"] },
  CUSTOM: { name: ["n"], value: [1] },
};
const METADATA = [{ cost: 1 }, { cost: 2, by: "x" }, {}];
const OWN = [null, ["PLAN"], [], "x"].map((types) => ({ "@ag-ui/client": { authoritativeActivityTypes: types } }));

/** Random runs: each a list of events. */
function makeStream(next) {
  const pick = (list) => list[next(list.length)];
  const fields = (of) =>
    Object.fromEntries(
      Object.entries(of).flatMap(([name, values]) => {
        const value = pick(values);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const more = () => ({
    ...(next(8) === 0 && { metadata: pick(METADATA) }),
    ...(next(12) === 0 && { subagentRunId: pick(["s1", null]) }),
  });
  const event = () => {
    if (next(14) === 0) {
      const messages = MESSAGES.filter(() => next(2) === 0).filter(
        ({ id }, at, all) => all.findIndex((it) => it.id === id) === at,
      );
      return { type: "MESSAGES_SNAPSHOT", messages, ...(next(3) === 0 && { metadata: pick(OWN) }) };
    }
    const type = pick(Object.keys(EVENTS));
    // A patch that fails leaves an activity as it was in Rust; here it gets the event's metadata.
    return { type, ...fields(EVENTS[type]), ...(type !== "ACTIVITY_DELTA" && more()) };
  };
  const run = (at) => [
    {
      type: "RUN_STARTED",
      threadId: "t",
      runId: `r${next(4) === 0 ? 0 : at}`,
      ...(next(3) === 0 && { input: { messages: [pick(MESSAGES)] } }),
    },
    ...Array.from({ length: 4 + next(14) }, event),
    ...pick([
      [{ type: "RUN_FINISHED", threadId: "t", runId: `r${at}` }],
      [
        {
          type: "RUN_FINISHED",
          outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "why", subagentRunId: null }] },
        },
      ],
      [{ type: "RUN_FINISHED", outcome: { type: "cancelled" } }],
      [{ type: "RUN_ERROR", message: "No", code: "e" }],
      [],
    ]),
  ];
  return [run(0), run(1)];
}

/** Ids that are made anew each time, by their first place. */
function withNames(value) {
  const known = [];
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const name = (id) => `new ${(known.includes(id) ? 0 : known.push(id), known.indexOf(id))}`;
  return JSON.parse(JSON.stringify(value).replace(uuid, name));
}

/** Returns the thread after each of a stream's runs. */
export async function threadsOf(runs) {
  const thread = new Thread();
  const seen = [];
  for (const events of runs) {
    const refused = new Set();
    const off = thread.on("error", (_, event) => refused.add(events.indexOf(event)));
    await foldAgUi(thread, events);
    off();
    const { status, interrupts } = thread.run;
    seen.push({
      state: thread.getConfirmedState(),
      incomplete: [...thread.incompleteIds],
      run: { status, ...(interrupts && { interrupts }) },
      refused: [...refused].filter((at) => isRefused(events[at])).sort((a, b) => a - b),
    });
  }
  thread.dispose();
  return withNames(seen);
}

/** A call without a parent of its own is folded all the same. The others are reported as the events that they stand for. */
const isRefused = (event) =>
  event !== undefined && !/^(TOOL_CALL_START|STATE_DELTA|THINKING_.*|.*_CHUNK)$/.test(event.type);

if (import.meta.url === pathToFileURL(argv[1]).href) {
  const next = numbers(20261126);
  const lines = [];
  for (let at = 0; at < COUNT; at++) {
    const runs = makeStream(next);
    lines.push(JSON.stringify({ runs, threads: await threadsOf(runs) }));
  }
  writeFileSync(fileURLToPath(new URL("fold-events.json", import.meta.url)), `[\n${lines.join(",\n")}\n]\n`);
}
