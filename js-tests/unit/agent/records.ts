// The answers of Python's langchain and deepagents, recorded by ../conformance/python/record.py, and agents that play the
// same scripts.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { textOf } from "threadfold";
import { createAgent, type FunctionModel, type Middleware } from "threadfold/agent";
import { compositeBackend } from "threadfold/agent/backends";

export interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly id: string;
}
export type Reply = { readonly content: string; readonly tool_calls?: readonly Call[] } | { readonly raise: string };

export interface Recorded<In, Out> {
  readonly in: In;
  readonly out?: Out;
  readonly error?: string;
  readonly raised?: string;
  readonly log: string[];
  readonly edges: [from: string, to: string, conditional: boolean][];
}

/** An error of the class that Python's script raises. */
export class ValueError extends Error {
  override readonly name = "ValueError";
}

/** Checks each record. All are checked before the test fails, and the first few that differ are shown. */
export async function replay<In, Out>(
  subject: string,
  check: (record: Recorded<In, Out> & Record<string, unknown>) => Promise<void>,
): Promise<void> {
  const path = new URL(`../../peers/conformance/records/agent/${subject}.json`, import.meta.url);
  const records = JSON.parse(readFileSync(path, "utf8")) as (Recorded<In, Out> & Record<string, unknown>)[];
  const differing: string[] = [];
  for (const record of records) {
    try {
      await check(structuredClone(record));
    } catch (error) {
      const {
        message = String(error),
        expected,
        actual,
      } = error as { message?: string; expected?: unknown; actual?: unknown };
      const values =
        actual === undefined ? "" : `\nanswers ${JSON.stringify(actual)}\nwhere    ${JSON.stringify(expected)}`;
      differing.push(`${message}${values}\n${JSON.stringify(record)}`);
    }
  }
  console.log(`${subject}: ${records.length} records, ${differing.length} differ`);
  expect(differing.slice(0, 3).join("\n\n"), `${differing.length} of ${records.length} differ`).toBe("");
  expect(records.length).toBeGreaterThan(90);
}

/** A model that plays a script, then says `done`. */
export function scripted(replies: readonly Reply[]): FunctionModel {
  let at = 0;
  return () => {
    const reply = replies[at++] ?? { content: "done" };
    if ("raise" in reply) throw new ValueError(reply.raise);
    return { ...reply };
  };
}

/** Files that cannot be written. */
export const holding = (files: Readonly<Record<string, string>>, folder = "/") =>
  compositeBackend({
    [folder]: {
      read: (path) => (Object.hasOwn(files, path) ? { content: files[path] as string } : undefined),
      write: () => {},
      list: (prefix) =>
        Object.keys(files)
          .filter((path) => path.startsWith(prefix))
          .map((path) => ({ path })),
    },
  });

/** An agent with a middleware. `prompted()` returns the system prompt that its model got; null if it got none. */
export function agentWith(middleware: Middleware, systemPrompt: string | null) {
  let first: object | undefined;
  const agent = createAgent({
    model: (messages) => {
      [first] = messages;
      return "done";
    },
    ...(systemPrompt !== null && { systemPrompt }),
    middleware: [middleware],
  });
  const prompted = () => ((first as { type: string }).type === "system" ? textOf(first as object) : null);
  return { agent, prompted };
}

/** A message as the recorder shows it. */
export function shown(message: unknown): Record<string, unknown> {
  const { type, content, tool_call_id, status, name, tool_calls } = message as Record<string, unknown>;
  const calls = (tool_calls ?? []) as Call[];
  return {
    type,
    content,
    ...(type === "tool" && { tool_call_id, status: status ?? "success" }),
    ...(name ? { name } : {}),
    ...(calls.length > 0 && { tool_calls: calls.map(({ name, args, id }) => ({ name, args, id })) }),
  };
}

/** The edges of a drawing: from, to, whether conditional; sorted as the recorder does. */
export function arrows(mermaid: string): [string, string, boolean][] {
  const plain = (node: string) => node.replaceAll("\\2e", ".").replaceAll("\\5b", "[").replaceAll("\\5d", "]");
  const found = [...mermaid.matchAll(/^\t(\S+) (-->|-\.->)(?: \|.*\|)? (\S+);$/gm)];
  const edges = found.map(([, from = "", arrow, to = ""]): [string, string, boolean] => [
    plain(from),
    plain(to),
    arrow === "-.->",
  ]);
  return edges.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The edges of a record, in the same order. */
export const sorted = (edges: readonly [string, string, boolean][]) =>
  [...edges].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
