// Many runs of one thread that wait for each other in serveLangGraph.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { MemoryRuns, serveLangGraph } from "threadfold/serve";
import { expect, test, vi } from "vitest";

/** A server whose first run ends when `open` is called. */
function served(runs = new MemoryRuns()) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const begun: unknown[] = [];
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }) => {
      begun.push(messages.at(-1)?.content);
      await opened;
      return {};
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveLangGraph(graph, { runs, heartbeat: 0 });
  const post = async (path: string, body: object = {}) =>
    handler(new Request(`http://localhost/threads/t/runs${path}`, { method: "POST", body: JSON.stringify(body) }));
  const start = async (content: string) => {
    const run = await post("", { assistant_id: "agent", input: { messages: [{ type: "human", content }] } });
    return ((await run.json()) as { run_id: string }).run_id;
  };
  return { open, begun, post, start };
}

test("a run waits for all before it, also once one that waits between them is stopped", async () => {
  const { open, begun, post, start } = served();
  await start("a");
  const stopped = await start("b");
  await start("c");
  await start("d");
  await vi.waitFor(() => expect(begun).toEqual(["a"]));
  await post(`/${stopped}/cancel?wait=1`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun).toEqual(["a"]);
  open();
  await vi.waitFor(() => expect(begun).toEqual(["a", "c", "d"]));
});

test("a run that begins looks at each run before it some times, not at each for each", async () => {
  let looks = 0;
  /** Counts how often the runs before a run are read. */
  class Counted extends MemoryRuns {
    override async begin(...args: Parameters<MemoryRuns["begin"]>) {
      const lease = await super.begin(...args);
      const counted = lease.before.map(({ threadId, id }) => ({
        threadId,
        get id() {
          looks++;
          return id;
        },
      }));
      // The same object: the memory knows a lease by it.
      return Object.assign(lease, { before: counted });
    }
  }
  const { open, start } = served(new Counted());
  const count = 100;
  for (let at = 0; at < count; at++) await start(String(at));
  expect(looks).toBeLessThan(3 * count ** 2);
  open();
});
