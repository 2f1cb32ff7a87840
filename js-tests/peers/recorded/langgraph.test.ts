// Recorded runs of the LangGraph server, folded: at the end of each the thread is what the server holds.
import { defineSchema, field, Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { FAILING, SAID_BEFORE_ASKING } from "../../hosts/servers/scenarios.mjs";
import { withoutEmpty } from "../../support/without-empty";
import { expectAllKept, expectHeldAndSaid, expectInSync, gist } from "./checks";
import { listRecordings, readRecording, type Part } from "./format.mjs";
import { held, plain, Witness } from "./witness";

const append = (left: string[], right: string[]) => [...left, ...right];

/** The fields of the graphs whose reducers the client can run itself. */
const SCHEMAS = {
  chat: defineSchema({ messages: field.messages() }),
  todos: defineSchema({ messages: field.messages(), todos: field.todos() }),
  files: defineSchema({ messages: field.messages(), files: field.files() }),
  redact: defineSchema({ messages: field.messages() }),
  clear: defineSchema({ messages: field.messages() }),
  prune: defineSchema({ messages: field.messages() }),
  log: defineSchema({
    messages: field.messages(),
    log: field.reducer(append, { default: () => [] as string[] }),
    count: field.reducer((left: number, right: number) => left + right, { default: () => 0 }),
  }),
};

async function* stream(parts: Part[]) {
  for (const part of parts) yield plain(part);
}

/** Folds turn after turn, each into what the one before left. */
async function replay(thread: Thread, name: string): Promise<void> {
  const graph = name.replace(/\..*/, "");
  const failing = FAILING[graph] ?? [];
  const witness = new Witness(thread);
  for (const [index, { request, parts, state }] of readRecording("langgraph", name).turns.entries()) {
    const before = held(thread.getConfirmedState());
    if (request.input) thread.optimistic(request.input);
    await foldLangGraph(thread, stream(parts)).catch(() => {});
    const server = state.values && held(state.values);
    if (failing.includes(index + 1)) expectAllKept(witness.see(), server, before);
    else expectStillInSync(graph, index + 1)(witness.see(), server);
  }
}

/** The same, when the run had ended before: what it had taken along is over. */
function expectStillInSync(graph: string, turn: number): typeof expectInSync {
  const said = SAID_BEFORE_ASKING[graph]?.[turn];
  return said === undefined ? expectInSync : expectHeldAndSaid(said);
}

describe("a thread without a schema", () => {
  test.each(listRecordings("langgraph"))("is in sync after each run of %s", (name) => replay(new Thread(), name));
});

describe("a thread with a schema", () => {
  const threads = Object.entries(SCHEMAS).map(
    ([name, schema]) => [name, () => new Thread({ schema: schema as never })] as const,
  );

  test.each(threads)("is in sync after each run of %s", async (name, thread) => {
    await replay(thread(), name);
    await replay(thread(), `${name}.two-modes`);
  });

  test.each(threads)("needs no state of the server's to know what %s does", async (name, make) => {
    const thread = make();
    for (const { request, parts, state } of readRecording("langgraph", name).turns) {
      thread.update(request.input);
      await foldLangGraph(thread, stream(parts.filter(({ event }) => event !== "values")));
      const { messages, fields } = held(thread.getConfirmedState());
      const server = held(state.values);
      expect(messages.map(gist)).toEqual(server.messages.map(gist));
      expect(fields).toMatchObject(server.fields);
    }
  });
});

test("a token that was lost is drift", async () => {
  const [turn] = readRecording("langgraph", "chat.two-modes").turns;
  const parts = turn?.parts ?? [];
  const lost = parts.findIndex(({ event, data }) => event === "messages" && data[0].content === "said ");
  const thread = new Thread();
  const witness = new Witness(thread);
  await foldLangGraph(thread, stream(parts.toSpliced(lost, 1)));
  const { drifts, confirmed } = witness.see();
  expect(drifts).toHaveLength(1);
  expect(confirmed).toEqual(held(turn?.state.values));
});

const whole = listRecordings("langgraph").filter((name) => !FAILING[name.replace(/\..*/, "")]);

test.each(whole)("a run of %s replayed, in part or in full, equals the run streamed once", async (name) => {
  const thread = new Thread();
  const witness = new Witness(thread);
  for (const [index, { request, parts, state }] of readRecording("langgraph", name).turns.entries()) {
    const graph = name.replace(/\..*/, "");
    if (request.input) thread.optimistic(request.input);
    await foldLangGraph(thread, stream(parts.slice(0, parts.length / 2)));
    await foldLangGraph(thread, stream(parts));
    expectStillInSync(graph, index + 1)(witness.see(), held(state.values));
    await foldLangGraph(thread, stream(parts));
    expectStillInSync(graph, index + 1)(witness.see(), held(state.values));
  }
});

test("a third of a run's parts come under an id that another part has had", () => {
  const parts = whole.flatMap((name) => readRecording("langgraph", name).turns.flatMap((turn) => turn.parts));
  const repeated = parts.filter(({ id }, index) => id === parts[index - 1]?.id);
  expect(repeated.length).toBeGreaterThan(parts.length / 5);
});

/** The updates say nothing of the fields that a thread without a schema lacks, nor how a run that failed ends. */
const DOUBTS: Readonly<Record<string, readonly string[]>> = {
  approval: ["sent: unknown-reducer"],
  consent: ["messages: order", "messages: gap"],
  log: ["count: unknown-reducer", "log: unknown-reducer"],
  redact: ["messages: order"],
  subgraph: ["messages: order", "verdict: unknown-reducer"],
};

describe("without its states, a run", () => {
  const names = listRecordings("langgraph").filter((name) => !name.includes("."));
  test.each(names)("of %s comes to the server's state, or the doubt is known", async (name) => {
    const thread = new Thread();
    for (const [index, { request, parts, state }] of readRecording("langgraph", name).turns.entries()) {
      if (request.input) thread.optimistic(request.input);
      const quiet = parts.filter(({ event = "" }) => !event.startsWith("values"));
      const { status } = await foldLangGraph(thread, stream(quiet));
      // The run after a failed one may lack writes that the server had saved.
      const isAfterFailure = (FAILING[name] ?? []).includes(index);
      const doubts = thread.doubts
        .filter(({ reason }) => !isAfterFailure || reason !== "bad-end")
        .map(({ field, reason }) => `${field}: ${reason}`)
        .sort();
      if (status === "error") {
        expect(doubts).toContain("messages: bad-end");
        expect(FAILING[name]).toContain(index + 1);
      } else {
        const doubtful = thread.doubts.map(({ field }) => field);
        expect(DOUBTS[name] ?? []).toEqual(expect.arrayContaining(doubts));
        const said = SAID_BEFORE_ASKING[name]?.[index + 1];
        expect(alike(thread.getConfirmedState(), doubtful, said)).toEqual(alike(state.values ?? {}, doubtful, said));
      }
      if (thread.doubts.length > 0) thread.receive({ type: "values", values: state.values ?? {} });
      expect(thread.doubts).toEqual([]);
    }
  });
});

/** A state without the fields in doubt, its messages as a page and a server both have them. */
function alike(state: object, doubtful: readonly string[], said: string | undefined): object {
  const { messages, fields } = held(state);
  const own = Object.entries(fields).filter(([name]) => !doubtful.includes(name));
  return {
    messages: messages.filter(({ content }) => said === undefined || content !== said).map(withoutEmpty),
    fields: Object.fromEntries(own),
  };
}
