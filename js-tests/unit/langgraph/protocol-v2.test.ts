import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { expectInSync } from "../../peers/recorded/checks";
import { held, Witness } from "../../peers/recorded/witness";
import { byPart } from "../../support/by-part.js";
import { Recorder } from "./recorder";
import { ai, fixture, human, response, streamOf, tool, type Message } from "./streams";

type Data = Record<string, unknown>;

/** A thread's events, with ids as the server makes them. */
class Script {
  readonly events: Data[] = [];
  readonly runId: string;

  constructor(runId = "run-1") {
    this.runId = runId;
  }

  add(method: string, data: unknown, namespace: string[] = []): this {
    const id = `1795252${String(264_000 + this.events.length)}-0`;
    return this.#push(
      method === "lifecycle" ? `synth:${this.runId}:lc|${namespace.join()}|${String((data as Data)["event"])}` : id,
      method,
      data,
      namespace,
    );
  }

  running = (): this => this.add("lifecycle", { event: "running" });
  completed = (): this => this.add("lifecycle", { event: "completed" });
  values = (...messages: Message[]): this => this.add("values", { messages });
  message = (data: Data, namespace?: string[]): this => this.add("messages", data, namespace);
  start = (id: string, namespace?: string[], more: Data = {}): this =>
    this.message({ event: "message-start", role: "ai", id, ...more }, namespace);
  begin = (index: number, content: Data, namespace?: string[]): this =>
    this.message({ event: "content-block-start", index, content }, namespace);
  delta = (index: number, delta: Data, namespace?: string[]): this =>
    this.message({ event: "content-block-delta", index, delta }, namespace);
  text = (text: string, namespace?: string[]): this => this.delta(0, { type: "text-delta", text }, namespace);
  end = (index: number, content: Data, namespace?: string[]): this =>
    this.message({ event: "content-block-finish", index, content }, namespace);
  finish = (namespace?: string[], more: Data = {}): this =>
    this.message({ event: "message-finish", ...more }, namespace);

  #push(event_id: string, method: string, data: unknown, namespace: string[]): this {
    this.events.push({
      type: "event",
      event_id,
      seq: this.events.length + 1,
      method,
      params: { namespace, timestamp: 0, data },
    });
    return this;
  }
}

async function folded({ events }: Script, thread = new Thread()): Promise<{ thread: Thread; shown: Message[][] }> {
  const witness = new Witness(thread);
  const shown: Message[][] = [];
  byPart(thread).subscribe(({ messages }) => shown.push(messages as unknown as Message[]));
  await foldLangGraph(thread, streamOf(events));
  expect(witness.see()).toMatchObject({ drifts: [], errors: [] });
  return { thread, shown };
}

const said = (content: string | object[]) => ai("a", content as string);

test("the recorded stream, as the server's answer, ends in the server's last state", async () => {
  const last =
    fixture("protocol-v2.sse")
      .split("\n")
      .filter((line) => line.includes('"method":"values"'))
      .at(-1) ?? "";
  const { params } = JSON.parse(last.slice("data: ".length)) as { params: { data: object } };
  const thread = new Thread();
  const witness = new Witness(thread);
  const shown = new Set<unknown>();
  byPart(thread).subscribe(({ messages }) => {
    for (const { id } of messages) shown.add(id);
  });
  for (let times = 0; times < 2; times++) {
    const { runId } = await foldLangGraph(thread, response([fixture("protocol-v2.sse")]));
    expectInSync(witness.see(), held(params.data));
    if (times === 0) expect(runId).toBe("01a1fc53-c477-77e6-8e38-f7e9a5e4542f");
  }
  expect(shown.size).toBe(2);
});

describe("a message", () => {
  test("grows block by block, its calls' arguments as far as they are there", async () => {
    const args = '{"city": "São Paulo", "days": [1, 2]}';
    const script = new Script().running().values(human("h", "Hi")).start("a");
    script.begin(0, { type: "text", text: "" }).text("I ").text("ask.");
    script.begin(1, { type: "tool_call_chunk", id: "c1", name: "weather", args: "", index: 0 });
    for (const char of args) script.delta(1, { type: "tool-call-delta", args: char });
    script
      .end(0, { type: "text", text: "I ask." })
      .end(1, { type: "tool_call", id: "c1", name: "weather", args: JSON.parse(args) });
    script.finish([], {
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      metadata: { finish_reason: "tool_calls" },
    });

    const { thread, shown } = await folded(script);
    expect(thread.getState().messages[1]).toEqual({
      type: "ai",
      id: "a",
      content: [
        { type: "text", text: "I ask." },
        { type: "tool_call", id: "c1", name: "weather", args: JSON.parse(args) },
      ],
      additional_kwargs: {},
      response_metadata: { finish_reason: "tool_calls", output_version: "v1" },
      tool_calls: [{ type: "tool_call", id: "c1", name: "weather", args: JSON.parse(args) }],
      invalid_tool_calls: [],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    const cities = shown.map(
      (messages) => (messages[1]?.["tool_calls"] as { args: { city?: string } }[] | undefined)?.[0]?.args.city,
    );
    expect(cities).toContain("São");
    expect(cities).toContain("São Pau");
    const texts = shown.map((messages) => (messages[1]?.["content"] as { text?: string }[] | undefined)?.[0]);
    // The text is the same object from its last word to its end, while the arguments change.
    expect(new Set(texts.filter((block) => block?.text === "I ask.")).size).toBeLessThanOrEqual(2);
  });

  test("of a server that sends arguments whole each time, and counts text and calls apart", async () => {
    const script = new Script().running().start("a").begin(0, { type: "text", text: "" }).text("Hm");
    for (const args of ["", '{"a"', '{"a": 1', '{"a": 12}']) {
      script.delta(0, { type: "block-delta", fields: { type: "tool_call_chunk", id: "c1", name: "add", args } });
    }
    const { thread } = await folded(script);
    expect(thread.getState().messages[0]).toMatchObject({
      content: [
        { type: "text", text: "Hm" },
        { type: "tool_call_chunk", args: '{"a": 12}' },
      ],
      tool_calls: [{ name: "add", args: { a: 12 }, id: "c1" }],
    });
  });

  test("with reasoning, data, and invalid JSON", async () => {
    const script = new Script().running().start("a");
    script
      .begin(0, { type: "reasoning", reasoning: "" })
      .delta(0, { type: "reasoning-delta", reasoning: "Let " })
      .delta(0, { type: "reasoning-delta", reasoning: "me" });
    script
      .begin(1, { type: "audio", mime_type: "audio/wav" })
      .delta(1, { type: "data-delta", data: "UklG", encoding: "base64" })
      .delta(1, { type: "data-delta", data: "Rg==" });
    script.end(2, { type: "invalid_tool_call", id: "c", name: "add", args: "{]", error: "Malformed" });
    const { thread } = await folded(script);
    expect(thread.getState().messages[0]).toMatchObject({
      content: [
        { type: "reasoning", reasoning: "Let me" },
        { type: "audio", mime_type: "audio/wav", data: "UklGRg==", encoding: "base64" },
        { type: "invalid_tool_call" },
      ],
      tool_calls: [],
      invalid_tool_calls: [{ id: "c", args: "{]", error: "Malformed" }],
    });
  });

  test("may be one text in the state, or have numbered blocks: the state's form wins, and is not drift", async () => {
    for (const content of ["Hello", [{ type: "text", text: "Hello", index: 0 }]]) {
      const script = new Script()
        .running()
        .values(human("h", "Hi"))
        .start("a")
        .begin(0, { type: "text", text: "" })
        .text("Hel")
        .text("lo");
      const { thread } = await folded(script.finish().values(human("h", "Hi"), said(content)).completed());
      expect(held(thread.getConfirmedState()).messages).toEqual([human("h", "Hi"), said(content)]);
      expect(thread.run?.status).toBe("ready");
    }
  });

  test("reports its usage from its start on, with zeros for missing numbers", async () => {
    const script = new Script()
      .running()
      .start("a", [], { usage: { input_tokens: 7 } })
      .begin(0, { type: "text", text: "" })
      .text("Hi");
    const { thread } = await folded(script);
    expect(thread.getState().messages[0]).toMatchObject({
      usage_metadata: { input_tokens: 7, output_tokens: 0, total_tokens: 0 },
    });
    await folded(
      script.finish([], { usage: { output_tokens: 2, total_tokens: 9, input_token_details: { cache_read: 1 } } }),
      thread,
    );
    expect(thread.getState().messages[0]).toMatchObject({
      usage_metadata: { input_tokens: 0, output_tokens: 2, total_tokens: 9, input_token_details: { cache_read: 1 } },
    });
    const silent = await folded(new Script().running().start("b").begin(0, { type: "text", text: "Hi" }).finish());
    expect(silent.thread.getState().messages[0]).not.toHaveProperty("usage_metadata");
  });

  test("that a tool says answers the call of its id, where a server names it nowhere else, or the call of its namespace", async () => {
    const result = (script: Script, id: string, namespace: string[], more: Data = {}) =>
      script
        .start(id, namespace, { role: "tool", ...more })
        .message({ event: "content-block-delta", index: 0, content: { type: "text", text: "done" } }, namespace)
        .finish(namespace);
    const callsOf = async (script: Script) =>
      (await folded(script)).thread
        .getState()
        .messages.map((message) => (message as { tool_call_id?: string }).tool_call_id);
    expect(await callsOf(result(new Script().running(), "run-1-tool-call_abc", ["tools:call_abc"]))).toEqual([
      "call_abc",
    ]);
    expect(await callsOf(result(new Script().running(), "run-1-tool-call-1-2", []))).toEqual(["call-1-2"]);
    expect(
      await callsOf(
        result(new Script().running().add("tools", { event: "tool-started", tool_call_id: "c7" }, ["tools:x"]), "t", [
          "tools:x",
        ]),
      ),
    ).toEqual(["c7"]);
    expect(await callsOf(result(new Script().running(), "run-1-tool-call_abc", [], { tool_call_id: "own" }))).toEqual([
      "own",
    ]);
    expect(await callsOf(result(new Script().running(), "t", []))).toEqual([""]);
  });

  test("that two nodes say at a time is two messages", async () => {
    const one = ["left:1"];
    const other = ["right:1"];
    const script = new Script()
      .running()
      .start("a", one)
      .start("b", other)
      .begin(0, { type: "text", text: "" }, one)
      .begin(0, { type: "text", text: "" }, other);
    const { thread } = await folded(script.text("L", one).text("R", other).text("eft", one).text("ight", other));
    expect(thread.getState().messages).toMatchObject([
      { id: "a", content: [{ text: "Left" }] },
      { id: "b", content: [{ text: "Right" }] },
    ]);
  });
});

describe("namespaces", () => {
  test("a graph's own messages go when the root's state has none of them", async () => {
    const inside = ["check:1"];
    const script = new Script()
      .running()
      .values(human("h", "Hi"))
      .add("values", { messages: [human("x", "Inside")] }, inside)
      .start("a", inside);
    script
      .text("Between us", inside)
      .finish(inside)
      .add("lifecycle", { event: "completed" }, inside)
      .values(human("h", "Hi"))
      .completed();
    const { thread, shown } = await folded(script);
    expect(shown.some((messages) => messages.some(({ id }) => id === "a"))).toBe(true);
    expect(held(thread.getConfirmedState()).messages).toEqual([human("h", "Hi")]);
  });

  test("a tool's result is shown, the text of an agent that a tool calls is not", async () => {
    const result = ["tools:c1"];
    const script = new Script()
      .running()
      .values(human("h", "Hi"))
      .start("inside", ["tools:c1", "model:2"])
      .text("Deep", ["tools:c1", "model:2"]);
    script.start("t", result, { role: "tool", tool_call_id: "c1" });
    script
      .message({ event: "content-block-delta", index: 0, content: { type: "text", text: "done" } }, result)
      .finish(result);
    const { thread } = await folded(script);
    expect(held(thread.getConfirmedState()).messages).toEqual([human("h", "Hi"), tool("t", "c1", "done")]);
  });
});

describe("a stream", () => {
  const script = new Script()
    .running()
    .values(human("h", "Hi"))
    .start("a")
    .begin(0, { type: "text", text: "" })
    .text("Hel")
    .text("lo");
  script
    .end(0, { type: "text", text: "Hello" })
    .finish()
    .values(human("h", "Hi"), said([{ type: "text", text: "Hello", index: 0 }]))
    .completed();
  const END = held({ messages: [human("h", "Hi"), said([{ type: "text", text: "Hello", index: 0 }])] });

  const cut = async function* (events: Data[]): AsyncGenerator<object> {
    yield* streamOf(events);
    throw new TypeError("terminated");
  };

  test("that was cut anywhere repeats from its start, or continues", async () => {
    for (let at = 0; at <= script.events.length; at++) {
      for (const from of [0, at]) {
        const thread = new Thread();
        const witness = new Witness(thread);
        await expect(foldLangGraph(thread, cut(script.events.slice(0, at)))).rejects.toThrow("terminated");
        await foldLangGraph(thread, streamOf(script.events.slice(from)));
        expectInSync(witness.see(), END);
      }
    }
  });

  test("that ends without a word of the run's end leaves a run that may be joined", async () => {
    const thread = new Thread();
    await foldLangGraph(thread, streamOf(script.events.slice(0, 5)));
    expect(thread.run?.status).toBe("disconnected");
  });

  test("of a thread is read to the end of the run that is asked for", async () => {
    const second = new Script("run-2").running().values(human("h2", "Again")).completed();
    const parts = [...script.events, ...second.events];
    const asked = new Thread();
    await foldLangGraph(asked, streamOf(parts), { runId: "run-1" });
    expect(held(asked.getConfirmedState())).toEqual(END);
    const all = new Thread();
    await foldLangGraph(all, streamOf(parts));
    expect(held(all.getConfirmedState()).messages).toEqual([human("h2", "Again")]);
  });

  test("does not go back to a finished run that is replayed before the next", async () => {
    const thread = new Thread();
    await foldLangGraph(thread, streamOf(script.events));
    const second = new Script("run-2").running().values(...(END.messages as Message[]), human("h2", "Again"));
    await foldLangGraph(thread, streamOf(second.events));
    const lengths: number[] = [];
    byPart(thread).subscribe((state, before) => state !== before && lengths.push(state.messages.length));
    await foldLangGraph(thread, streamOf([...script.events, ...second.completed().events]));
    expect(lengths).toEqual([]);
    expect(thread.getState().messages.length).toBe(3);
  });

  test("with a state of an earlier step after a later one keeps the later", async () => {
    const stepped = new Script()
      .running()
      .add("checkpoints", { id: "1", step: 1, source: "loop" })
      .values(human("h", "Hi"));
    stepped.add("checkpoints", { id: "2", step: 2, source: "loop" }).values(human("h", "Hi"), said("Hello"));
    const { thread } = await folded(
      stepped.add("checkpoints", { id: "1", step: 1, source: "loop" }).values(human("h", "Hi")),
    );
    expect(thread.getState().messages.length).toBe(2);
  });

  test("replayed to a thread that was made from the server's state keeps the rest, given the step", async () => {
    const history = [human("h", "Hi"), said("Hello"), human("h2", "More"), ai("b", "Much")];
    const replay = () => {
      const stepped = new Script().running();
      for (const [step, length] of [
        [0, 1],
        [1, 2],
        [3, 3],
        [4, 4],
      ] as const) {
        stepped.add("checkpoints", { id: String(step), step, source: "loop" }).values(...history.slice(0, length));
      }
      return stepped.completed().events;
    };
    const lengths = async (options: object): Promise<number[]> => {
      const thread = new Recorder({ messages: history as never });
      await foldLangGraph(thread, streamOf(replay()), options);
      expect(held(thread.getConfirmedState()).messages).toEqual(history);
      return thread.shown.map(({ length }) => length);
    };
    expect(new Set(await lengths({ step: 4 }))).toEqual(new Set([4]));
    // Without that option, the thread mistakes the replay's states for the server's latest one.
    expect(await lengths({})).toContain(1);
  });

  test("sends interrupts, a node's own events, updates and failures", async () => {
    const told: unknown[] = [];
    const thread = new Thread();
    const events = new Script()
      .running()
      .values(human("h", "Hi"))
      .add("updates", { node: "plan", values: { todos: [{ content: "x", status: "pending" }] } });
    events
      .add("updates", { node: "__interrupt__", values: { value: [{ id: "i1", value: 1 }] } })
      .add("input.requested", { interrupt_id: "i1", payload: 1 });
    events
      .add("custom", { name: "progress", payload: 0.5 })
      .add("tools", { event: "tool-started" })
      .add("nobody-knows", null)
      .add("lifecycle", { event: "failed", error: "broken" });
    const { interrupts, error } = await foldLangGraph(thread, streamOf(events.events), {
      onEvent: ({ method, params }) => method === "custom" && told.push((params as { data: unknown }).data),
    });
    expect({ told, interrupts: interrupts.map(({ raw }) => raw), error: error?.message }).toEqual({
      told: [{ name: "progress", payload: 0.5 }],
      interrupts: [{ id: "i1", value: 1, namespace: [] }],
      error: "broken",
    });
    expect(thread.getState().todos).toEqual([{ content: "x", status: "pending" }]);
    expect(thread.run?.status).toBe("error");
  });
});
