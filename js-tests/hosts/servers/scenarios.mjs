// The turns for each graph of python/graphs.py. A turn is a user message or an answer to an interrupt.

const askUser = {
  name: "ask_user",
  description: "Ask the user a question",
  parameters: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
};

/**
 * @typedef {{ say: string } | { resume: unknown }} Turn
 * @typedef {{ turns: Turn[], tools?: { name: string, description: string, parameters: object }[] }} Scenario
 */

/** @type {Record<string, Scenario>} */
export const SCENARIOS = {
  chat: { turns: [{ say: "Hello" }, { say: "And again" }] },
  todos: { turns: [{ say: "What is 6 times 7?" }], tools: [askUser] },
  parallel: { turns: [{ say: "Is it warm?" }] },
  files: { turns: [{ say: "Write them" }, { say: "Tidy up" }] },
  prune: { turns: [{ say: "One" }, { say: "Two" }, { say: "Three" }] },
  redact: { turns: [{ say: "My number is 12345" }, { say: "It was 67890 before" }] },
  clear: { turns: [{ say: "Remember me" }, { say: "Forget me" }, { say: "Who am I?" }] },
  approval: { turns: [{ say: "Mail Ada" }, { resume: true }] },
  subgraph: { turns: [{ say: "Look it up" }] },
  consent: { turns: [{ say: "Tidy up" }, { resume: true }] },
  fail: { turns: [{ say: "Break off" }, { say: "Once more" }] },
  log: { turns: [{ say: "One" }, { say: "Two" }, { say: "Three" }] },
  remove_unknown: { turns: [{ say: "Remove the stranger" }, { say: "No, leave it" }] },
};

/** Those that only the LangGraph server runs: an interrupt in a graph within the graph. */
const LANGGRAPH_ONLY = ["consent"];

export const LANGGRAPH_GRAPHS = Object.keys(SCENARIOS);
/** Those that both servers run. */
export const GRAPHS = LANGGRAPH_GRAPHS.filter((graph) => !LANGGRAPH_ONLY.includes(graph));

/** The turns that end in an error, by their numbers, on both servers but where one is named. */
/** @type {Record<string, number[]>} */
export const FAILING = { fail: [1], remove_unknown: [1] };
/** @type {Record<string, number[]>} */
export const FAILING_AG_UI = { ...FAILING, remove_unknown: [1, 2] };

/**
 * The turns in which a server changes an answer that was streamed whole. LangGraph first sends the state with the
 * original answer. Over AG-UI the first snapshot with the answer contradicts the stream.
 * @type {Record<string, number[]>}
 */
export const CHANGED_AFTERWARDS = { redact: [1, 2] };

/**
 * The text that a subgraph streamed in this turn before it asked: the server's state lacks it until the interrupt is
 * answered.
 * @type {Record<string, Record<number, string>>}
 */
export const SAID_BEFORE_ASKING = { consent: { 1: "I would delete three files." } };

/**
 * The turns in which the server removes the user message. An agent of @ag-ui/client never had it pending.
 * @type {Record<string, number[]>}
 */
export const TAKEN_BACK = { clear: [2] };

/** Those that are also run in LangGraph's protocol v2. */
export const V2_GRAPHS = ["chat", "todos", "parallel", "redact", "clear", "approval", "subgraph", "consent", "fail"];
