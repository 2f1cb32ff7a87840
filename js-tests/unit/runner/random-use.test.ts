// Under any use and any fault, a runner comes to rest, sends nothing by itself, and ends in step with the server.
import * as fc from "fast-check";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { StubServer, turn, until, type Faults } from "./stub-server.js";
import { agUiWire, langGraphWire, messagesOn } from "./stub-wires.js";
import { stubTransport } from "./stub-transport.js";

const rejoinDelays = [0, 0];
const cancelTimeout = 1;

const WAYS = {
  "AG-UI": {
    wire: agUiWire,
    open: (thread: Thread, { fetch }: StubServer) =>
      new AgUiRunner(thread as unknown as Thread<AgUiState>, {
        url: "http://stub/agent",
        fetch,
        rejoinDelays,
        cancelTimeout,
      }),
  },
  "AG-UI, joined": {
    wire: agUiWire,
    open: (thread: Thread, { fetch }: StubServer) =>
      new AgUiRunner(thread as unknown as Thread<AgUiState>, {
        transport: stubTransport(fetch),
        rejoinDelays,
        cancelTimeout,
      }),
  },
  "AG-UI, only new messages": {
    wire: agUiWire,
    open: (thread: Thread, { fetch }: StubServer) =>
      new AgUiRunner(thread as unknown as Thread<AgUiState>, {
        url: "http://stub/agent",
        messages: "new",
        fetch,
        rejoinDelays,
        cancelTimeout,
      }),
  },
  LangGraph: {
    wire: langGraphWire,
    open: (thread: Thread, { fetch }: StubServer) =>
      new LangGraphRunner(thread, { apiUrl: "http://stub", assistantId: "agent", fetch, rejoinDelays, cancelTimeout }),
  },
};

const small = fc.nat(8);
const anyEnd = fc.constantFrom("error" as const, "close" as const, "half" as const);
const anyFaults: fc.Arbitrary<Faults> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record({ refuse: fc.constantFrom(400, 500) }),
  fc.constant({ lose: true }),
  fc.record({
    cut: small,
    end: anyEnd,
    joins: fc.array(
      fc.oneof(fc.constantFrom<(number | "lose")[]>(404, 503, "lose"), fc.record({ cut: small, end: anyEnd })),
      { maxLength: 4 },
    ),
  }),
);

const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ say: fc.constantFrom("Hi", "Ask", "Ask twice", "Fail", "Hello there"), faults: anyFaults }),
  },
  { weight: 4, arbitrary: fc.record({ turns: fc.integer({ min: 1, max: 25 }) }) },
  { weight: 1, arbitrary: fc.record({ holdAt: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.constant({ holdAnswers: true }) },
  { weight: 1, arbitrary: fc.record({ hangCancels: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constantFrom("release", "stop", "retry", "resume", "rejoin", "reload" as const) },
);

test.each(Object.entries(WAYS))("%s: random use under faults", async (name, { wire, open }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 14 }), async (steps) => {
      const server = new StubServer(wire);
      server.stopsWhenLeft = ["AG-UI", "AG-UI, only new messages"].includes(name);
      let thread = new Thread();
      let runner = open(thread, server);
      const complaints: string[] = [];
      const listen = () => thread.on("error", ({ code, message }) => complaints.push(`${code}: ${message}`));
      listen();
      const going: Promise<unknown>[] = [];
      let asked = 0;
      /** A call may be refused: nothing has failed, nothing is open. No other error is allowed. */
      const ask = (what: Promise<unknown>) => {
        asked++;
        going.push(
          what.catch((error: { code?: string }) =>
            expect(["INVALID_ARGUMENT", "INVALID_STATE", "UNKNOWN_MESSAGE"]).toContain(error.code),
          ),
        );
      };
      const decisions = () => runner.interrupts.map(({ id }) => ({ id, value: "left" }));

      for (const step of steps) {
        if (typeof step === "object") {
          if ("say" in step) {
            server.faults = { ...step.faults, joins: [...(step.faults.joins ?? [])] };
            ask(runner.sendMessage(step.say));
          } else if ("turns" in step) for (let turns = 0; turns < step.turns; turns++) await turn();
          else Object.assign(server, step);
        } else if (step === "release") server.release();
        else if (step === "stop") going.push(runner.stop());
        else if (step === "retry") ask(runner.retry());
        else if (step === "resume") ask(runner.resume(decisions()));
        else if (step === "rejoin") ask(runner.load());
        else {
          const record = JSON.parse(JSON.stringify(thread)) as object;
          runner.dispose();
          thread = Thread.fromJSON(record);
          listen();
          runner = open(thread, server);
        }
      }

      server.faults = {};
      server.release();
      await Promise.all(going);
      const atRest = () => until(() => !["submitted", "streaming"].includes(runner.status));
      await atRest();
      expect(server.requests.length).toBeLessThanOrEqual(asked);
      expect(complaints).toEqual([]);
      // Over AG-UI the whole conversation goes with every request. A message stopped before the server has it is sent
      // again.
      if (name === "LangGraph" && !steps.some((step) => step === "retry" || step === "stop" || step === "reload")) {
        const sent = server.requests.flatMap(
          ({ input }) => (input as { messages?: { id: string }[] } | null)?.messages ?? [],
        );
        expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
      }

      // The user finishes: every message is answered, or removed.
      await until(() => [...server.runs.values()].every(({ isOver }) => isOver));
      await runner.load();
      for (await atRest(); runner.interrupts.length > 0; await atRest()) await runner.resume(decisions());
      for (const update of thread.pending) if (update.status === "failed") update.rollback();
      await runner.sendMessage("Hi");
      expect([runner.status, runner.error]).toEqual(["ready", undefined]);
      expect(thread.pending).toEqual([]);
      expect(thread.getConfirmedState().messages).toEqual(messagesOn(server, wire, thread.threadId));
      expect(complaints).toEqual([]);
      runner.dispose();
    }),
    { ...seeded(`runner, ${name}`, 150), endOnFailure: true },
  );
});
