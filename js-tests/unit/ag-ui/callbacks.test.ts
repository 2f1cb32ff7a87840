// The plain agent and the folded one, with events in a burst and one a task: the same callbacks in the same order.
import { AbstractAgent, type BaseEvent, type HttpAgent, type Message } from "@ag-ui/client";
import { from, Observable } from "rxjs";
import { withFold } from "threadfold/ag-ui/client";
import { expect, test, vi } from "vitest";
import { type Event, finished, started, text, toolCall } from "./agents.js";
import { type Answer, ANSWERED, ANSWERS, DIFFERENT, HISTORY, ONLY_ONE, SCENARIOS } from "./callback-scenarios.js";
import { isOne, known, knownEvents } from "./client-version.js";
import { recorder, type Call } from "./traces.js";

const DELIVERIES = {
  "in a burst": (events: readonly BaseEvent[]) => from(events),
  "one a task": (events: readonly BaseEvent[]) =>
    new Observable<BaseEvent>((subscriber) => {
      const left = [...events];
      const next = () => {
        const event = left.shift();
        if (!event) return subscriber.complete();
        subscriber.next(event);
        setImmediate(next);
      };
      setImmediate(next);
    }),
};

type Delivery = keyof typeof DELIVERIES;
type Kind = "plain" | "folded";

interface Trace {
  readonly calls: Call[];
  readonly warnings: unknown[];
  readonly end: unknown;
}

/** The calls to a subscriber in two runs of an agent, and what it warned of. */
async function traced(kind: Kind, delivery: Delivery, runs: Event[][], answer: Answer): Promise<Trace> {
  let run = 0;
  class Told extends AbstractAgent {
    run(): Observable<BaseEvent> {
      return DELIVERIES[delivery](structuredClone(runs[run++] ?? []) as unknown as BaseEvent[]);
    }
  }
  const Agent = { plain: Told, folded: withFold(Told) }[kind];
  const agent = new Agent({ threadId: "t1", initialMessages: structuredClone(HISTORY), initialState: { first: true } });
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  try {
    const { subscriber, calls } = recorder(answer);
    agent.subscribe(subscriber);
    const ends: unknown[] = [];
    for (const _ of runs)
      ends.push(await agent.runAgent({ runId: `r${run + 1}` }).catch(({ message }: Error) => message));
    // A notification that comes late belongs to the run, too.
    await new Promise((resolve) => setTimeout(resolve));
    const { messages, pendingInterrupts } = agent as unknown as HttpAgent;
    const end = { ends, messages, state: agent.state as unknown, pendingInterrupts };
    return known(JSON.parse(JSON.stringify({ calls, warnings: warn.mock.calls.map(wordsOf), end })) as Trace);
  } finally {
    warn.mockRestore();
    error.mockRestore();
  }
}

/** A warning without the reason that fast-json-patch gives: threadfold's patch has its own sentences. */
const wordsOf = ([words]: unknown[]) =>
  String(words)
    .replace(/\nError: [^]*$/, "")
    .replace(/(^Failed to apply activity patch for '[^']*'): [^]*$/, "$1");

const SECOND = [started("r2"), ...text("n1", "More."), ...toolCall("d1", "n1", "{}"), finished("r2")];

const names = ({ calls }: Trace) =>
  calls.map(({ name, params }) => `${name} ${(params["event"] as Event | undefined)?.type ?? ""}`);

for (const delivery of Object.keys(DELIVERIES) as Delivery[]) {
  for (const [does, answer] of Object.entries(ANSWERS)) {
    test(`${delivery}: a subscriber that ${does}`, async () => {
      for (const [what, events] of Object.entries(SCENARIOS)) {
        if (does !== "answers nothing" && !ANSWERED.includes(what)) continue;
        if (!isOne && (ONLY_ONE.includes(what) || knownEvents(events).length < events.length)) continue;
        const runs = [known(events), known(SECOND)];
        const plain = await traced("plain", delivery, runs, answer);
        const folded = await traced("folded", delivery, runs, answer);
        expect.soft(names(folded), what).toEqual(names(plain));
        if (DIFFERENT[what]) expect(folded.end, DIFFERENT[what]).not.toEqual(plain.end);
        else expect.soft(folded, what).toEqual(plain);
      }
    });
  }
}

test.runIf(isOne)(
  "an answer of the given state is no change of it; calls of an earlier run are not left over",
  async () => {
    const left = [started(), ...toolCall("c1", "m1", "{}"), finished()];
    const pending: unknown[] = [];
    const agent = new (withFold(
      class extends AbstractAgent {
        run = () => from([...left] as unknown as BaseEvent[]);
      },
    ))({ threadId: "t1" });
    await agent.runAgent();
    let stateChanges = 0;
    agent.run = () => from([started("r2"), ...text("m2", "a"), finished("r2")] as unknown as BaseEvent[]);
    await agent.runAgent(
      {},
      {
        onEvent: ({ event, state }) => ({ state, stopPropagation: (event.type as string) === "RUN_STARTED" }),
        onRunFinishedEvent: (params) => void pending.push(params),
        onStateChanged: () => void stateChanges++,
      },
    );
    expect(pending).toMatchObject([{ outcome: "success", pendingToolCallIds: [] }]);
    expect(stateChanges).toBe(0);
  },
);

test("a date that setMessages replaces is the new one; an equal one keeps its message", () => {
  const agent = new (withFold(
    class extends AbstractAgent {
      run = () => from([]);
    },
  ))({ threadId: "t1" });
  const dated = (time: number) =>
    ({ id: "u1", role: "user", content: "Q", metadata: { at: new Date(time) } }) as Message;
  agent.setMessages([dated(1)]);
  const [first] = agent.thread.getState().messages;
  agent.setMessages([dated(1)]);
  expect(agent.thread.getState().messages[0]).toBe(first);
  agent.setMessages([dated(2)]);
  expect(agent.thread.getState().messages[0]).toEqual(dated(2));
});
