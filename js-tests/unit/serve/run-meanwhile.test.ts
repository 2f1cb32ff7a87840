// Requests of a thread while a run of it begins or ends: what is read of both fits together.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { MemoryRuns, serveAgUi } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";

function graphOf(saver: MemorySaver, gate: Promise<void> | undefined = undefined) {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async () => {
      await gate;
      return { messages: [{ type: "ai" as const, id: "a", content: "Hello" }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
}

const post = (more: object = {}) =>
  new Request("http://localhost/agent", {
    method: "POST",
    body: JSON.stringify({
      threadId: "t",
      runId: "r",
      messages: [{ id: "q", role: "user", content: "Hi" }],
      ...more,
    }),
  });

test("a thread that is read while its run ends has the run's end, or names the run", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  /** Reads a thread, and lets its run end before it answers. */
  class Slow extends MemorySaver {
    ends: (() => Promise<unknown>) | undefined;
    override async getTuple(...asked: Parameters<MemorySaver["getTuple"]>) {
      const tuple = await super.getTuple(...asked);
      const { ends } = this;
      this.ends = undefined;
      await ends?.();
      return tuple;
    }
  }
  const saver = new Slow();
  const handler = serveAgUi(graphOf(saver, gate), { resumable: true });
  const run = await handler(post());
  saver.ends = async () => {
    open();
    await run.text();
  };
  const answer = await handler(new Request("http://localhost/agent/threads/t"));
  expect(answer.status).toBe(200);
  const { messages, run: named } = (await answer.json()) as { messages: { id: string }[]; run?: { id: string } };
  expect(messages.some(({ id }) => id === "a") || named?.id === "r").toBe(true);
});

test("a run that is refused for its checkpoint does not begin: no follower looks for it", async () => {
  const begun: string[] = [];
  class Runs extends MemoryRuns {
    override begin(...asked: Parameters<MemoryRuns["begin"]>) {
      begun.push(asked[0].id);
      return super.begin(...asked);
    }
  }
  const handler = serveAgUi(graphOf(new MemorySaver()), { runs: new Runs() });
  await (await handler(post())).text();
  const forwardedProps = { threadfold: { at: "another", leavesOut: true } };
  const refused = await handler(post({ runId: "r2", messages: [], forwardedProps }));
  expect(refused.status).toBe(412);
  expect(begun).toEqual(["r"]);
  // The run that is there keeps its events.
  const again = await handler(new Request("http://localhost/agent/threads/t/runs/r"));
  expect(await again.text()).toContain("Hello");
});

test("a thread names no run that the store has not accepted yet: it cannot be joined", async () => {
  let accept = () => {};
  const accepted = new Promise<void>((resolve) => (accept = resolve));
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  class Runs extends MemoryRuns {
    override async begin(...asked: Parameters<MemoryRuns["begin"]>) {
      if (asked[0].id === "r2") {
        arrive();
        await accepted;
      }
      return super.begin(...asked);
    }
  }
  const handler = serveAgUi(graphOf(new MemorySaver()), { runs: new Runs() });
  await (await handler(post())).text();
  const coming = handler(post({ runId: "r2", messages: [{ id: "q2", role: "user", content: "And?" }] }));
  await arrived;
  const { run } = (await (await handler(new Request("http://localhost/agent/threads/t"))).json()) as { run?: object };
  expect(run).toBeUndefined();
  accept();
  expect(await (await coming).text()).toContain("RUN_FINISHED");
});

describe.each(LIBRARIES)("$library", ({ halfGraph }) => {
  test("a message whose run is stopped before the graph has saved it is kept", async () => {
    /** Stops the run when the server first reads its thread. */
    class Stopping extends MemorySaver {
      stops: (() => Promise<unknown>) | undefined;
      override async getTuple(...asked: Parameters<MemorySaver["getTuple"]>) {
        const { stops } = this;
        this.stops = undefined;
        await stops?.();
        return super.getTuple(...asked);
      }
    }
    const saver = new Stopping();
    const handler = serveAgUi(halfGraph(saver as never), { resumable: true });
    const at = "http://localhost/agent/threads/t";
    saver.stops = async () => {
      // The stop waits for the run's end, which waits for this.
      void handler(new Request(`${at}/runs/r`, { method: "DELETE" }));
      await new Promise((resolve) => setTimeout(resolve));
    };
    expect(await (await handler(post())).text()).toContain('"type":"cancelled"');
    const { messages } = (await (await handler(new Request(at))).json()) as { messages: object[] };
    expect(messages).toMatchObject([{ id: "q", role: "user", content: "Hi" }]);
  });
});
