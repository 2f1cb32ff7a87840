// A recorded run, folded into a thread once more.
import { Thread, type ThreadfoldError } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { foldLangGraph } from "threadfold/langgraph";
import type { Checkpoint, Dict, Recorded } from "./read.js";

export interface ReplayedRun {
  readonly id: string | undefined;
  readonly status: string;
  readonly parts: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly interrupts?: readonly unknown[];
  readonly error?: unknown;
}

export interface Replayed {
  readonly runs: readonly ReplayedRun[];
  readonly state: Dict;
  /** The parts that could not be folded, with a sentence each. */
  readonly errors: readonly { readonly code: string; readonly message: string }[];
  /** Snapshots that contradicted what was folded before them, as JSON Patches. */
  readonly drift: readonly (readonly object[])[];
}

/** Folds the parts of a run, up to part number `until` if given. */
export async function replay(
  { protocol, parts }: Extract<Recorded, { kind: "run" }>,
  until = Number.POSITIVE_INFINITY,
): Promise<Replayed> {
  const thread = new Thread<never>();
  const errors: { code: string; message: string }[] = [];
  const drift: (readonly object[])[] = [];
  thread.on("error", ({ code, message }: ThreadfoldError) => errors.push({ code, message }));
  thread.on("drift", ({ patch }) => drift.push(patch));
  const runs: ReplayedRun[] = [];
  for (const run of splitIntoRuns(parts.slice(0, until), protocol)) {
    if (protocol === "AG-UI") await foldAgUi(thread as never, run as never, { until: "stream" });
    else await foldLangGraph(thread as never, run);
    // A server's events notify listeners, including those of drift, once a task.
    await new Promise((resolve) => setTimeout(resolve));
    const {
      id,
      status,
      interrupts = [],
      error,
    } = thread.run as never as {
      id?: string;
      status: string;
      interrupts?: readonly unknown[];
      error?: unknown;
    };
    runs.push({
      id,
      status,
      parts: run.length,
      kinds: countKinds(run),
      ...(interrupts.length > 0 && { interrupts }),
      ...(error !== undefined && { error }),
    });
  }
  return { runs, state: thread.getState() as Dict, errors, drift };
}

/** Several runs may follow one another; each begins with a part that says so. */
function splitIntoRuns(parts: readonly Dict[], protocol: "AG-UI" | "LangGraph"): Dict[][] {
  const runs: Dict[][] = [];
  for (const part of parts) {
    const begins = protocol === "AG-UI" ? part["type"] === "RUN_STARTED" : part["event"] === "metadata";
    if (begins || runs.length === 0) runs.push([]);
    runs.at(-1)?.push(part);
  }
  return runs;
}

export function countKinds(parts: readonly Dict[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const part of parts) {
    const kind = kindOf(part);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

export function kindOf({ event, type, method, data }: Dict): string {
  const named = (data ?? {}) as Dict;
  const kinds = [event, named["method"], method, type];
  // A protocol v2 part is named by its method, and AG-UI's RAW has an event within it.
  const kind = (typeof event === "string" && named["method"] === undefined ? kinds : kinds.slice(1)).find(
    (kind) => typeof kind === "string",
  );
  return (kind as string | undefined) ?? "(no type)";
}

/** The state that a file ends with. */
export async function stateOf(recorded: Recorded, until?: number): Promise<Dict> {
  switch (recorded.kind) {
    case "run":
      return (await replay(recorded, until)).state;
    case "thread":
      return Thread.fromJSON(recorded.record as never).getState() as unknown as Dict;
    case "checkpoints":
      return latest(recorded.checkpoints)?.values ?? {};
    case "state":
      return recorded.state;
  }
}

/** Checkpoints sort by their ids; of a graph's own, not of its subgraphs'. */
export function latest(checkpoints: readonly Checkpoint[]): Checkpoint | undefined {
  const own = checkpoints.filter(({ namespace }) => !namespace);
  return [...(own.length > 0 ? own : checkpoints)].sort((a, b) => ((a.id ?? "") < (b.id ?? "") ? 1 : -1))[0];
}
