import { defineSchema, field } from "threadfold";
import * as O from "threadfold/graph";
const { START, END } = O;
const M = defineSchema({ messages: field.messages() });
for (const N of [1000, 10000]) {
  const messages = Array.from({ length: N }, (_, i) => ({ type: "human", id: "m" + i, content: "m" + i }));
  let k = 0;
  const g = new O.StateGraph(M)
    .addNode("a", () => ({ messages: [{ type: "ai", id: "x" + k++, content: "hi" }] }))
    .addEdge(START, "a")
    .addConditionalEdges("a", ({ messages }) => (messages.length < N + 100 ? "a" : END))
    .compile();
  const base = M.step({ messages: [] }, [{ messages }]);
  const direct = () => {
    let s = base;
    for (let i = 0; i < 100; i++) s = M.step(s, [{ messages: [{ type: "ai", id: "x" + k++, content: "hi" }] }]);
  };
  const med = async (f) => {
    const all = [];
    for (let i = 0; i < 15; i++) {
      const t = process.cpuUsage().user;
      await f();
      all.push((process.cpuUsage().user - t) / 100);
    }
    all.sort((a, b) => a - b);
    return all[7].toFixed(1) + " min " + all[0].toFixed(1);
  };
  console.log(
    N,
    "direct",
    await med(direct),
    "graph",
    await med(() => g.invoke({ messages }, { recursionLimit: 2000 })),
    "first",
    await med(() => M.step({ messages: [] }, [{ messages }])),
  );
}
