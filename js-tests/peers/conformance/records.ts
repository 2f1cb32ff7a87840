// The answers recorded from the Python packages by python/record.py.
import { readFileSync } from "node:fs";
import { ThreadfoldError } from "threadfold";
import { expect } from "vitest";
import { outcome } from "../../support/errors.js";

export interface Recorded<In, Out> {
  in: In;
  out?: Out;
  /** The first line of the reference's message. */
  error?: string;
  /** The class of the exception. */
  raised?: string;
}

/**
 * Checks each record of a subject. All are checked before the test fails, and the first few that differ are shown.
 */
export function replay<In, Out>(subject: string, check: (record: Recorded<In, Out>) => void): void {
  const path = new URL(`records/${subject}.json`, import.meta.url);
  const records = JSON.parse(readFileSync(path, "utf8")) as Recorded<In, Out>[];
  const differing: string[] = [];
  for (const record of records) {
    // A check may give its input to a reducer: the failure must show the record unchanged.
    const came = outcome(() => check(structuredClone(record)));
    if ("error" in came) differing.push(`${JSON.stringify(record)}\n${(came.error as Error).message}`);
  }
  console.log(`${subject}: ${records.length} records, ${differing.length} differ`);
  expect(differing.slice(0, 5).join("\n\n"), `${differing.length} of ${records.length} differ`).toBe("");
  expect(records.length).toBeGreaterThan(100);
}

/** Whether Python stumbled over the input rather than refusing it: then ours has only to refuse it, too. */
export function stumbled({ raised }: Recorded<unknown, unknown>): boolean {
  return raised !== undefined && ["TypeError", "KeyError", "AttributeError", "NotImplementedError"].includes(raised);
}

/** The ThreadfoldError that a call must throw. */
export function refusal(call: () => unknown): ThreadfoldError {
  const came = outcome(call);
  if (!("error" in came)) throw new Error(`It answers ${JSON.stringify(came.answer)} where it has to refuse.`);
  if (came.error instanceof ThreadfoldError) return came.error;
  throw came.error;
}
