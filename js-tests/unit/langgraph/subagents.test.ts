// Sub-agents of a tool's graph: each has a thread of its own.
import { Thread, ThreadfoldError, type Subagent } from "threadfold";
import { foldGraph, foldLangGraph, type LangGraphPart } from "threadfold/langgraph";
import { createDeepAgent, tool, type FunctionModel } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { expect, test, vi } from "vitest";

const call = (id: string, description: string) => ({
  id,
  name: "task",
  args: { subagent_type: "general-purpose", description },
  type: "tool_call",
});

const asking: LangGraphPart[] = [
  { id: "1", event: "metadata", data: { run_id: "r1" } },
  {
    id: "2",
    event: "messages",
    data: [
      { type: "ai", id: "a", content: "", tool_calls: [call("c1", "sights"), call("c2", "food")] },
      { langgraph_checkpoint_ns: "model:0" },
    ],
  },
];

const token = (id: string, ns: string, text: string): LangGraphPart => ({
  id,
  event: `messages|tools:${ns}`,
  data: [
    { type: "AIMessageChunk", id: `m-${ns}`, content: text },
    { langgraph_checkpoint_ns: `tools:${ns}|model:0`, lc_agent_name: "general-purpose" },
  ],
});

const result = (id: string, ns: string, callId: string, content: string, status = "success"): LangGraphPart => ({
  id,
  event: "messages",
  data: [
    { type: "tool", id: `t-${callId}`, tool_call_id: callId, content, status },
    { langgraph_checkpoint_ns: `tools:${ns}` },
  ],
});

const tree = (thread: { subagents: readonly Subagent[] }): unknown[] =>
  thread.subagents.map(({ id, name, toolCallId, parentId, thread: own }) => ({
    id,
    name,
    toolCallId,
    parentId,
    status: own.run.status,
    texts: own.getState().messages.map(({ content }: { content: unknown }) => content),
    ...(own.subagents.length > 0 && { subagents: tree(own) }),
  }));

const one = (ns: string, toolCallId: string | undefined, status: string, ...texts: string[]) => ({
  id: `tools:${ns}`,
  name: "general-purpose",
  toolCallId,
  parentId: undefined,
  status,
  texts,
});

test("each is a thread under its call, and ends with its call's result", async () => {
  const thread = new Thread();
  await foldLangGraph(
    thread,
    [
      ...asking,
      token("3", "x", "I "),
      token("4", "y", "Pasta"),
      token("5", "x", "wrote."),
      result("6", "x", "c1", "I wrote."),
    ].concat({ event: "custom", data: 0 }),
    { until: "stream" } as never,
  );
  expect(thread.messageIds).toEqual(["a", "t-c1"]);
  expect(tree(thread)).toEqual([one("x", "c1", "ready", "I wrote."), one("y", "c2", "ready", "Pasta")]);
});

test("a token of one touches that thread alone", async () => {
  const thread = new Thread();
  let next: (part: LangGraphPart | undefined) => void = () => {};
  async function* parts() {
    yield* [...asking, token("3", "x", "I "), token("4", "y", "Pasta")];
    for (let part; (part = await new Promise<LangGraphPart | undefined>((resolve) => (next = resolve)));) yield part;
  }
  const folded = foldLangGraph(thread, parts());
  await vi.waitFor(() => expect(thread.subagents).toHaveLength(2));
  await new Promise((resolve) => setTimeout(resolve));
  const before = [thread.getState(), thread.run, thread.subagents, thread.subagents[1]?.thread.getState()];
  const heard = vi.fn();
  thread.subscribe(heard);
  const own = vi.fn();
  thread.subagents[0]?.thread.subscribe(own);
  next(token("5", "x", "wrote."));
  await vi.waitFor(() => expect(own).toHaveBeenCalledTimes(1));
  expect(heard).not.toHaveBeenCalled();
  const after = [thread.getState(), thread.run, thread.subagents, thread.subagents[1]?.thread.getState()];
  for (const [at, value] of after.entries()) expect(value).toBe(before[at]);
  next(undefined);
  await folded;
});

test("the result of a call corrects an earlier guess, and a failed one fails its sub-agent", async () => {
  const thread = new Thread();
  await foldLangGraph(thread, [
    ...asking,
    token("3", "y", "Pasta"),
    token("4", "x", "I wrote."),
    result("5", "x", "c1", "I wrote."),
    result("6", "y", "c2", "No pasta", "error"),
  ]);
  expect(tree(thread)).toEqual([one("y", "c2", "error", "Pasta"), one("x", "c1", "ready", "I wrote.")]);
  expect(thread.subagents[0]?.thread.run.error?.message).toBe("No pasta");
});

test("the first message of a sub-agent identifies its call", async () => {
  const thread = new Thread();
  const values = (ns: string, content: string): LangGraphPart => ({
    event: `values|tools:${ns}`,
    data: { messages: [{ type: "human", id: `h-${ns}`, content }] },
  });
  await foldLangGraph(thread, [...asking, values("y", "food"), values("x", "sights")]);
  expect(tree(thread)).toEqual([one("y", "c2", "ready", "food"), one("x", "c1", "ready", "sights")]);
});

test("a part that says nothing of the call is followed by one that does: the sub-agent is renamed", async () => {
  const thread = new Thread();
  const todos = { id: "c0", name: "write_todos", args: { todos: [] }, type: "tool_call" };
  const to = (id: string, name: string) => ({ ...call(id, id), args: { subagent_type: name, description: id } });
  const update = (ns: string): LangGraphPart => ({ event: `updates|trip:0|tools:${ns}`, data: { patch: {} } });
  const says = (ns: string, name: string): LangGraphPart => ({
    event: `messages|trip:0|tools:${ns}`,
    data: [
      { type: "ai", id: `m-${ns}`, content: ns },
      { langgraph_checkpoint_ns: `trip:0|tools:${ns}|model:0`, lc_agent_name: name },
    ],
  });
  const names = () => thread.subagents.map(({ name, toolCallId }) => [name, toolCallId]);
  const seen: unknown[] = [];
  const parts: LangGraphPart[] = [
    { event: "metadata", data: { run_id: "r1" } },
    {
      event: "messages|trip:0",
      data: [
        { type: "ai", id: "a", content: "", tool_calls: [todos, to("c1", "sights"), to("c2", "food")] },
        { langgraph_checkpoint_ns: "trip:0|model:0" },
      ],
    },
    update("y"),
    update("x"),
    says("y", "food"),
    says("x", "sights"),
    {
      event: "messages|trip:0",
      data: [
        { type: "tool", id: "t", tool_call_id: "c2", content: "y" },
        { langgraph_checkpoint_ns: "trip:0|tools:x" },
      ],
    },
  ];
  await foldLangGraph(thread, parts, { onEvent: () => void seen.push(names()) });
  expect(seen.slice(3)).toEqual([
    [
      ["sights", "c1"],
      ["food", "c2"],
    ],
    [
      ["food", "c2"],
      ["sights", "c1"],
    ],
    [
      ["food", "c2"],
      ["sights", "c1"],
    ],
    // The call's result is the last word, whatever the names say.
    [
      ["sights", "c1"],
      ["food", "c2"],
    ],
  ]);
});

test("a sub-agent of a sub-agent is in its thread", async () => {
  const thread = new Thread();
  const within = (ns: string, data: unknown[]): LangGraphPart => ({ event: `messages|${ns}`, data });
  await foldLangGraph(thread, [
    ...asking,
    within("tools:x", [
      { type: "ai", id: "b", content: "", tool_calls: [call("c9", "deeper")] },
      { langgraph_checkpoint_ns: "tools:x|model:0" },
    ]),
    within("tools:x|tools:z", [
      { type: "ai", id: "d", content: "Deep." },
      { langgraph_checkpoint_ns: "tools:x|tools:z|model:0" },
    ]),
    within("tools:x", [
      { type: "tool", id: "e", tool_call_id: "c9", content: "Deep." },
      { langgraph_checkpoint_ns: "tools:x|tools:z" },
    ]),
  ]);
  expect(tree(thread)).toEqual([
    {
      ...one("x", "c1", "ready", "", "Deep."),
      subagents: [{ ...one("x|tools:z", "c9", "ready", "Deep."), parentId: "tools:x" }],
    },
  ]);
});

test("a cut stream is joined after a sub-agent's part, also after a reload: no text comes twice", async () => {
  const texts = Array.from({ length: 400 }, (_, at) => `${at} `);
  const run = [
    ...asking,
    ...texts.map((text, at) => token(String(3 + at), "x", text)),
    result("900", "x", "c1", "Done."),
    { id: "901", event: "end" },
  ];
  for (const reloads of [false, true]) {
    for (const cut of [3, 150, 399]) {
      let thread = new Thread();
      const failing = async function* () {
        yield* run.slice(0, cut + 2);
        throw new TypeError("cut");
      };
      await foldLangGraph(thread, failing()).catch(() => {});
      expect(thread.subagents[0]?.thread.run.status).toBe("disconnected");
      if (reloads) thread = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
      const last = Number(thread.run.lastEventId);
      expect(last).toBe(cut + 2);
      await foldLangGraph(
        thread,
        run.filter(({ id }) => Number(id) > last),
        { join: true },
      );
      expect(tree(thread)).toEqual([one("x", "c1", "ready", texts.join(""))]);
    }
  }
});

test("a thread that is saved while a sub-agent speaks joins after what it has said", async () => {
  const run = [...asking, token("3", "x", "I "), token("4", "x", "wrote.")];
  const thread = new Thread();
  let saved = "";
  await foldLangGraph(thread, [...run, token("5", "x", " More.")], {
    onEvent: ({ id }) => void (id === "4" && (saved = JSON.stringify(thread))),
  });
  const again = Thread.fromJSON(JSON.parse(saved));
  expect(again.run).toMatchObject({ status: "disconnected", lastEventId: "4" });
  await foldLangGraph(again, [token("5", "x", " More."), { id: "6", event: "end" }], { join: true });
  expect(tree(again)).toEqual([one("x", "c1", "ready", "I wrote. More.")]);
});

test("a run that is sent again from its start makes each sub-agent once", async () => {
  const thread = new Thread();
  const run = [...asking, token("3", "x", "I "), token("4", "x", "wrote.")].map(({ id: _id, ...part }) => part);
  await foldLangGraph(thread, run.slice(0, 3));
  await foldLangGraph(thread, run);
  expect(tree(thread)).toEqual([one("x", "c1", "ready", "I wrote.")]);
});

test("a record with invalid sub-agents is refused", async () => {
  const thread = new Thread();
  await foldLangGraph(thread, [...asking, token("3", "x", "I ")]);
  const record = JSON.parse(JSON.stringify(thread)) as { subagents: object[] };
  for (const subagents of [[null], [{}], [{ ...record.subagents[0], thread: { version: 2 } }], 5])
    expect(errorOf(() => Thread.fromJSON({ ...record, subagents }))).toBe(
      Array.isArray(subagents) ? ThreadfoldError : undefined,
    );
});

const errorOf = (call: () => unknown): unknown => {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as Error).constructor;
  }
};

let made = 0;
const calls = (...list: [name: string, args: object][]) => ({
  content: "",
  tool_calls: list.map(([name, args]) => ({ id: `call-${++made}`, name, args })),
});

const model: FunctionModel = async (messages, { onToken }) => {
  const task = messages.find(({ type }) => type === "human")?.content as string;
  const results = messages.filter(({ type }) => type === "tool");
  if (task === "Trip" && results.length === 0)
    return calls(
      ...["sights", "hotel"].map(
        (description) => ["task", { subagent_type: "general-purpose", description }] as [string, object],
      ),
    );
  if (task === "hotel" && results.length === 0) return calls(["book", { hotel: "Roma" }]);
  const text = task === "Trip" ? "Done." : `I wrote about ${task}.`;
  for (const word of text.split(/(?<= )/)) onToken?.(word);
  return text;
};

const agent = () =>
  createDeepAgent({
    model,
    tools: [tool({ name: "book", run: ({ hotel }: { hotel: string }) => `Booked ${hotel}.` })],
    interruptOn: { book: true },
    checkpointer: new MemorySaver(),
  });

test("a graph in the page: an interrupt in a sub-agent is answered through the parent", async () => {
  const graph = agent();
  const thread = new Thread();
  const config = { threadId: "t", streamMode: ["updates", "messages"], subgraphs: true };
  const folded = (input: unknown) => foldGraph(thread, graph.stream(input as never, config as never) as never);
  const { Command } = await import("threadfold/graph");
  const asked = await folded({ messages: [{ type: "human", id: "q", content: "Trip" }] });
  expect(asked.interrupts).toHaveLength(1);
  expect(thread.subagents.map(({ thread: own }) => own.run.status)).toEqual(["ready", "interrupted"]);
  const ids = thread.subagents.map(({ id, toolCallId }) => [id, toolCallId]);
  const asking = thread.getState().messages.find(({ type }) => type === "ai");
  expect(ids.map(([, callId]) => callId)).toEqual(
    asking?.type === "ai" ? asking.tool_calls?.map(({ id }) => id) : undefined,
  );
  await folded(new Command({ resume: { decisions: [{ type: "approve" }] } }));
  expect(thread.subagents.map(({ id, toolCallId }) => [id, toolCallId])).toEqual(ids);
  expect(thread.subagents.map(({ thread: own }) => own.run.status)).toEqual(["ready", "ready"]);
  const [sights, hotel] = thread.subagents.map(({ thread: own }) =>
    own.getState().messages.map(({ content }: { content: unknown }) => content),
  );
  expect(sights).toEqual(["I wrote about sights."]);
  expect(hotel).toEqual(["", "Booked Roma.", "I wrote about hotel."]);
});
