// The cost of a decision over a long list, compared with the middlewares of langchain and deepagents. All get the same
// instances, plus a new one at the end each time.
import { Context, repairToolCalls } from "threadfold/context";
import { langchain, takingTurns } from "../langchain.mjs";

const SIZES = [100, 1_000, 10_000];
const LIMIT = 1e9;
const KEEP = 20;

/** The rows, in µs a decision; undefined without langchain. */
export async function middlewareCosts(quick) {
  const theirs = await langchain("@langchain/core/messages", "langchain", "deepagents");
  if (!theirs) return undefined;
  const results = [];
  for (const n of SIZES)
    for (const [name, contenders] of [
      ["context, due beside the middlewares that summarize", deciders(theirs, n)],
      ["context, repairToolCalls beside deepagents' middleware", repairers(theirs, n)],
    ]) {
      const timed = Object.fromEntries(Object.entries(contenders).map(([who, does]) => [who, () => time(does)]));
      results.push({ name, n, us: await takingTurns(timed, { quick, milliseconds: 300 }) });
    }
  return results;
}

async function time(does) {
  const began = performance.now();
  await does();
  return (performance.now() - began) * 1000;
}

const text = (at) => `${at}: ${"The answer to that depends on what you ask. ".repeat(3)}`;

/** Returns a function that returns the messages and one more. */
function growing(messages, { HumanMessage }) {
  let turn = 0;
  return () => [...messages, new HumanMessage({ id: `turn${turn++}`, content: text(turn) })];
}

/** Nothing is due. */
function deciders(theirs, n) {
  const { AIMessage, HumanMessage, summarizationMiddleware, createSummarizationMiddleware, StateBackend } = theirs;
  const next = growing(
    Array.from(
      { length: n - 1 },
      (_, at) => new (at % 2 ? AIMessage : HumanMessage)({ id: `m${at}`, content: text(at) }),
    ),
    theirs,
  );
  // It is asked for nothing here.
  const model = { _llmType: () => "none", invoke: () => Promise.reject(new Error("asked")) };
  const context = new Context({ trigger: { tokens: LIMIT }, keep: { messages: KEEP } });
  const { beforeModel } = summarizationMiddleware({ model, trigger: { tokens: LIMIT }, keep: { messages: KEEP } });
  const { wrapModelCall } = createSummarizationMiddleware({
    model,
    backend: (config) => new StateBackend(config),
    trigger: { type: "tokens", value: LIMIT },
    keep: { type: "messages", value: KEEP },
  });
  const nothingDue = (isDue) => {
    if (isDue) throw new Error("Something is due.");
  };
  return {
    threadfold: () => nothingDue(context.of(next()).due !== null),
    langchain: async () => nothingDue((await beforeModel({ messages: next() }, { context: {} })) !== undefined),
    deepagents: async () => {
      const messages = next();
      const sent = await wrapModelCall({ model, messages, state: {}, tools: [] }, (request) => request.messages);
      nothingDue(sent.length !== messages.length);
    },
  };
}

/** One of many calls has no result. */
function repairers(theirs, n) {
  const { AIMessage, ToolMessage, createPatchToolCallsMiddleware } = theirs;
  const turn = (at) => [
    new AIMessage({ id: `a${at}`, content: "", tool_calls: [{ id: `c${at}`, name: "look", args: {} }] }),
    ...(at === 1 ? [] : [new ToolMessage({ id: `t${at}`, tool_call_id: `c${at}`, content: text(at) })]),
  ];
  const next = growing(Array.from({ length: n / 2 }, (_, at) => turn(at)).flat(), theirs);
  const { wrapModelCall } = createPatchToolCallsMiddleware();
  const check = (repaired) => {
    if (repaired.length !== n + 1) throw new Error(`It has ${repaired.length} messages.`);
  };
  return {
    threadfold: () => check(repairToolCalls(next())),
    deepagents: async () => check(await wrapModelCall({ messages: next() }, (request) => request.messages)),
  };
}
