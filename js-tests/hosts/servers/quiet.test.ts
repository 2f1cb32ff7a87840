// Runners that fold a server's updates, without its states: on Python's server and on the one in JavaScript.
import { defineSchema, field, Thread } from "threadfold";
import { LangGraphRunner, type LangGraphRunnerOptions } from "threadfold/langgraph";
import { describe, expect, inject, test } from "vitest";
import { held } from "../../peers/recorded/witness";
import { withoutEmpty } from "../../support/without-empty";
import { langGraph } from "./wire.mjs";

const plain = defineSchema({ messages: field.messages() });

const logged = defineSchema({
  messages: field.messages(),
  log: field.append<string>(),
  count: field.reducer((sum: number, more: number) => sum + more, { default: () => 0 }),
  mood: field.replace<string>(),
});

const schemaOf = (graph: string) => (/ten_steps|chat|prune|subgraph/.test(graph) ? plain : logged);

interface Traffic {
  bytes: number;
  /** The paths that were asked for a state. */
  states: string[];
}

/** A page on a thread of the server, and what it received. */
function page(url: string, graph: string, options: Partial<LangGraphRunnerOptions> = {}, threadId?: string) {
  const traffic: Traffic = { bytes: 0, states: [] };
  const counted: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const asksChange = String(init?.body).includes("state_updated_at");
    if (/\/state|\/search/.test(String(input)) && !asksChange)
      traffic.states.push(String(input).replace(/.*threads/, ""));
    traffic.bytes += String(init?.body ?? "").length;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        traffic.bytes += part.length;
        controller.enqueue(part);
      },
    });
    return new Response(response.body?.pipeThrough(counting), response);
  };
  const thread = new Thread({ schema: schemaOf(graph), ...(threadId && { threadId }) });
  const runner = new LangGraphRunner(
    thread as never,
    {
      apiUrl: url,
      assistantId: graph,
      fetch: counted,
      ...options,
    } as LangGraphRunnerOptions,
  );
  return { thread, runner, traffic };
}

const alike = (state: object) => {
  const { messages, fields } = held(state);
  return { messages: messages.map(withoutEmpty), fields };
};

async function expectAsServer(url: string, thread: Thread<never>): Promise<void> {
  const state = await langGraph.state(url, (thread as unknown as Thread).threadId as string);
  if ("refused" in state) throw new Error(String(state.refused));
  expect(alike(thread.getConfirmedState())).toEqual(alike(state.values as object));
}

describe.each(["langGraph", "langGraphJs"] as const)("%s", (name) => {
  const url = inject(name);

  test("a turn of ten super-steps on 1,000 messages is a hundredth of the bytes", async () => {
    const messages = Array.from({ length: 1_002 - 11 }, (_, at) => ({
      type: at % 11 ? "ai" : "human",
      id: `m${at}`,
      content: "y".repeat(400),
    }));
    const bytes: Record<string, number> = {};
    for (const wire of ["values", "quiet"] as const) {
      const threadId = await langGraph.newThread(url);
      const body = JSON.stringify({ assistant_id: "ten_steps", input: { messages } });
      const headers = { "content-type": "application/json" };
      const seeded = await fetch(`${url}/threads/${threadId}/runs/wait`, { method: "POST", headers, body });
      await seeded.text();
      const { thread, runner, traffic } = page(url, "ten_steps", { wire }, threadId);
      await runner.load();
      await runner.sendMessage("one");
      traffic.bytes = 0;
      traffic.states = [];
      expect(await runner.sendMessage("two")).toMatchObject({ status: "finished" });
      bytes[wire] = traffic.bytes;
      expect(traffic.states).toEqual([]);
      expect(thread.doubts).toEqual([]);
      await expectAsServer(url, thread as never);
    }
    console.log(`${name}: ${bytes["values"]} B with states, ${bytes["quiet"]} B without`);
    expect((bytes["values"] as number) / (bytes["quiet"] as number)).toBeGreaterThan(100);
  });
});

describe("LangGraph's JavaScript server", () => {
  const url = inject("langGraphJs");

  test.concurrent.each(["chat", "prune", "subgraph", "parallel", "sends"])(
    "%s: a thread equals the server's",
    async (graph) => {
      const { thread, runner } = page(url, graph);
      for (const text of ["Hello", "and again", "once more"]) {
        expect(await runner.sendMessage(text)).toMatchObject({ status: "finished" });
        expect(thread.doubts).toEqual([]);
        await expectAsServer(url, thread as never);
      }
    },
  );

  test.concurrent("asks, and goes on with the answer", async () => {
    const { thread, runner } = page(url, "approval");
    for (const isApproved of [true, false]) {
      expect(await runner.sendMessage("Mail Ada")).toMatchObject({
        status: "interrupted",
        interrupts: [{ value: { question: "Send the mail?" } }],
      });
      await expectAsServer(url, thread as never);
      expect(await runner.resume({ value: isApproved })).toMatchObject({ status: "finished" });
      expect(thread.doubts).toEqual([]);
      await expectAsServer(url, thread as never);
    }
  });

  test.concurrent("a failed run is in doubt, or as the server has it", async () => {
    const { thread, runner } = page(url, "fail");
    expect(await runner.sendMessage("Hello")).toMatchObject({ status: "error" });
    expect(await runner.sendMessage("fine")).toMatchObject({ status: "finished" });
    expect(thread.doubts).toEqual([]);
    await expectAsServer(url, thread as never);
  });

  test.concurrent("a page that comes back joins the run", async () => {
    const first = page(url, "parallel");
    const sent = first.runner.sendMessage("Hello");
    await expect.poll(() => first.thread.run.status).toBe("streaming");
    const record = JSON.parse(JSON.stringify(first.thread)) as object;
    first.runner.dispose();
    await sent.catch(() => {});
    const thread = Thread.fromJSON(record, { schema: logged });
    const runner = new LangGraphRunner(thread as never, { apiUrl: url, assistantId: "parallel" } as never);
    await runner.load();
    await expectAsServer(url, thread as never);
  });
});
