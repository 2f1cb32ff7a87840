// Measures the cost of a token, away from the page's thread: two ways, for growing threads.
import type { BaseMessage } from "@langchain/core/messages";
import { MessageList } from "threadfold";

export const SIZES = [100, 300, 1_000, 3_000, 10_000] as const;

export type Way = "threadfold" | "langgraph.js";
export type Report =
  | { readonly kind: "loading" }
  | { readonly kind: "measuring"; readonly n: number }
  | { readonly kind: "point"; readonly way: Way; readonly n: number; readonly us: number }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly message: string };

/** How long one point is measured, at the most, and one slice of it, at the least. In milliseconds. */
const BUDGET = 240;
const SLICE = 12;

const TOKEN = "token ";
const TEXT = "Some words of an ordinary message, of an ordinary length, as people and agents write them. ".repeat(2);

const say = (report: Report) => postMessage(report);

/** The median of some slices, in microseconds a token; the first slice only warms up. */
function measure(token: () => void): number {
  const end = performance.now() + BUDGET;
  const found: number[] = [];
  slice(token);
  do found.push(slice(token)); while (performance.now() < end && found.length < 15);
  return found.sort((a, b) => a - b)[found.length >> 1] ?? Number.NaN;
}

function slice(token: () => void): number {
  let tokens = 0;
  let batch = 1;
  const start = performance.now();
  let took = 0;
  do {
    for (let done = 0; done < batch; done++) token();
    tokens += batch;
    batch *= 2;
    took = performance.now() - start;
  } while (took < SLICE);
  return (took * 1_000) / tokens;
}

const content = (index: number) => `${index}: ${TEXT}`;

function ours(n: number): () => void {
  const list = new MessageList(Array.from({ length: n }, (_, index) => (
    { type: index % 2 ? "ai" : "human", id: `m${index}`, content: content(index) }
  )));
  const id = `m${n - 1}`;
  return () => {
    list.append(id, TOKEN);
    list.snapshot();
  };
}

async function run(): Promise<void> {
  say({ kind: "loading" });
  const [{ messagesStateReducer }, { AIMessage, HumanMessage }] = await Promise.all([
    import("@langchain/langgraph/web"),
    import("@langchain/core/messages"),
  ]);
  // Instances, as a langgraph.js program holds them: nothing is left to coerce.
  const theirs = (n: number): (() => void) => {
    let list: BaseMessage[] = Array.from({ length: n }, (_, index) => (
      new (index % 2 ? AIMessage : HumanMessage)({ id: `m${index}`, content: content(index) })
    ));
    const id = `m${n - 1}`;
    let text = content(n - 1);
    return () => {
      text += TOKEN;
      list = messagesStateReducer(list, [new AIMessage({ id, content: text })]);
    };
  };
  for (const n of SIZES) {
    say({ kind: "measuring", n });
    say({ kind: "point", way: "threadfold", n, us: measure(ours(n)) });
    say({ kind: "point", way: "langgraph.js", n, us: measure(theirs(n)) });
  }
  say({ kind: "done" });
}

run().catch((error: unknown) => say({ kind: "failed", message: error instanceof Error ? error.message : String(error) }));
