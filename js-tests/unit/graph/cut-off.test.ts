// A run that is cut off between the writes of a super-step and its checkpoint: what was saved is kept.
import * as langgraph from "@langchain/langgraph";
import * as threadfold from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { Annotation, type Loose, type Package } from "./beside-langgraph.js";

const State = Annotation.Root({ log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) });
const config = (durability: string) => ({ configurable: { thread_id: "t" }, durability });

/** A saver that loses every checkpoint from the one of this step on, until it is mended: the program dies before. */
function losing(of: Package, step: number) {
  const saver: Loose = new of.MemorySaver();
  const put = saver.put.bind(saver);
  const state = { isMended: false };
  saver.put = async (at: unknown, checkpoint: unknown, metadata: Loose, ...more: unknown[]) => {
    if (!state.isMended && metadata.step >= step) throw new Error("killed");
    return put(at, checkpoint, metadata, ...more);
  };
  return { saver, mend: () => void (state.isMended = true) };
}

/** Two nodes run in step 1, and a third in step 2. */
function graph(of: Package, saver: Loose, ran: string[]): Loose {
  const says = (name: string) => () => {
    ran.push(name);
    return { log: [name] };
  };
  return new of.StateGraph(State)
    .addNode("a", says("a"))
    .addNode("b", says("b"))
    .addNode("c", says("c"))
    .addEdge(of.START, "a")
    .addEdge(of.START, "b")
    .addEdge("a", "c")
    .compile({ checkpointer: saver });
}

const cutOff = async (of: Package, step: number, durability: string) => {
  const ran: string[] = [];
  const { saver, mend } = losing(of, step);
  await expect(graph(of, saver, ran).invoke({ log: ["in"] }, config(durability))).rejects.toThrow("killed");
  mend();
  return { graph: graph(of, saver, ran), ran };
};

describe.each(["sync", "async"])("durability %s", (durability) => {
  test("new input comes after what all tasks of the step had written", async () => {
    const { graph, ran } = await cutOff(threadfold, 1, durability);
    const shown = (await graph.getState(config(durability))).values.log;
    expect(shown).toEqual(["in", "a", "b"]);
    ran.length = 0;
    const { log } = await graph.invoke({ log: ["more"] }, config(durability));
    expect(log).toEqual(["in", "a", "b", "more", "a", "b", "c"]);
    expect(ran).toEqual(["a", "b", "c"]);
    const sources = [];
    for await (const { metadata } of graph.getStateHistory(config(durability)))
      sources.unshift(`${metadata.source} ${metadata.step}`);
    expect(sources).toEqual(["input -1", "loop 0", "loop 1", "input 2", "loop 3", "loop 4", "loop 5"]);
  });

  test("so does a command that answers nothing", async () => {
    const { graph } = await cutOff(threadfold, 1, durability);
    const { log } = await graph.invoke(
      new threadfold.Command({ update: { log: ["more"] }, goto: "c" }),
      config(durability),
    );
    expect(log.slice(0, 4)).toEqual(["in", "a", "b", "more"]);
  });

  test("without input the run goes on where it was cut off", async () => {
    const { graph, ran } = await cutOff(threadfold, 1, durability);
    ran.length = 0;
    expect((await graph.invoke(null, config(durability))).log).toEqual(["in", "a", "b", "c"]);
    expect(ran).toEqual(["c"]);
  });

  test("a thread that langgraph.js left keeps them, too", async () => {
    const { saver, mend } = losing(langgraph as unknown as Package, 1);
    const theirs = graph(langgraph as unknown as Package, saver, []);
    await expect(theirs.invoke({ log: ["in"] }, config(durability))).rejects.toThrow("killed");
    mend();
    const { log } = await graph(threadfold, saver, []).invoke({ log: ["more"] }, config(durability));
    expect(log).toEqual(["in", "a", "b", "more", "a", "b", "c"]);
  });
});
