// A MESSAGES_SNAPSHOT that begins after a message: of a server that knows what the client has.
import { Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { finished, started } from "./agents.js";

const message = (id: string, content = id): AgUiMessage => ({ id, role: "assistant", content });

async function folded(after: string, messages: readonly object[], before: readonly object[] = [], keeps?: number) {
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const errors: string[] = [];
  thread.on("error", (error) => errors.push(error.message));
  thread.receive({ type: "values", values: { messages: ["a", "b", "c"].map((id) => message(id)) } });
  const first = thread.getState().messages[0];
  await foldAgUi(thread, [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    ...before,
    { type: "MESSAGES_SNAPSHOT", messages, metadata: { threadfold: { after, keeps } } },
    { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  ] as never);
  const state = thread.getState().messages;
  return { contents: state.map(({ content }) => content), errors, isSame: state[0] === first };
}

test("what comes before stays, the same objects; what comes after is the snapshot's", async () => {
  expect(await folded("b", [message("d")])).toEqual({ contents: ["a", "b", "d"], errors: [], isSame: true });
  expect(await folded("a", [])).toEqual({ contents: ["a"], errors: [], isSame: true });
  expect(await folded("c", [message("d"), message("e")])).toMatchObject({ contents: ["a", "b", "c", "d", "e"] });
});

test("reasoning that the server does not list stays in its place", async () => {
  const reasoning = [
    { type: "REASONING_MESSAGE_START", messageId: "d:reasoning", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "d:reasoning", delta: "Hm" },
    { type: "REASONING_MESSAGE_END", messageId: "d:reasoning" },
  ];
  expect(await folded("c", [message("d")], reasoning)).toMatchObject({ contents: ["a", "b", "c", "Hm", "d"] });
});

test("one that begins after an unknown message is reported, and changes nothing", async () => {
  expect(await folded("x", [message("d")])).toEqual({
    contents: ["a", "b", "c"],
    errors: ["MESSAGES_SNAPSHOT: there is no message 'x'."],
    isSame: true,
  });
});

test("one that leaves out others than the page has is reported, and changes nothing", async () => {
  const refused = {
    contents: ["a", "b", "c"],
    errors: ["MESSAGES_SNAPSHOT: the server's messages up to 'b' are others. The next run asks for all."],
    isSame: true,
  };
  expect(await folded("b", [message("d")], [], 3)).toEqual(refused);
  expect(await folded("b", [message("a"), message("d")])).toEqual(refused);
  expect(await folded("b", [message("d")], [], 2)).toMatchObject({ contents: ["a", "b", "d"], errors: [] });
});

test("a message with a role and a type stays the same object while snapshots repeat it", async () => {
  const thread = new Thread();
  const after = async (content: string) => {
    const messages = [
      { id: "u", role: "user", content: "q" },
      { id: "d", role: "assistant", type: "odd", content },
      { id: "e", role: "assistant", type: "odd", content: "z" },
    ];
    await foldAgUi(thread, [started(), { type: "MESSAGES_SNAPSHOT", messages }, finished()]);
    return thread.getState().messages;
  };
  const [first, second, third] = [await after("x"), await after("x"), await after("y")];
  expect(second.map((message, at) => message === first[at])).toEqual([true, true, true]);
  expect(third.map((message, at) => message === first[at])).toEqual([true, false, true]);
  expect(third[1]).toEqual({ id: "d", role: "assistant", type: "odd", content: "y" });
});
