import { AIMessage, HumanMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import {
  addMessages,
  type AgUiMessage,
  applyPatch,
  type LangChainMessage,
  mergeTools,
  MessageList,
  removeMessage,
  ThreadfoldError,
  type ThreadfoldErrorCode,
} from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import { describe, expect, expectTypeOf, test } from "vitest";
import { codeOf } from "../../support/errors.js";
import type { AgUiContentPart } from "threadfold";
import type { MessageRemoval } from "../../../pkg-template/src/state/message-types.js";

describe("addMessages", () => {
  test("makes LangChain dicts of messages that are not whole", () => {
    expectTypeOf(addMessages([], "hi")).toEqualTypeOf<LangChainMessage[]>();
    expectTypeOf(addMessages([], ["user", "hi"])).toEqualTypeOf<LangChainMessage[]>();
    expectTypeOf(addMessages([], [{ role: "user", content: "hi" }])).toEqualTypeOf<LangChainMessage[]>();
  });

  test("keeps the types of whole messages, and leaves removals out", () => {
    const list: LangChainMessage[] = [{ type: "human", id: "1", content: "" }];
    expectTypeOf(addMessages(list, list)).toEqualTypeOf<LangChainMessage[]>();
    expectTypeOf(addMessages(list, removeMessage("1"))).toEqualTypeOf<LangChainMessage[]>();
    expectTypeOf(removeMessage("1")).toEqualTypeOf<MessageRemoval>();
  });

  test("keeps the type of the list", () => {
    let list: LangChainMessage[] = [];
    list = addMessages(list, "hi");
    list = addMessages(list, { type: "human", content: "z" });
    list = addMessages(list, [{ role: "user", content: "z" }, ["user", "z"]]);
    list = addMessages(list, { type: "tool", content: "z", tool_call_id: "c", status: "success" });
    expectTypeOf(addMessages(list, { type: "ai", content: "", tool_calls: [{ name: "n", args: {} }] })).toEqualTypeOf<
      LangChainMessage[]
    >();
    type Mine = LangChainMessage & { readonly mine: true };
    const mine: Mine[] = [];
    expectTypeOf(addMessages(mine, mine)).toEqualTypeOf<Mine[]>();
    const generic = <M extends LangChainMessage>(known: M[], message: M): M[] => addMessages(known, message);
    expectTypeOf(generic(list, { type: "human", content: "" })).toEqualTypeOf<LangChainMessage[]>();
    // Of other messages it becomes a list of both, and the type shows it.
    const agUi: AgUiMessage[] = [];
    expectTypeOf(addMessages(agUi, "hi")).toEqualTypeOf<(LangChainMessage | AgUiMessage)[]>();
    // @ts-expect-error which is no list of the one
    const same: AgUiMessage[] = addMessages(agUi, "hi");
    expect(same).toHaveLength(1);
  });

  test("keeps a literal's type", () => {
    const list = addMessages([], { type: "human", content: "z" });
    expectTypeOf(list).toEqualTypeOf<LangChainMessage[]>();
    const grown: LangChainMessage[] = addMessages([{ type: "human", id: "1", content: "z" }], {
      type: "ai",
      id: "2",
      content: "y",
    });
    const shown: AgUiMessage[] = addMessages([], [{ role: "user", id: "1", content: "z" }]);
    expect([list, grown, shown].map(({ length }) => length)).toEqual([1, 2, 1]);
  });

  test("distinguishes messages by type or role", () => {
    const asked = (message: LangChainMessage | AgUiMessage): string[] | undefined => {
      if ("role" in message)
        return message.role === "assistant" ? message.toolCalls?.map((call) => call.function.arguments) : undefined;
      return message.type === "ai" ? message.tool_calls?.map((call) => call.name) : undefined;
    };
    expectTypeOf<Extract<LangChainMessage, { type: "tool" }>["tool_call_id"]>().toEqualTypeOf<string>();
    expectTypeOf<Extract<AgUiMessage, { role: "user" }>["content"]>().toEqualTypeOf<string | AgUiContentPart[]>();
    expect(asked({ type: "ai", content: "", tool_calls: [{ name: "n", args: {} }] })).toEqual(["n"]);
    // @ts-expect-error a human calls no tools
    expect((message: Extract<LangChainMessage, { type: "human" }>) => message.tool_calls).toBeTypeOf("function");
    // @ts-expect-error nor does a tool's result lack its call
    expect({ type: "tool", content: "" } satisfies LangChainMessage).toBeDefined();
  });

  test("takes instances of @langchain/core's classes and AG-UI's messages", () => {
    const instances = [new HumanMessage({ id: "1", content: "a" }), new AIMessage("b")];
    expectTypeOf(addMessages(instances, new RemoveMessage({ id: "1" }))).toExtend<BaseMessage[]>();
    const messages: AgUiMessage[] = [];
    expectTypeOf(addMessages(messages, messages)).toEqualTypeOf<AgUiMessage[]>();
  });

  test("refuses values that no form describes", () => {
    // @ts-expect-error a number
    expect(codeOf(() => addMessages([], 5))).toBe("INVALID_MESSAGE");
    // @ts-expect-error null
    expect(codeOf(() => addMessages(null, []))).toBe("INVALID_ARGUMENT");
    // @ts-expect-error no content
    addMessages([], { type: "human" });
    // @ts-expect-error no type and no role
    expect(codeOf(() => addMessages([], { content: "a" }))).toBe("INVALID_MESSAGE");
    // @ts-expect-error rules of nobody
    expect(codeOf(() => addMessages([], [], { rules: "mine" }))).toBe("INVALID_ARGUMENT");
  });
});

describe("MessageList", () => {
  test("takes every form of a message as a literal", () => {
    using list = new MessageList([{ type: "human", id: "1", content: "" }]);
    list.update({ type: "remove", id: "1" });
    list.update([{ role: "user", content: "hi" }, "hi", ["user", "hi"]]);
    list.update({ role: "tool", content: "hi", tool_call_id: "c", id: "1" });
    const call = { id: "c", type: "function", function: { name: "add", arguments: "{}" } };
    list.update({ role: "assistant", content: "", tool_calls: [call] });
    list.update({ type: "AIMessageChunk", content: "", id: "1", tool_call_chunks: [] });
    list.update({
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "HumanMessage"],
      kwargs: { content: "" },
    });
  });

  test("returns snapshots that are readonly", () => {
    using list = new MessageList();
    expectTypeOf(list.snapshot()).toEqualTypeOf<readonly LangChainMessage[]>();
    // @ts-expect-error a number
    expect(codeOf(() => list.update(5))).toBe("INVALID_MESSAGE");
    // @ts-expect-error text is a string
    expect(codeOf(() => list.append("1", 5))).toBe("UNKNOWN_MESSAGE");
  });

  test("may hold messages of another type", () => {
    using list = new MessageList<AgUiMessage>([{ id: "1", role: "user", content: "hi" }]);
    expectTypeOf(list.snapshot()).toEqualTypeOf<readonly AgUiMessage[]>();
  });
});

test("applyPatch keeps the document's type, or takes another", () => {
  expectTypeOf(applyPatch({ a: 1 }, [])).toEqualTypeOf<{ a: number }>();
  expectTypeOf(applyPatch<object, { b: 1 }>({}, [])).toEqualTypeOf<{ b: 1 }>();
  // @ts-expect-error no operation of RFC 6902
  expect(codeOf(() => applyPatch({}, [{ op: "increment", path: "/a" }]))).toBe("INVALID_PATCH");
});

test("mergeTools keeps the type of the tools", () => {
  expectTypeOf(mergeTools([{ name: "a", n: 1 }], null)).toEqualTypeOf<{ name: string; n: number }[]>();
});

test("langGraphDefaultMergeState keeps the other fields of a state", () => {
  const state = { messages: [] as LangChainMessage[], mood: "calm" };
  const merged = langGraphDefaultMergeState(state, ["hi"], {});
  expectTypeOf(merged.mood).toEqualTypeOf<string>();
  expectTypeOf(merged.messages).toEqualTypeOf<LangChainMessage[]>();
  expectTypeOf(merged["ag-ui"].context).toEqualTypeOf<object[]>();
});

test("an error's code is one of those documented", () => {
  expectTypeOf(new ThreadfoldError("INVALID_ARGUMENT", "").code).toEqualTypeOf<ThreadfoldErrorCode>();
});
