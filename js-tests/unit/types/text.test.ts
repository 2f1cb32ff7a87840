import { AIMessage } from "@langchain/core/messages";
import { MessageList, textOf, toAgUi, toLangChain } from "threadfold";
import { describe, expect, test } from "vitest";
import { outcome } from "../../support/errors.js";

describe("textOf", () => {
  test("is the text of a message in any form", () => {
    const blocks = [
      { type: "text", text: "Hel" },
      { type: "image_url", image_url: { url: "x" } },
      { type: "text", text: "lo" },
    ];
    const forms = [
      "Hello",
      ["user", "Hello"] as const,
      { type: "human", content: "Hello" },
      { type: "ai", content: blocks },
      { type: "ai", content: ["Hel", { type: "text", text: "lo" }] },
      { id: "1", role: "user", content: blocks },
      { id: "1", role: "reasoning", content: "Hello" },
      new AIMessage({ content: blocks }),
    ];
    expect(forms.map(textOf)).toEqual(forms.map(() => "Hello"));
  });

  test("is empty where no text is", () => {
    const none = [
      { id: "1", role: "assistant" },
      { id: "1", role: "activity", activityType: "PLAN", content: {} },
      { type: "ai", content: null },
      new MessageList(),
      // As `useMessage` returns it.
      undefined,
    ];
    expect(none.map(textOf)).toEqual(none.map(() => ""));
    expect(outcome(() => textOf(null as never))).toMatchObject({ error: { code: "INVALID_MESSAGE" } });
  });
});

/** Returns the error for a message at index 3. */
const said = (convert: (message: object, index: number) => object, message: unknown) =>
  outcome(() => convert(message as object, 3));

describe("toLangChain and toAgUi refuse", () => {
  test("a kind of message that they do not know, by its index and field", () => {
    for (const convert of [toLangChain, toAgUi]) {
      const roles = "one of user, assistant, system, developer, tool, reasoning, activity.";
      const types =
        "one of human, ai, system, tool, function, HumanMessageChunk, AIMessageChunk, SystemMessageChunk, ToolMessageChunk, FunctionMessageChunk.";
      expect(said(convert, { id: "1", role: "alien", content: "" })).toMatchObject({
        error: { code: "INVALID_MESSAGE", message: `messages[3].role should be ${roles}` },
      });
      expect(said(convert, { id: "1", type: "alien", content: "" })).toMatchObject({
        error: { code: "INVALID_MESSAGE", message: `messages[3].type should be ${types}` },
      });
      for (const type of ["__proto__", "constructor", "remove"])
        expect(said(convert, { id: "1", type, content: "" })).toMatchObject({ error: { code: "INVALID_MESSAGE" } });
      expect(said(convert, { id: "1" })).toMatchObject({ error: { message: `messages[3].type should be ${types}` } });
      expect(said(convert, null)).toMatchObject({ error: { message: "messages[3] should be an object." } });
    }
    expect(outcome(() => toAgUi({ id: "1", type: "alien" }))).toMatchObject({
      error: {
        message:
          "message.type should be one of human, ai, system, tool, function, HumanMessageChunk, AIMessageChunk, SystemMessageChunk, ToolMessageChunk, FunctionMessageChunk.",
      },
    });
  });

  test("a message without an id, where the form has one", () => {
    expect(said(toAgUi, { type: "human", content: "" })).toMatchObject({
      error: { code: "INVALID_MESSAGE", message: "messages[3].id should be a string." },
    });
    expect(said(toAgUi, { role: "user", id: 1, content: "" })).toMatchObject({
      error: { message: "messages[3].id should be a string." },
    });
    expect(toLangChain({ type: "human", content: "" })).toEqual({ type: "human", content: "" });
  });

  test("and name the place by themselves in a map", () => {
    const messages = [
      { type: "human", id: "1", content: "" },
      { type: "alien", id: "2", content: "" },
    ];
    expect(outcome(() => messages.map(toAgUi))).toMatchObject({
      error: { message: expect.stringMatching(/^messages\[1\]\.type /) as string },
    });
    const known = [
      { type: "human", id: "1", content: "" },
      { id: "2", role: "user", content: "", type: "of mine" },
    ];
    expect(known.map(toAgUi)[1]).toBe(known[1]);
    expect(known.map(toLangChain)[0]).toBe(known[0]);
  });
});
