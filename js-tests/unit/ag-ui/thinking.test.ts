// The THINKING_ events of servers from before AG-UI 1.0: reasoning, as `@ag-ui/client` reads them.
import { HttpAgent } from "@ag-ui/client";
import { textOf, Thread, type AgUiState } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test, vi } from "vitest";
import { type Event, finished, started, text } from "./agents.js";

const thought = (...parts: string[]): Event[] => [
  { type: "THINKING_TEXT_MESSAGE_START" },
  ...parts.map((delta) => ({ type: "THINKING_TEXT_MESSAGE_CONTENT", delta })),
  { type: "THINKING_TEXT_MESSAGE_END" },
];
const RUN: Event[] = [
  started(),
  { type: "THINKING_START", title: "Weather" },
  ...thought("Is it", " sunny?"),
  ...thought("It is."),
  { type: "THINKING_END" },
  ...text("a1", "Sunny"),
  finished(),
];
const said = ({ messages }: { messages: readonly object[] }) =>
  messages.map((message) => [(message as { role: string }).role, textOf(message as never)]);

function heard(thread: Thread<AgUiState>): string[] {
  const errors: string[] = [];
  thread.on("error", ({ message }) => errors.push(message));
  return errors;
}

test("each thought is a message of the role reasoning, as in the client", async () => {
  const thread = new Thread<AgUiState>();
  const errors = heard(thread);
  const types: string[] = [];
  await foldAgUi(thread, RUN, { onEvent: ({ type }) => types.push(type) });
  expect(said(thread.getState())).toEqual([
    ["reasoning", "Is it sunny?"],
    ["reasoning", "It is."],
    ["assistant", "Sunny"],
  ]);
  expect([errors, thread.incompleteIds, new Set(thread.messageIds).size]).toEqual([[], [], 3]);
  expect(types).toEqual(RUN.map(({ type }) => type));

  vi.spyOn(console, "warn").mockImplementation(() => {});
  const body = RUN.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const agent = new HttpAgent({ url: "http://agent.test", fetch: fetch as never });
  await agent.runAgent();
  expect(said(agent)).toEqual(said(thread.getState()));
});

test("other events in the middle of a thought leave it open", async () => {
  const thread = new Thread<AgUiState>();
  const errors = heard(thread);
  const [start, first, second, end] = thought("a", "b") as [Event, Event, Event, Event];
  await foldAgUi(thread, [started(), start, first, { type: "CUSTOM", name: "n", value: 1 }, second, end, finished()]);
  expect([said(thread.getState()), errors]).toEqual([[["reasoning", "ab"]], []]);
});

test("a thought that was cut continues after its last part, also after a reload, and from the start of its run", async () => {
  const parts = [started(), ...thought("a", "b", "c"), finished()].map(
    (event, at) => `id: ${at}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const response = (from: number, to?: number) =>
    new Response(parts.slice(from, to).join(""), { headers: { "content-type": "text/event-stream" } });
  for (const from of [4, 0]) {
    for (const reload of [false, true]) {
      let thread = new Thread<AgUiState>();
      await foldAgUi(thread, response(0, 4));
      expect(thread.run.status).toBe("disconnected");
      if (reload) thread = Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(thread)));
      const errors = heard(thread);
      await foldAgUi(thread, response(from));
      expect([said(thread.getState()), errors, thread.run.status]).toEqual([[["reasoning", "abc"]], [], "ready"]);
    }
  }
});

test("parts that the run has had, and gets again without its start, are passed over", async () => {
  const parts = [started(), ...thought("a", "b", "c"), finished()].map(
    (event, at) => `id: ${at}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const response = (from: number, to?: number) =>
    new Response(parts.slice(from, to).join(""), { headers: { "content-type": "text/event-stream" } });
  const thread = new Thread<AgUiState>();
  const errors = heard(thread);
  await foldAgUi(thread, response(0, 4));
  await foldAgUi(thread, response(1));
  expect([said(thread.getState()), errors]).toEqual([[["reasoning", "abc"]], []]);
});

test("a part of a thought that never began is reported to the error listeners", async () => {
  const thread = new Thread<AgUiState>();
  const errors = heard(thread);
  await foldAgUi(thread, [started(), ...thought("a").slice(1), ...text("a1", "b"), finished()]);
  expect(said(thread.getState())).toEqual([["assistant", "b"]]);
  expect(errors).toEqual([
    "THINKING_TEXT_MESSAGE_CONTENT: no THINKING_TEXT_MESSAGE_START came before it.",
    "THINKING_TEXT_MESSAGE_END: no THINKING_TEXT_MESSAGE_START came before it.",
  ]);
});
