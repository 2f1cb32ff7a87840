import { defineSchema, field } from "threadfold";
import * as O from "threadfold/graph";
import * as T from "@langchain/langgraph";
async function time(f, times, per) {
  for (let i = 0; i < 2; i++) await f();
  const all = [];
  for (let i = 0; i < times; i++) {
    const t = process.cpuUsage().user;
    await f();
    all.push((process.cpuUsage().user - t) / per);
  }
  all.sort((a, b) => a - b);
  return all[all.length >> 1];
}
const row = async (name, ours, theirs) => {
  const t = await time(...theirs);
  const o = await time(...ours);
  console.log(name.padEnd(24), "ours", o.toFixed(2), "theirs", t.toFixed(1), "ratio", (t / o).toFixed(0));
};
const only = process.argv[2];
const { START, END } = T;
const S = defineSchema({ n: field.replace() });
const A = T.Annotation.Root({ n: T.Annotation() });
const loop = (P, s, N, opt) =>
  new P.StateGraph(s)
    .addNode("a", ({ n }) => ({ n: n + 1 }))
    .addEdge(START, "a")
    .addConditionalEdges("a", ({ n }) => (n < N ? "a" : END))
    .compile(opt);
const one = (P, s) =>
  new P.StateGraph(s)
    .addNode("a", ({ n }) => ({ n: n + 1 }))
    .addEdge(START, "a")
    .compile();
const many = async (g, n) => {
  for (let i = 0; i < n; i++) await g.invoke({ n: 0 });
};
if (!only || only === "step") {
  const o = loop(O, S, 1000),
    t = loop(T, A, 100);
  await row(
    "{n} step",
    [() => o.invoke({ n: 0 }, { recursionLimit: 2000 }), 30, 1000],
    [() => t.invoke({ n: 0 }, { recursionLimit: 2000 }), 5, 100],
  );
}
if (!only || only === "one") {
  const o = one(O, S),
    t = one(T, A);
  await row("run of one node", [() => many(o, 500), 30, 500], [() => many(t, 50), 8, 50]);
}
if (!only || only === "msg")
  for (const N of [1000, 10000]) {
    let k = 0;
    const build = (P, s) =>
      new P.StateGraph(s)
        .addNode("a", () => ({ messages: [{ type: "ai", id: "x" + k++, content: "hi" }] }))
        .addEdge(START, "a")
        .addConditionalEdges("a", ({ messages }) => (messages.length < N + (P === O ? 100 : 20) ? "a" : END))
        .compile();
    const o = build(O, defineSchema({ messages: field.messages() })),
      t = build(T, T.MessagesAnnotation);
    const messages = Array.from({ length: N }, (_, i) => ({ type: "human", id: "m" + i, content: "m" + i }));
    await row(
      "+1 on " + N,
      [() => o.invoke({ messages }, { recursionLimit: 2000 }), 10, 100],
      [() => t.invoke({ messages }, { recursionLimit: 2000 }), 3, 20],
    );
  }
if (!only || only === "fan") {
  const build = (P, s) =>
    new P.StateGraph(s)
      .addNode("w", ({ i }) => ({ out: [i] }))
      .addConditionalEdges(START, () => Array.from({ length: 100 }, (_, i) => new P.Send("w", { i })))
      .compile();
  const o = build(O, defineSchema({ out: field.append(), n: field.replace() })),
    t = build(
      T,
      T.Annotation.Root({
        n: T.Annotation(),
        out: T.Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
      }),
    );
  await row(
    "fan-out per Send",
    [
      async () => {
        for (let i = 0; i < 10; i++) await o.invoke({ n: 1 });
      },
      20,
      1000,
    ],
    [() => t.invoke({ n: 1 }), 5, 100],
  );
}
if (!only || only === "saver") {
  let k = 0;
  const o = loop(O, S, 1000, { checkpointer: new O.MemorySaver() }),
    t = loop(T, A, 100, { checkpointer: new T.MemorySaver() });
  await row(
    "{n} step MemorySaver",
    [() => o.invoke({ n: 0 }, { recursionLimit: 2000, configurable: { thread_id: "t" + k++ } }), 5, 1000],
    [() => t.invoke({ n: 0 }, { recursionLimit: 2000, configurable: { thread_id: "t" + k++ } }), 5, 100],
  );
}
