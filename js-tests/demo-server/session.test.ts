// The demo's sessions against its agent server, without a page: whatever breaks, the thread ends as the server's.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../www/server/agent.mjs";
import type { Faults } from "../../www/src/fault-controls";
import { agUiServer } from "../../www/src/servers";
import { Session } from "../../www/src/session";
import { seeded } from "../support/seed";

let server: Server;
let address: string;

beforeAll(async () => {
  const agent = createAgent();
  server = createServer((request, response) => {
    if (!agent(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
});

afterAll(
  () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
);

const opened: Session[] = [];
afterEach(() => {
  for (const session of opened.splice(0)) session.close();
});

const WELL: Faults = {
  latency: 0,
  tick: 0,
  cut: undefined,
  fail: undefined,
  joined: "resume",
  lag: false,
  rewrite: false,
};

interface Heard {
  readonly session: Session;
  readonly complaints: string[];
  /** For the runs that begin from here on. */
  faults: Faults;
  settled(): Promise<void>;
}

function open(): Heard {
  let status = "";
  const complaints: string[] = [];
  const session = new Session(
    agUiServer(address, true),
    () => heard.faults,
    (said) => (status = said),
  );
  session.thread.on("error", ({ code, message }) => complaints.push(`${code}: ${message}`));
  session.thread.on("drift", ({ patch }) => complaints.push(`drift: ${JSON.stringify(patch)}`));
  const heard: Heard = {
    session,
    complaints,
    faults: WELL,
    async settled() {
      const over = () =>
        ["", "The run failed."].includes(status) &&
        session.thread.pending.every((update) => update.status === "failed");
      while (!over()) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
  opened.push(session);
  return heard;
}

const held = async ({ session: { thread } }: Heard) =>
  ((await (await fetch(`${address}/threads/${thread.threadId}`)).json()) as { messages: object[] }).messages;

const texts = ({ session: { thread } }: Heard) =>
  thread.getState().messages.map((message) => (message as { content: string }).content.split(" ", 3).join(" "));

test.each(["resume", "replay"] as const)(
  "a connection that breaks before the run's first word, then %s: none of it is missed",
  async (joined) => {
    const heard = open();
    heard.session.send("A long answer, please");
    await heard.settled();
    // The run before this one was longer than what this one has to say.
    heard.faults = { ...WELL, cut: 0, joined };
    heard.session.send("Plan my week");
    await heard.settled();
    expect(heard.complaints).toEqual([]);
    expect(heard.session.thread.getState().messages).toEqual(await held(heard));
  },
);

test("sent again, the half answer makes way; taken back, it goes with the question", async () => {
  const heard = open();
  heard.faults = { ...WELL, fail: 14 };
  heard.session.send("Plan my week");
  await heard.settled();
  expect(texts(heard)).toEqual(["Plan my week", "Let me plan"]);
  heard.session.rollback(heard.session.thread.pending[0]?.id ?? "");
  expect(texts(heard)).toEqual([]);

  heard.session.send("Plan my day");
  await heard.settled();
  heard.faults = WELL;
  heard.session.retry(heard.session.thread.pending[0]?.id ?? "");
  expect(texts(heard)).toEqual(["Plan my day"]);
  await heard.settled();
  expect(texts(heard)).toEqual(["Plan my day", "Let me plan", "Noted 3 todos.", "You wrote “Plan"]);
  expect(heard.session.thread.getState().messages).toEqual(await held(heard));
});

test("what failed is sent again behind what was said since", async () => {
  const heard = open();
  heard.faults = { ...WELL, fail: 2 };
  heard.session.send("Hi");
  await heard.settled();
  heard.faults = WELL;
  heard.session.send("Hello");
  await heard.settled();
  expect(texts(heard)[0]).toBe("Hi");
  heard.session.retry(heard.session.thread.pending[0]?.id ?? "");
  expect(texts(heard).at(-1)).toBe("Hi");
  await heard.settled();
  expect(heard.session.thread.getState().messages).toEqual(await held(heard));
  expect(heard.session.thread.pending).toEqual([]);
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anyFaults: fc.Arbitrary<Faults> = fc.record({
  latency: fc.constantFrom(0, 20),
  tick: fc.constantFrom(0, 1),
  cut: maybe(fc.nat(60)),
  fail: maybe(fc.integer({ min: 1, max: 40 })),
  joined: fc.constantFrom("resume", "replay"),
  lag: fc.boolean(),
  rewrite: fc.constant(false),
});
const anyStep = fc.record({
  faults: anyFaults,
  what: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("Plan my week", "Hi", "What is the weather in Lima?", "A long answer, please"),
    },
    { weight: 1, arbitrary: fc.constantFrom("*retry", "*rollback") },
  ),
  wait: fc.constantFrom(0, 30, undefined),
});

test("random use under faults: no error, no drift, and in the end the server's messages", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyStep, { minLength: 2, maxLength: 6 }), { minLength: 16, maxLength: 16 }),
      async (uses) => {
        // Broken connections are waited for: many sessions wait at once.
        await Promise.all(
          uses.map(async (steps) => {
            const heard = open();
            for (const { faults, what, wait } of steps) {
              heard.faults = faults;
              const failed = heard.session.thread.pending.find(({ status }) => status === "failed")?.id ?? "";
              if (what === "*retry") heard.session.retry(failed);
              else if (what === "*rollback") heard.session.rollback(failed);
              else heard.session.send(what);
              if (wait === undefined) await heard.settled();
              else await new Promise((resolve) => setTimeout(resolve, wait));
            }
            await heard.settled();
            heard.faults = WELL;
            for (const { id } of heard.session.thread.pending) heard.session.rollback(id);
            heard.session.send("Hi");
            await heard.settled();
            expect(heard.complaints).toEqual([]);
            expect(heard.session.thread.getState().messages).toEqual(await held(heard));
            expect(heard.session.thread.pending).toEqual([]);
          }),
        );
      },
    ),
    { ...seeded("sessions", 4), endOnFailure: true },
  );
});
