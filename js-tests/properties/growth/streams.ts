// The adapters' streams.
import { EventType, type BaseEvent } from "@ag-ui/client";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { foldLangGraph } from "threadfold/langgraph";
import { agentOf, finished, started, toolCall } from "../../unit/ag-ui/agents.js";
import { times } from "./lists.js";
import type { Case } from "./measure.js";
import { concatChunk } from "threadfold/langgraph";

type Event = { type: EventType } & Record<string, unknown>;

async function* each<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

const agUi = (name: string, events: (n: number) => Event[], from = 50, most?: number): Case => ({
  name: `foldAgUi: ${name}`,
  from,
  ...(most === undefined ? {} : { most }),
  prepare: (n) => {
    const all = [
      { type: EventType.RUN_STARTED, threadId: "t", runId: "r" },
      ...events(n),
      { type: EventType.RUN_FINISHED, threadId: "t", runId: "r" },
    ];
    const thread = new Thread();
    return async () => {
      await foldAgUi(thread, each(all) as AsyncIterable<BaseEvent> as never);
      thread.getState();
      thread.dispose();
    };
  },
});

const run = (name: string, parts: (n: number) => object[], most?: number, from = 50): Case => ({
  name: `foldLangGraph: ${name}`,
  from,
  ...(most === undefined ? {} : { most }),
  prepare: (n) => {
    const all = parts(n);
    const thread = new Thread();
    return async () => {
      await foldLangGraph(thread, each(all) as never);
      thread.getState();
      thread.dispose();
    };
  },
});

/** Short work is measured ten times over. */
const often =
  (operation: (n: number) => void): Case["prepare"] =>
  (n) =>
  () => {
    for (let time = 0; time < 10; time++) operation(n);
  };

const tuple = (message: object) => ({ event: "messages", data: [message, { langgraph_node: "agent" }] });
const v2 = (data: object) => ({ type: "event", method: "messages", params: { namespace: [], timestamp: 0, data } });
const chunk = (id: string, more: object) => ({ type: "AIMessageChunk", id, content: "", ...more });

export const streams: Case[] = [
  agUi("n tokens", (n) => [
    { type: EventType.TEXT_MESSAGE_START, messageId: "m", role: "assistant" },
    ...times(n, () => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: "m", delta: "x" })),
    { type: EventType.TEXT_MESSAGE_END, messageId: "m" },
  ]),
  agUi("n messages", (n) =>
    times(n, (at) => [
      { type: EventType.TEXT_MESSAGE_START, messageId: `m${at}`, role: "assistant" },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId: `m${at}`, delta: "x" },
      { type: EventType.TEXT_MESSAGE_END, messageId: `m${at}` },
    ]).flat(),
  ),
  agUi("n tool calls of n messages, and their results", (n) =>
    times(n, (at) => [
      { type: EventType.TOOL_CALL_START, toolCallId: `c${at}`, toolCallName: "t", parentMessageId: `m${at}` },
      { type: EventType.TOOL_CALL_ARGS, toolCallId: `c${at}`, delta: "{}" },
      { type: EventType.TOOL_CALL_END, toolCallId: `c${at}` },
      { type: EventType.TOOL_CALL_RESULT, messageId: `r${at}`, toolCallId: `c${at}`, content: "x" },
    ]).flat(),
  ),
  agUi("n pieces of one call's arguments", (n) => [
    { type: EventType.TOOL_CALL_START, toolCallId: "c", toolCallName: "t", parentMessageId: "m" },
    ...times(n, () => ({ type: EventType.TOOL_CALL_ARGS, toolCallId: "c", delta: "x" })),
    { type: EventType.TOOL_CALL_END, toolCallId: "c" },
  ]),
  // Each call of a message copies the list of those before it, 8 bytes each: beyond some thousand calls that shows.
  agUi(
    "n results of one message's calls",
    (n) => [
      ...times(n, (at) => [
        { type: EventType.TOOL_CALL_START, toolCallId: `c${at}`, toolCallName: "t", parentMessageId: "m" },
        { type: EventType.TOOL_CALL_END, toolCallId: `c${at}` },
      ]).flat(),
      ...times(n, (at) => ({
        type: EventType.TOOL_CALL_RESULT,
        messageId: `r${at}`,
        toolCallId: `c${at}`,
        content: "x",
      })),
    ],
    50,
    100,
  ),
  agUi("n activities", (n) =>
    times(n, (at) => ({
      type: EventType.ACTIVITY_SNAPSHOT,
      messageId: `a${at}`,
      activityType: "plan",
      content: { at },
    })),
  ),
  agUi("n deltas of an activity", (n) => [
    { type: EventType.ACTIVITY_SNAPSHOT, messageId: "a", activityType: "plan", content: { at: 0 } },
    ...times(n, (at) => ({
      type: EventType.ACTIVITY_DELTA,
      messageId: "a",
      activityType: "plan",
      patch: [{ op: "replace", path: "/at", value: at }],
    })),
  ]),
  agUi("n deltas of the state", (n) => [
    { type: EventType.STATE_SNAPSHOT, snapshot: { n: 0 } },
    ...times(n, (at) => ({ type: EventType.STATE_DELTA, delta: [{ op: "replace", path: "/n", value: at }] })),
  ]),
  agUi("a snapshot of n messages", (n) => [
    { type: EventType.MESSAGES_SNAPSHOT, messages: times(n, (at) => ({ id: `m${at}`, role: "user", content: "x" })) },
    { type: EventType.MESSAGES_SNAPSHOT, messages: times(n, (at) => ({ id: `m${at}`, role: "user", content: "y" })) },
  ]),
  agUi("n custom events", (n) => times(n, (at) => ({ type: EventType.CUSTOM, name: "x", value: at }))),
  {
    name: "FoldHttpAgent: n pieces of one call's arguments, and what a subscriber sees of them",
    from: 200,
    most: 200,
    prepare: (n) => {
      const delta = "x".repeat(500);
      const events = [started(), ...toolCall("c", "m", '{"text": "', ...times(n, () => delta)), finished()];
      const agent = agentOf("folding", [events]);
      return async () =>
        agent.runAgent({}, { onToolCallArgsEvent: ({ partialToolCallArgs }) => void partialToolCallArgs });
    },
  },
  run("n tokens", (n) => times(n, () => tuple(chunk("a", { content: "x" })))),
  run("n messages", (n) => times(n, (at) => tuple(chunk(`a${at}`, { content: "x" })))),
  run(
    "n tool calls of one message",
    (n) =>
      times(n, (at) =>
        tuple(
          chunk("a", {
            tool_call_chunks: [{ name: "t", args: "{}", id: `c${at}`, index: at, type: "tool_call_chunk" }],
          }),
        ),
      ),
    100,
  ),
  run(
    "n keys of a tool call's arguments",
    (n) => [
      tuple(
        chunk("a", { tool_call_chunks: [{ name: "t", args: '{"k": 0', id: "c", index: 0, type: "tool_call_chunk" }] }),
      ),
      ...times(n, (at) =>
        tuple(chunk("a", { tool_call_chunks: [{ args: `, "k${at}": ${at}`, index: 0, type: "tool_call_chunk" }] })),
      ),
    ],
    300,
    300,
  ),
  run(
    "n keys of a tool call's arguments, by protocol v2",
    (n) => [
      v2({ event: "message-start", id: "a", role: "ai" }),
      v2({
        event: "content-block-start",
        index: 0,
        content: { type: "tool_call_chunk", name: "t", id: "c", args: '{"k": 0' },
      }),
      ...times(n, (at) =>
        v2({ event: "content-block-delta", index: 0, delta: { type: "tool-call-delta", args: `, "k${at}": ${at}` } }),
      ),
    ],
    300,
    300,
  ),
  run("values of n messages", (n) => [
    { event: "values", data: { messages: times(n, (at) => ({ type: "ai", id: `m${at}`, content: "x" })) } },
  ]),
  run("n updates", (n) =>
    times(n, (at) => ({
      event: "updates",
      data: { agent: { messages: [{ type: "ai", id: `m${at}`, content: "x" }] } },
    })),
  ),
  {
    name: "concatChunk: n tool calls",
    // Each answer has a list of its own: its pointers are copied, which is nothing as long as they are few.
    from: 25,
    most: 25,
    prepare: often((n) => {
      let whole = concatChunk(undefined, chunk("a", {}));
      for (let at = 0; at < n; at++) {
        whole = concatChunk(
          whole,
          chunk("a", {
            tool_call_chunks: [{ name: "t", args: "{", id: `c${at}`, index: at, type: "tool_call_chunk" }],
          }),
        );
        whole = concatChunk(
          whole,
          chunk("a", { tool_call_chunks: [{ args: "}", index: at, type: "tool_call_chunk" }] }),
        );
      }
    }),
  },
  {
    name: "concatChunk: n blocks of content",
    from: 25,
    most: 25,
    prepare: often((n) => {
      let whole = concatChunk(undefined, chunk("a", { content: [] }));
      for (let at = 0; at < n; at++)
        whole = concatChunk(whole, chunk("a", { content: [{ type: "text", text: "x", index: at }] }));
    }),
  },
];
