import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  addMessages,
  applyPatch,
  defineSchema,
  field,
  init,
  MessageList,
  mergeTools,
  Thread,
  ThreadfoldError,
} from "threadfold/slim";
import { expect, test } from "vitest";

test("slim without its wasm reports that init comes first, at any call", () => {
  const calls = [
    () => new Thread(),
    () => new MessageList(),
    () => addMessages([], []),
    () => applyPatch({}, [{ op: "add", path: "/a", value: 1 }]),
    () => mergeTools([], []),
    () => defineSchema({ messages: field.messages() }),
  ];
  for (const call of calls) {
    const thrown = (() => {
      try {
        return call();
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(ThreadfoldError);
    expect(thrown).toMatchObject({ code: "NOT_READY", message: expect.stringContaining("call init first") as string });
  }
  expect(() => init(new Uint8Array([0]))).toThrow();
  expect(() => new Thread()).toThrow(expect.objectContaining({ code: "NOT_READY" }) as Error);
});

const wasm = readFileSync(createRequire(import.meta.url).resolve("threadfold/threadfold_bg.wasm"));

/** The wasm of another version: one letter of its fingerprint, which is at its end, is another. */
const otherVersion = () => {
  const other = Uint8Array.from(wasm);
  other[other.length - 1] = other.at(-1) === 48 ? 49 : 48;
  return other;
};

/** The smallest wasm there is. */
const empty = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

test("slim refuses the wasm of another version, however it gets it", async () => {
  const isRefused = expect.objectContaining({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("another version") as string,
  }) as Error;
  for (const code of [otherVersion(), empty]) {
    expect(() => init(code)).toThrow(isRefused);
    expect(() => init(new WebAssembly.Module(code))).toThrow(isRefused);
    const headers = { "content-type": "application/wasm" };
    await expect(init(new Response(code, { headers }))).rejects.toThrow(isRefused);
    await expect(init(Promise.resolve(new Response(code)))).rejects.toThrow(isRefused);
  }
  await expect(init(new Response("", { status: 404 }))).rejects.toMatchObject({ code: "BAD_RESPONSE", status: 404 });
  await expect(init(new Response("<!doctype html>"))).rejects.toThrow(WebAssembly.CompileError);
  expect(() => new Thread()).toThrow(expect.objectContaining({ code: "NOT_READY" }) as Error);
});

test("slim, with its wasm from a file, survives full stacks and throwing imports too", () => {
  init(wasm);
  using list = new MessageList();
  using thread = new Thread();
  let made = 0;
  let thrown = 0;
  const dive = (): void => {
    try {
      dive();
    } catch {
      // The stack is full.
    }
    if (made >= 8000) return;
    made++;
    try {
      list.update({ type: "human", id: `m${made}`, content: "" });
    } catch {
      thrown++;
    }
  };
  dive();
  expect(thrown).toBeGreaterThan(0);
  expect(list.length).toBe(made - thrown);
  const prototype: object = Map.prototype;
  const get = Reflect.get(prototype, "get") as unknown;
  const fail = () => {
    throw new Error("no");
  };
  for (let at = 0; at < 10_000; at++) {
    Object.defineProperty(prototype, "get", { configurable: true, writable: true, value: fail });
    try {
      thread.receive({ type: "text", messageId: "a", text: "x" });
    } finally {
      Object.defineProperty(prototype, "get", { configurable: true, writable: true, value: get });
    }
  }
  thread.update({ messages: [{ type: "ai", id: "a", content: "" }] });
  thread.receive({ type: "text", messageId: "a", text: "x" });
  expect(thread.getState().messages[0]?.content).toBe("x");
});
