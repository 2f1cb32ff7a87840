// Measures the cost of a token, away from the page's thread: two ways, for growing threads.
import { Thread } from "threadfold";

export const SIZES = [100, 300, 1_000, 3_000, 10_000] as const;

export type Way = "threadfold" | "@ag-ui/client";
export type Report =
  | { readonly kind: "loading" }
  | { readonly kind: "measuring"; readonly n: number }
  | { readonly kind: "point"; readonly way: Way; readonly n: number; readonly us: number }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly message: string };

/** Takes so many tokens, and answers when the state after the last of them is there. */
type Tokens = (count: number) => unknown;

/** How long one point is measured, at the most, and one slice of it, at the least. In milliseconds. */
const BUDGET = 240;
const SLICE = 12;

const TOKEN = "token ";
const TEXT = "Some words of an ordinary message, of an ordinary length, as people and agents write them. ".repeat(2);

const say = (report: Report) => postMessage(report);

/** The median of some slices, in microseconds a token; the first slice only warms up. */
async function measure(tokens: Tokens): Promise<number> {
  // Ten at the least: what a run costs before its first token is not the question.
  let count = 10;
  for (let taken = await time(tokens, count); taken < SLICE; taken = await time(tokens, count)) {
    count = Math.ceil(count * Math.min(10, Math.max(2, SLICE / Math.max(taken, 0.01))));
  }
  const end = performance.now() + BUDGET;
  const found: number[] = [];
  do found.push((await time(tokens, count) * 1_000) / count); while (performance.now() < end && found.length < 15);
  return found.sort((a, b) => a - b)[found.length >> 1] ?? Number.NaN;
}

async function time(tokens: Tokens, count: number): Promise<number> {
  const start = performance.now();
  await tokens(count);
  return performance.now() - start;
}

interface Message {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly content: string;
}

const history = (n: number): Message[] =>
  Array.from({ length: n }, (_, index) => ({ id: `m${index}`, role: index % 2 ? "assistant" : "user", content: `${index}: ${TEXT}` }));

function ours(n: number): Tokens {
  const thread = new Thread<{ messages: readonly Message[] }>({ values: { messages: history(n) } });
  const event = { type: "text", messageId: `m${n - 1}`, text: TOKEN } as const;
  return (count) => {
    for (let token = 0; token < count; token++) {
      thread.receive(event);
      thread.getState();
    }
  };
}

async function run(): Promise<void> {
  say({ kind: "loading" });
  const [{ defaultApplyEvents, HttpAgent, EventType }, { from, lastValueFrom }] = await Promise.all([import("@ag-ui/client"), import("rxjs")]);
  // As `runAgent` calls it: each event comes out with the messages as they are after it.
  const theirs = (n: number): Tokens => {
    const agent = new HttpAgent({ url: "http://nowhere.invalid/", initialMessages: history(n) });
    const input = { threadId: "t", runId: "r", messages: agent.messages, state: {}, tools: [], context: [], forwardedProps: {} };
    const event = { type: EventType.TEXT_MESSAGE_CONTENT, messageId: `m${n - 1}`, delta: TOKEN };
    return (count) => lastValueFrom(defaultApplyEvents(input, from(Array.from({ length: count }, () => event)), agent, [{}]));
  };
  for (const n of SIZES) {
    say({ kind: "measuring", n });
    say({ kind: "point", way: "threadfold", n, us: await measure(ours(n)) });
    say({ kind: "point", way: "@ag-ui/client", n, us: await measure(theirs(n)) });
  }
  say({ kind: "done" });
}

run().catch((error: unknown) => say({ kind: "failed", message: error instanceof Error ? error.message : String(error) }));
