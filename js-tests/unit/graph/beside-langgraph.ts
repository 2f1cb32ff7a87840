// Runs one scenario on langgraph.js and on threadfold, and compares the results.
import * as langgraph from "@langchain/langgraph";
import { ThreadfoldError } from "threadfold";
import * as threadfold from "threadfold/graph";
import { expect, test } from "vitest";

/** Any export of either package; a scenario is written once for both. */
// oxlint-disable-next-line typescript/no-explicit-any -- the types of two packages
export type Loose = any;
export type Package = Record<string, Loose>;

export const { Annotation } = langgraph;

/** A log, a sum, and a field that takes one write a step. */
export const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  sum: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
  last: Annotation<string>(),
});

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/g;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Makes a result comparable: ids are numbered in order of appearance, times are left out. */
export function plain(value: unknown): unknown {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `#${ids.size}`);
    return ids.get(id) as string;
  };
  const visit = (one: unknown): unknown => {
    if (typeof one === "string") return TIME.test(one) ? "a time" : one.replace(ID, idOf);
    if (typeof one === "function") return "a function";
    if (one instanceof Error) return errorOf(one);
    if (Array.isArray(one)) return Array.from(one, visit);
    if (typeof one !== "object" || one === null) return one;
    const { lc_kwargs } = one as { lc_kwargs?: object };
    if (lc_kwargs) return { message: visit((one as { content: unknown }).content), id: (one as { id?: string }).id };
    const entries = Object.entries(one).filter(([, part]) => part !== undefined);
    return Object.fromEntries(entries.map(([key, part]) => [key.replace(ID, idOf), visit(part)]));
  };
  return visit(value);
}

/** An error by its class and LangGraph's code. Where langgraph.js throws a plain Error, a ThreadfoldError has its message. */
function errorOf(error: Error): object {
  const { name, message } = error;
  if (name === "Error" || error instanceof ThreadfoldError) return { name: "Error", message };
  return { name, code: (error as { lc_error_code?: string }).lc_error_code };
}

/** Returns the outcome of a promise: its value, or its error's name and code. */
export async function outcome(of: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    return await (typeof of === "function" ? of() : of);
  } catch (error) {
    return { threw: error };
  }
}

export async function all<T>(parts: AsyncIterable<T> | Promise<AsyncIterable<T>>): Promise<T[]> {
  const list: T[] = [];
  for await (const part of await parts) list.push(part);
  return list;
}

/** Tests that a scenario has the same result on both. */
export function same(
  name: string,
  scenario: (of: Package) => Promise<unknown>,
  normal?: (told: Loose) => unknown,
): void {
  test(name, async () => {
    const [theirs, ours] = [plain(await scenario(langgraph)), plain(await scenario(threadfold))];
    expect(normal ? normal(ours) : ours).toEqual(normal ? normal(theirs) : theirs);
  });
}
