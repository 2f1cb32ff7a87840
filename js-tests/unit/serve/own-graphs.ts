// The graphs of graphs.ts, made with `threadfold/graph`: messages are plain, and a model streams by its node's context.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph, type NodeContext } from "threadfold/graph";
import { answerTo } from "./graphs";
import type { MessageObject } from "../../../pkg-template/src/state/message-types.js";

const State = defineSchema({
  messages: field.messages(),
  todos: field.reducer((_: object[], next: object[]) => next, { default: () => [] }),
  log: field.append<string>(),
  tools: field.replace<object[]>(),
});

let said = 0;

/** Answers as the ScriptedModel does. */
async function model(messages: readonly object[], ctx: NodeContext, pause = 0) {
  const { text = "", calls = [] } = answerTo(messages as never);
  const id = `said-${++said}`;
  const say = async (fields: object) => {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    ctx.signal.throwIfAborted();
    ctx.message({ type: "AIMessageChunk", id, content: "", tool_call_chunks: [], ...fields });
  };
  if (ctx.streams("messages") || pause > 0) {
    for (const content of text.match(/\s*\S+/g) ?? []) await say({ content });
    for (const [index, { id: call, name, args }] of calls.entries()) {
      const json = JSON.stringify(args);
      await say({ tool_call_chunks: [{ index, id: call, name, args: json.slice(0, 5) }] });
      await say({ tool_call_chunks: [{ index, args: json.slice(5) }] });
    }
  }
  return { type: "ai" as const, id, content: text, tool_calls: [...calls] as never };
}

const last = ({ messages = [] }: { messages?: readonly MessageObject[] }) =>
  messages.at(-1) as unknown as {
    id: string;
    content: unknown;
    tool_calls?: { id: string; args: { city?: string } }[];
  };

export function ownChatGraph({ checkpointer = true, pause = 0 }: { checkpointer?: boolean; pause?: number } = {}) {
  return new StateGraph(State)
    .addNode("plan", () => ({ todos: [{ content: "Answer", status: "in_progress" }], log: ["planned"] }))
    .addNode("model", async ({ messages }, ctx) => {
      const answer = await model(messages, ctx, pause);
      ctx.write({ name: "progress", value: messages.length });
      return { messages: [answer], log: ["answered"] };
    })
    .addNode("act", (state) => ({
      messages: (last(state).tool_calls ?? []).map(({ id, args }) => ({
        type: "tool" as const,
        id: `result-${id}`,
        tool_call_id: id,
        content: `sunny in ${args.city}`,
      })),
    }))
    .addNode("ask", ({ messages }, { interrupt }) => {
      const answer: unknown = interrupt({ question: "Send the mail?", tool_call_id: "call-mail" });
      const isSent = answer === true || (answer as { approved?: boolean } | null)?.approved === true;
      return { messages: [{ type: "ai", id: `mailed-${messages.length}`, content: isSent ? "Sent." : "Not sent." }] };
    })
    .addNode("close", () => ({ todos: [{ content: "Answer", status: "completed" }] }))
    .addEdge(START, "plan")
    .addConditionalEdges("plan", (state) => (/mail/i.test(String(last(state).content)) ? "ask" : "model"))
    .addConditionalEdges("model", (state) => (last(state).tool_calls?.length ? "act" : "close"))
    .addEdge("act", "model")
    .addEdge("ask", "close")
    .addEdge("close", END)
    .compile(checkpointer ? { checkpointer: new MemorySaver() } : {});
}

export function ownNestedGraph() {
  const Talk = defineSchema({ messages: field.messages() });
  const inner = (text: string) =>
    new StateGraph(Talk)
      .addNode("speak", async ({ messages }, ctx) => ({ messages: [await model(messages, ctx)] }))
      .addNode("end", () => ({ messages: [{ type: "ai", id: `${text}-end`, content: text }] }))
      .addEdge(START, "speak")
      .addEdge("speak", "end")
      .addEdge("end", END)
      .compile();
  return new StateGraph(Talk)
    .addNode("team", inner("within"))
    .addNode("tools", async ({ messages }, ctx) => {
      await inner("of the tool").invoke({ messages }, ctx);
      return { messages: [{ type: "ai", id: "summary", content: "The tool is done." }] };
    })
    .addEdge(START, "team")
    .addEdge("team", "tools")
    .addEdge("tools", END)
    .compile({ checkpointer: new MemorySaver() });
}

export function ownHalfGraph(checkpointer?: MemorySaver) {
  let runs = 0;
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("half", () => ({ messages: [{ type: "ai", id: `half-${++runs}`, content: `half ${runs}` }] }))
    .addNode("other", async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (!checkpointer && runs === 1) throw new Error("The other half is out.");
      return { messages: [{ type: "ai", id: "other", content: `and half ${runs}` }] };
    })
    .addEdge(START, "half")
    .addEdge(START, "other")
    .compile({ checkpointer: checkpointer ?? new MemorySaver() });
}
