// A server that does not stop a run: stop() reports it.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { StubServer, until } from "./stub-server.js";
import { agUiWire, langGraphWire } from "./stub-wires.js";
import { stubTransport } from "./stub-transport.js";

/** A server, and a way to change the answer of its `…/cancel`. */
function faulty(wire: typeof agUiWire, refused: () => Response | Promise<Response>) {
  const server = new StubServer(wire);
  const fetch: typeof globalThis.fetch = async (url, init) =>
    String(url).endsWith("/cancel") ? refused() : server.fetch(url, init);
  return { server, fetch };
}

const WAYS = {
  "AG-UI": (refused: () => Response | Promise<Response>) => {
    const { server, fetch } = faulty(agUiWire, refused);
    const runner = new AgUiRunner(new Thread<AgUiState>(), {
      transport: stubTransport(fetch),
    });
    return { server, runner };
  },
  LangGraph: (refused: () => Response | Promise<Response>) => {
    const { server, fetch } = faulty(langGraphWire, refused);
    return {
      server,
      runner: new LangGraphRunner(new Thread(), { apiUrl: "http://stub", assistantId: "agent", fetch }),
    };
  },
};

const CASES: [string, () => Response | Promise<Response>, object | undefined][] = [
  ["a 401", () => new Response("no", { status: 401 }), { code: "BAD_RESPONSE", status: 401 }],
  ["a 500", () => new Response("no", { status: 500 }), { code: "BAD_RESPONSE", status: 500 }],
  ["a 404, as of a run that has ended", () => new Response("no", { status: 404 }), undefined],
  ["a success", () => Response.json({}), undefined],
];

test.each(Object.entries(WAYS).flatMap(([name, open]) => CASES.map((one) => [name, ...one, open] as const)))(
  "%s: %s to the request to stop",
  async (_, __, refused, error, open) => {
    const { server, runner } = open(refused);
    server.holdAt = 4;
    const sent = runner.sendMessage("Hello there");
    await until(() => runner.status === "streaming");
    const { error: why, ...end } = await runner.stop();
    expect(end).toMatchObject({ status: "stopped" });
    expect(why).toEqual(error && expect.objectContaining(error));
    expect([await sent, runner.status, runner.error]).toMatchObject([{ status: "stopped" }, "ready", undefined]);
    runner.dispose();
    server.release();
  },
);

test("a cancel of your own that cannot reach the server says so with a code", async () => {
  const runner = new AgUiRunner(new Thread<AgUiState>(), {
    transport: {
      async *run({ threadId, runId }) {
        yield { type: "RUN_STARTED", threadId, runId };
        await new Promise<never>(() => {});
      },
      cancel: () => Promise.reject(new TypeError("Failed to fetch")),
    },
  });
  void runner.sendMessage("Hi");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await runner.stop()).toMatchObject({ status: "stopped", error: { code: "NO_CONNECTION" } });
});
