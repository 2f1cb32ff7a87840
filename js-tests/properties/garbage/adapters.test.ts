// The adapters' functions get garbage: they answer, or refuse it with a ThreadfoldError. A source's own errors reach
// the caller.
import { Thread, ThreadfoldError } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { foldLangGraph } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { garbage } from "./values.js";
import { concatChunk } from "threadfold/langgraph";

/** A function, with garbage in one place of its arguments. */
type Call = (value: never) => unknown;

const thread = (): Thread => new Thread({ threadId: "t" });
const chunk = { type: "AIMessageChunk", id: "1", content: "a" };
const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };

const calls: Record<string, Call> = {
  "foldAgUi, its thread": (value) => foldAgUi(value, [started]),
  "foldAgUi, its events": (value) => foldAgUi(thread(), value),
  "foldAgUi, an event": (value) => foldAgUi(thread(), [started, value]),
  "foldAgUi, an event's id": (messageId) =>
    foldAgUi(thread(), [started, { type: "TEXT_MESSAGE_START", messageId, role: "assistant" }]),
  "foldAgUi, a snapshot": (messages) =>
    foldAgUi(thread(), [
      started,
      { type: "MESSAGES_SNAPSHOT", messages },
      { type: "STATE_SNAPSHOT", snapshot: messages },
    ]),
  "foldAgUi, a delta": (delta) => foldAgUi(thread(), [started, { type: "STATE_DELTA", delta }]),
  "foldAgUi, its options": (value) => foldAgUi(thread(), [started], value),
  "runInput, its thread": (value) => runInput(value),
  "runInput, its options": (value) => runInput(thread(), value),
  "runInput, its tools": (tools) => runInput(thread(), { tools }),
  "foldLangGraph, its thread": (value) => foldLangGraph(value, [{ event: "values", data: {} }] as never),
  "foldLangGraph, its stream": (value) => foldLangGraph(thread(), value),
  "foldLangGraph, a part": (value) => foldLangGraph(thread(), parts(value)),
  "foldLangGraph, a state": (data) => foldLangGraph(thread(), parts({ event: "values", data })),
  "foldLangGraph, its messages": (messages) => foldLangGraph(thread(), parts({ event: "values", data: { messages } })),
  "foldLangGraph, a message": (message) => foldLangGraph(thread(), parts({ event: "messages", data: [message, {}] })),
  "foldLangGraph, its options": (value) => foldLangGraph(thread(), parts({ event: "values", data: {} }), value),
  "concatChunk, left": (value) => concatChunk(value, chunk),
  "concatChunk, right": (value) => concatChunk(chunk, value),
};

async function* parts(value: unknown): AsyncGenerator<never> {
  yield value as never;
}

/** Errors that the garbage itself throws belong to the caller. */
const isTheirs = (error: unknown) => {
  try {
    return (
      !(error instanceof Error) || error.message === "thrown" || error.message.includes("proxy that has been revoked")
    );
  } catch {
    return true;
  }
};

const tell = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

for (const [name, call] of Object.entries(calls)) {
  test(`${name}: garbage is answered or refused`, async () => {
    const complaints: string[] = [];
    for (const [kind, make] of Object.entries(garbage)) {
      try {
        await within(call(make() as never));
      } catch (error) {
        if (!isTheirs(error) && !(error instanceof ThreadfoldError)) complaints.push(`${kind}: ${tell(error)}`);
      }
    }
    expect(complaints.slice(0, 10), `${complaints.length} complaints`).toEqual([]);
  });
}

/** A silent source would be waited for; here it is not. */
function within(promise: unknown): Promise<unknown> {
  return Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 200))]);
}
