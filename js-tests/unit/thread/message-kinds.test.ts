// Messages other than plain dicts of a known kind: instances of message classes, in a record and outside, and kinds
// that only the server knows.
import { AIMessage, ChatMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { addMessages, Thread, type LangChainMessage, type MessageIn, type ThreadState } from "threadfold";
import { expect, test } from "vitest";
import { ai, hear, human, started } from "./say.js";

type Listed = readonly MessageIn<ThreadState>[];
const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as object;
const reloaded = (thread: Thread) => Thread.fromJSON(json(thread));
const instance = (message: object) => message as LangChainMessage;
const said = (messages: Listed) => messages.map(({ type, id, content }) => [type, id, content]);
const errorsOf = (thread: Thread) => {
  const errors: string[] = [];
  thread.on("error", (error) => errors.push(error.message));
  return errors;
};

test("a record of a thread with instances is read as messages again, whichever part of it has them", () => {
  const thread = new Thread({ values: { messages: [instance(new HumanMessage({ id: "q", content: "Hi" }))] } });
  const failed = thread.optimistic({ messages: [instance(new HumanMessage({ id: "f", content: "Lost?" }))] });
  failed.fail(new Error("no network"));
  thread.receive(started("r"));
  thread.update({
    messages: [
      instance(new AIMessage({ id: "a", content: "Yo", tool_calls: [{ id: "c", name: "look", args: {} }] })),
      instance(new ToolMessage({ id: "t", content: "42", tool_call_id: "c" })),
      instance(new ChatMessage({ id: "z", content: "Well", role: "critic" })),
    ],
  });
  thread.receive({ type: "text", messageId: "a", text: "!" });
  thread.optimistic({ messages: [instance(new HumanMessage({ id: "q", content: "Hi?" }))] });
  thread.optimistic({ messages: [instance(new HumanMessage({ id: "q2", content: "Two" }))] });

  const again = reloaded(thread);
  const { messages } = again.getState();
  const shown = [
    ["human", "q", "Hi?"],
    ["ai", "a", "Yo!"],
    ["tool", "t", "42"],
    ["chat", "z", "Well"],
    ["human", "f", "Lost?"],
    ["human", "q2", "Two"],
  ];
  expect(said(messages).sort()).toEqual(shown.sort());
  expect(messages.find(({ id }) => id === "a")).toMatchObject({ tool_calls: [{ id: "c", name: "look", args: {} }] });
  expect(messages.find(({ id }) => id === "t")).toMatchObject({ tool_call_id: "c" });
  expect(again.getConfirmedMessage("q")).toMatchObject({ type: "human", content: "Hi" });
  expect(again.pending.map(({ status, update }) => [status, said(update.messages as Listed)])).toEqual([
    ["failed", [["human", "f", "Lost?"]]],
    ["pending", [["human", "q", "Hi?"]]],
    ["pending", [["human", "q2", "Two"]]],
  ]);
  expect(json(again)).toEqual(json(reloaded(again)));
});

test("a run that is replayed after a reload goes back to instances as they were", () => {
  const thread = new Thread({
    values: { messages: [instance(new AIMessage({ id: "a", content: "Hel" })), human("q", "Hi")] as never },
  });
  thread.receive(started("r"));
  thread.receive({ type: "text", messageId: "a", text: "lo" });
  thread.receive({ type: "message", message: instance(new AIMessage({ id: "b", content: "New" })) });
  const again = reloaded(thread);
  expect(said(again.getConfirmedState().messages)).toEqual([
    ["ai", "a", "Hello"],
    ["human", "q", "Hi"],
    ["ai", "b", "New"],
  ]);
  again.receive(started("r"));
  expect(said(again.getConfirmedState().messages)).toEqual([
    ["ai", "a", "Hel"],
    ["human", "q", "Hi"],
  ]);
});

test("a serialised message is understood wherever a message is", () => {
  const lc = (name: string, kwargs: object) =>
    ({ lc: 1, type: "constructor", id: ["langchain_core", "messages", name], kwargs }) as never;
  const thread = new Thread({ values: { messages: [lc("HumanMessage", { id: "1", content: "a" })] } });
  thread.receive({ type: "message", message: lc("AIMessageChunk", { id: "2", content: "b" }), streaming: true });
  thread.receive({ type: "text", messageId: "2", text: "c" });
  thread.optimistic({ messages: [lc("HumanMessage", { id: "3", content: "d" })] });
  const all = [
    ["human", "1", "a"],
    ["ai", "2", "bc"],
    ["human", "3", "d"],
  ];
  expect(said(thread.getState().messages)).toEqual(all);
  const messages = [
    lc("HumanMessage", { id: "1", content: "a" }),
    lc("AIMessage", { id: "2", content: "bc" }),
    lc("HumanMessage", { id: "3", content: "d" }),
  ];
  thread.receive({ type: "values", values: { messages } });
  expect([said(thread.getState().messages), thread.pending]).toEqual([all, []]);
});

const CHAT = { type: "chat", id: "c", role: "critic", content: "Hm" };

test("a server's messages of unknown kinds stay as they are, and so do the others", () => {
  const thread = new Thread();
  const errors = errorsOf(thread);
  const kinds = [
    CHAT,
    { ...CHAT, id: "u", role: "user" },
    { type: "tomorrow", id: "m", content: "" },
    { role: "moderator", id: "r", content: "" },
  ];
  const values = { topic: "x", messages: [human("q", "Hi"), ...kinds, ai("a", "Yo")] };
  hear(thread, started("r"), { type: "values", values } as never);
  const { messages } = thread.getState();
  expect(messages).toEqual(values.messages);
  hear(thread, { type: "values", values: structuredClone(values) } as never);
  expect(thread.getState().messages).toBe(messages);
  hear(thread, { type: "update", update: { messages: [{ ...CHAT, id: "c2" }, ai("a", "Yo!")] } } as never);
  expect(thread.getState().messages.map(({ id }) => id)).toEqual(["q", "c", "u", "m", "r", "a", "c2"]);
  expect(said(new Thread({ values: values as never }).getState().messages)).toEqual(said(messages));
  expect(json(reloaded(thread).getState())).toEqual(json(thread.getState()));
  expect(errors).toEqual([]);
});

test("one without an id gets one, and keeps it in the next snapshot", () => {
  const thread = new Thread();
  const values = { messages: [human("q", "Hi"), { type: "chat", role: "critic", content: "Hm" }] };
  hear(thread, { type: "values", values } as never);
  const [, chat] = thread.getState().messages;
  expect(chat).toMatchObject({ ...values.messages[1], id: expect.any(String) as string });
  hear(thread, { type: "values", values: structuredClone(values) } as never);
  expect(thread.getState().messages[1]).toBe(chat);
});

test("a snapshot with an unknown kind and a message twice, or a removal, is folded as any other", () => {
  const thread = new Thread();
  const errors = errorsOf(thread);
  const messages = [human("q", "Hi"), CHAT, { ...CHAT, content: "Hm!" }, { type: "remove", id: "q" }];
  hear(thread, { type: "values", values: { messages } } as never);
  expect([thread.getState().messages, errors]).toEqual([[{ ...CHAT, content: "Hm!" }], []]);
});

test("your own messages are of a known kind", () => {
  const thread = new Thread();
  const unknown = [{ type: "tomorrow", id: "c", content: "" }] as never;
  const refused = expect.objectContaining({ code: "INVALID_MESSAGE" }) as Error;
  expect(() => addMessages([], unknown)).toThrow(refused);
  expect(() => thread.update({ messages: unknown })).toThrow(refused);
  expect(() => thread.optimistic({ messages: unknown })).toThrow(refused);
  expect(thread.getState().messages).toEqual([]);
});

test("an invalid message is refused in the words of the thread, not of addMessages", () => {
  const thread = new Thread();
  const sentence = (messages: unknown) => {
    try {
      thread.optimistic({ messages: messages as never });
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  expect(sentence(null)).toBe(
    "messages[0] should be an object with a type or a role, a string or a [role, content] pair.",
  );
  expect(sentence([{ id: "1", role: "robot", content: "" }])).toBe(
    "messages[0].role should be human, user, ai, assistant, system, developer, tool, function or remove, not 'robot'.",
  );
  expect(thread.pending).toEqual([]);
});
