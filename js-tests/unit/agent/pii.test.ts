import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent, tool } from "threadfold/agent";
import { PIIDetectionError, piiMiddleware, type PiiOptions } from "threadfold/agent/pii";
import { expect, test } from "vitest";
import { type Recorded, replay, scripted, shown } from "./records.js";

interface Given {
  readonly types: readonly string[];
  readonly strategy: Exclude<PiiOptions["strategy"], undefined>;
  readonly applied: { readonly input: boolean; readonly output: boolean; readonly tool_results: boolean };
  readonly texts: readonly [string, string, string];
}

test("personal data, by each type and strategy", () =>
  replay("pii", async ({ in: given, out, error }: Recorded<Given, object[]>) => {
    const { types, strategy, applied, texts } = given;
    const agent = createAgent({
      model: scripted([
        { content: texts[1], tool_calls: [{ name: "echo", args: {}, id: "c0" }] },
        { content: texts[2] },
      ]),
      tools: [tool({ name: "echo", run: () => texts[0] })],
      middleware: types.map((one) =>
        piiMiddleware(one, {
          strategy,
          ...(one === "token" && { detector: "tok-[\\p{L}\\p{N}_]+" }),
          applyToInput: applied.input,
          applyToOutput: applied.output,
          applyToToolResults: applied.tool_results,
        }),
      ),
    });
    const run = agent.invoke({ messages: [{ type: "human", content: texts[0] }] });
    if (error === undefined) expect((await run).messages.map(shown)).toEqual(out);
    else {
      const failed: unknown = await run.catch((one: unknown) => one);
      expect(failed).toBeInstanceOf(PIIDetectionError);
      expect((failed as Error).message).toBe(error);
    }
  }));

test("blocks keep their form, instances their class, and other messages their identity", async () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAEC" } };
  const first = new HumanMessage({ id: "1", content: "I am ada@example.com" });
  const blocks = [{ type: "text", text: "Write to bob@example.com" }, image];
  const asked = new HumanMessage({ id: "3", content: blocks });
  const agent = createAgent({
    model: () => new AIMessage("Ask eve@example.com"),
    middleware: [piiMiddleware("email", { applyToOutput: true })],
  });
  const { messages } = await agent.invoke({
    messages: [first, { type: "ai", id: "2", content: "Hi" }, asked] as never,
  });
  expect(messages[0]).toBe(first);
  expect(messages[2]).toBeInstanceOf(HumanMessage);
  expect(messages[2]).toMatchObject({
    content: [{ type: "text", text: "Write to [REDACTED_EMAIL]" }, image],
    lc_kwargs: { content: [{ text: "Write to [REDACTED_EMAIL]" }, image] },
  });
  expect(messages[3]).toMatchObject({ content: "Ask [REDACTED_EMAIL]" });
  expect(AIMessage.isInstance(messages[3])).toBe(true);
});

test("the user messages that the model has not answered are checked, or else the last one", async () => {
  const middleware = piiMiddleware("email").beforeModel as (state: object) => Promise<{ messages: object[] }>;
  const say = (type: string, id: string) => ({ type, id, content: `${id}@example.com` });
  const checked = async (...messages: object[]) => (await middleware({ messages })).messages;
  const written = (id: string) => ({ type: "human", id, content: "[REDACTED_EMAIL]" });
  expect(await checked(say("human", "a"), say("human", "b"))).toEqual([written("a"), written("b")]);
  const answered = [say("human", "a"), say("human", "b"), say("ai", "c")];
  expect(await checked(...answered)).toEqual([written("b")]);
  expect(await checked(...answered, say("tool", "d"))).toEqual([written("b")]);
  const steered = [say("tool", "d"), say("human", "e"), say("human", "f")];
  expect(await checked(...answered, ...steered)).toEqual([written("e"), written("f")]);
});

test.each([
  ["%+a@b.de", "%+[REDACTED_EMAIL]"],
  ["%%@b.de", "%%@b.de"],
  ["\u{10400}a@b.de", "\u{10400}a@b.de"],
  ["\u{10400}a.b@b.de", "\u{10400}a[REDACTED_EMAIL]"],
  ["\u{1F600}a@b.de", "\u{1F600}[REDACTED_EMAIL]"],
])("an address begins at the edge of a word: %s", async (content, expected) => {
  const middleware = piiMiddleware("email").beforeModel as (
    state: object,
  ) => Promise<{ messages: object[] } | undefined>;
  const changed = await middleware({ messages: [{ type: "human", id: "1", content }] });
  expect(changed?.messages[0] ?? { content }).toMatchObject({ content: expected });
});

test("a detector of one's own, and what is refused", async () => {
  const detector = (text: string) => {
    const start = text.indexOf("secret");
    return start < 0 ? [] : [{ value: "secret", start, end: start + 6 }];
  };
  const agent = createAgent({ model: () => "Ok", middleware: [piiMiddleware("word", { detector, strategy: "mask" })] });
  const { messages } = await agent.invoke({ messages: "My secret." });
  expect(messages[0]).toMatchObject({ content: "My ****cret." });
  expect(() => piiMiddleware("phone")).toThrow(/unknown type 'phone'.+email/);
  expect(() => piiMiddleware("email", { strategy: "hide" as never })).toThrow(/strategy, got hide/);
});

test("a long text takes time in proportion", () => {
  const middleware = Object.fromEntries(["email", "url"].map((one) => [one, piiMiddleware(one)]));
  const time = async (one: string, content: string) => {
    const began = process.cpuUsage().user;
    const hook = middleware[one]?.beforeModel as (state: object) => Promise<unknown>;
    await hook({ messages: [{ type: "human", id: "1", content }] });
    return (process.cpuUsage().user - began) / 1000;
  };
  return Promise.all(
    [
      ["email", "a.".repeat(200_000)],
      ["email", "a@".repeat(200_000)],
      ["email", `${"a.b@c.".repeat(60_000)}`],
      ["email", "%@".repeat(200_000)],
      ["url", "a.".repeat(200_000)],
      ["url", "https://a.b/c ".repeat(20_000)],
    ].map(async ([one = "", text = ""]) =>
      expect(await time(one, text), `${one} ${text.slice(0, 12)}`).toBeLessThan(2000),
    ),
  );
});

test("a URL within another is part of it", async () => {
  const agent = createAgent({ model: () => "Ok", middleware: [piiMiddleware("url")] });
  const { messages } = await agent.invoke({ messages: "See a.b/c(https://d.e<f there." });
  expect(messages[0]).toMatchObject({ content: "See [REDACTED_URL] there." });
});
