// Measures the cost of a token, away from the page's thread: two ways, for growing threads.
import type { TextMessageContentEvent as Content } from "@ag-ui/client";
import type { Subject } from "rxjs";
import { Thread } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";

export const SIZES = [100, 300, 1_000, 3_000, 10_000] as const;

export type Way = "threadfold" | "@ag-ui/client";
export type Report =
  | { readonly kind: "loading" }
  | { readonly kind: "measuring"; readonly n: number }
  | { readonly kind: "point"; readonly way: Way; readonly n: number; readonly us: number }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly message: string };

/** Takes so many tokens, and resolves when the state after the last of them has arrived. */
type Tokens = (count: number) => Promise<void>;

/** How long one point is measured, at the most, and one slice of it, at the least. In milliseconds. */
const BUDGET = 240;
const SLICE = 12;

const TOKEN = "token ";
const TEXT = "Some words of an ordinary message, of an ordinary length, as people and agents write them. ".repeat(2);

const say = (report: Report) => postMessage(report);

/** The median of some slices, in microseconds a token. */
async function measure(tokens: Tokens): Promise<number> {
  await tokens(5);
  let count = 1;
  for (;;) {
    // One slice may be slow by chance, and would then do as long enough.
    const taken = Math.min(await time(tokens, count), await time(tokens, count));
    if (taken >= SLICE) break;
    count = Math.ceil(count * Math.min(10, Math.max(2, SLICE / Math.max(taken, 0.01))));
  }
  const end = performance.now() + BUDGET;
  const found: number[] = [];
  do found.push(((await time(tokens, count)) * 1_000) / count);
  while (performance.now() < end && found.length < 15);
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
  Array.from({ length: n }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 ? "assistant" : "user",
    content: `${index}: ${TEXT}`,
  }));

async function run(): Promise<void> {
  say({ kind: "loading" });
  const [{ defaultApplyEvents, HttpAgent, EventType }, { Subject }] = await Promise.all([
    import("@ag-ui/client"),
    import("rxjs"),
  ]);
  /** Tokens for the last of `n` messages: each is sent once the result of the previous one has arrived. */
  const streamed = async (
    n: number,
    open: (events: Subject<Content>, told: () => void) => unknown,
  ): Promise<Tokens> => {
    const events = new Subject<Content>();
    let told = () => {};
    void open(events, () => told());
    // Reading begins a moment later.
    await new Promise((resolve) => setTimeout(resolve));
    const event: Content = { type: EventType.TEXT_MESSAGE_CONTENT, messageId: `m${n - 1}`, delta: TOKEN };
    return async (count) => {
      for (let token = 0; token < count; token++) {
        await new Promise<void>((resolve) => {
          told = resolve;
          events.next(event);
        });
      }
    };
  };
  const ours = (n: number) =>
    streamed(n, (events, told) => {
      const thread = new Thread<{ messages: readonly Message[] }>({ values: { messages: history(n) } });
      thread.subscribe(told);
      // Like theirs, it notifies after every single event.
      return foldAgUi(thread, events, { onEvent: () => thread.flush() });
    });
  // As `runAgent` calls it: each event comes out with the messages as they are after it.
  const theirs = (n: number) =>
    streamed(n, (events, told) => {
      const agent = new HttpAgent({ url: "http://nowhere.invalid/", initialMessages: history(n) });
      const input = {
        threadId: "t",
        runId: "r",
        messages: agent.messages,
        state: {},
        tools: [],
        context: [],
        forwardedProps: {},
      };
      return defaultApplyEvents(input, events, agent, [{}]).subscribe(told);
    });
  for (const n of SIZES) {
    say({ kind: "measuring", n });
    say({ kind: "point", way: "threadfold", n, us: await measure(await ours(n)) });
    say({ kind: "point", way: "@ag-ui/client", n, us: await measure(await theirs(n)) });
  }
  say({ kind: "done" });
}

run().catch((error: unknown) =>
  say({ kind: "failed", message: error instanceof Error ? error.message : String(error) }),
);
