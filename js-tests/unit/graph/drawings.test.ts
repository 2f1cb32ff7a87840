// Drawings of graphs, beside langgraph.js's.
import { START, StateGraph } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { Annotation, type Loose, type Package, same, State } from "./beside-langgraph.js";

const nothing = () => ({});

/** A graph inside, by where it ends: at a choice, at one node, at a choice with END, at two nodes. */
function inner(of: Package, ends: string) {
  const graph = new of.StateGraph(State)
    .addNode([
      ["i1", nothing],
      ["i2", nothing],
      ["i3", nothing],
    ])
    .addEdge(of.START, "i1");
  if (ends === "a choice") graph.addConditionalEdges("i1", () => "i2", ["i2", "i3"]);
  else if (ends === "a choice with END") graph.addConditionalEdges("i1", () => "i2", ["i2", "i3", of.END]);
  else if (ends === "one node") graph.addEdge("i1", "i2").addEdge("i2", "i3");
  else graph.addEdge("i1", "i2").addEdge("i1", "i3");
  return graph.compile();
}

const mermaid = (graph: Loose, xray?: boolean | number) => graph.getGraph({ xray }).drawMermaid().split("\n");

describe("getGraph().drawMermaid()", () => {
  for (const ends of ["a choice", "one node", "a choice with END", "two nodes"])
    same(`a graph inside that ends at ${ends}`, async (of) =>
      mermaid(
        new of.StateGraph(State)
          .addNode("start", nothing)
          .addNode("inner", inner(of, ends))
          .addNode("the end", nothing)
          .addEdge(of.START, "start")
          .addConditionalEdges("start", () => "inner", ["inner", "the end"])
          .addEdge("inner", "the end")
          .compile({ interruptBefore: ["start"], interruptAfter: ["the end"] }),
        true,
      ),
    );
  for (const xray of [true, 1, false])
    same(`graphs inside graphs, xray ${xray}`, async (of) => {
      const middle = new of.StateGraph(State)
        .addNode("in", inner(of, "one node"))
        .addNode("m", nothing)
        .addEdge(of.START, "in")
        .addEdge("in", "m");
      const outer = new of.StateGraph(State)
        .addNode("middle", middle.compile())
        .addNode("z", nothing)
        .addEdge(of.START, "middle")
        .addEdge("middle", "z");
      return mermaid(outer.compile(), xray);
    });
  same("labels, metadata and ends", async (of) =>
    mermaid(
      new of.StateGraph(State)
        .addNode("a", nothing, { metadata: { k: "v" }, ends: ["b", "c"] })
        .addNode("b", nothing)
        .addNode("c", nothing)
        .addEdge(of.START, "a")
        .addConditionalEdges("b", () => "yes", { yes: "c", no: of.END })
        .compile(),
    ),
  );
  same("without a state", async (of) =>
    mermaid(new of.StateGraph(Annotation.Root({})).addNode("a", nothing).addEdge(of.START, "a").compile()),
  );
});

describe("getGraph().toJSON()", () => {
  same("edges, and nodes by their kinds", async (of) => {
    const graph = new of.StateGraph(State)
      .addNode("a", nothing)
      .addNode("b", nothing, { metadata: { k: "v" } })
      .addNode("c", inner(of, "one node"))
      .addEdge(of.START, "a")
      .addConditionalEdges("a", () => "one", { one: "b", b: "b", end: of.END })
      .addEdge("b", "c")
      .compile({ interruptAfter: ["b"] });
    const { nodes, edges } = graph.getGraph().toJSON();
    // START's data do not matter here.
    return { nodes: nodes.map(({ data: { id, name }, ...node }: Loose) => ({ ...node, of: id, name })), edges };
  });
});

test("drawMermaid() is in the text of LangGraph for Python", () => {
  const graph = new StateGraph(State as unknown).addNode("a.b", nothing).addEdge(START, "a.b").compile();
  expect(graph.drawMermaid()).toMatch(/^---\nconfig:\n {2}flowchart:\n {4}curve: linear\n---\ngraph TD;\n/);
  expect(graph.drawMermaid()).toContain("a\\2eb(a.b)");
  expect(graph.getGraph().drawMermaid()).toContain("a_b(a.b)");
});
