// A client of `stream_steps`: folds the updates, and knows at which checkpoint it stands.
import type { Schema } from "threadfold";
import { expect } from "vitest";

type Values = Record<string, unknown>;

/** The `__metadata__` of an update. */
interface Marks {
  step?: number;
  task?: string;
  path?: (string | number | boolean)[];
  part?: number;
  parts?: number;
  checkpoint_id?: string;
  cached?: boolean;
  ids?: boolean;
  end?: boolean;
}

export interface Part {
  readonly event: string;
  readonly data: Values & { __metadata__?: Marks };
}

export interface Commit {
  readonly step: number;
  readonly checkpoint_id: string | undefined;
  readonly values: Values;
}

/** Reads the body of a stream. */
export const partsOf = (text: string): Part[] =>
  text
    .split("\n\n")
    .filter((part) => part.startsWith("event: "))
    .map((part) => {
      const [, event = "", data = "null"] = /^event: (.*)\ndata: (.*)$/s.exec(part) ?? [];
      return { event, data: JSON.parse(data) as Part["data"] };
    });

type Written = { path: (string | number | boolean)[]; updates: Values[] };

/** By node name, then Sends by index, as LangGraph applies the writes of a step. */
function inOrder({ path: [kind, a] }: Written, { path: [otherKind, b] }: Written): number {
  if (kind !== otherKind) return kind === "__pregel_pull" ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : 1;
}

export class StepFold {
  readonly #schema: Schema<never>;
  /** The committed values. */
  base: Values;
  step = -1;
  checkpointId: string | undefined;
  /** The writes of the step under way, by task. */
  pending = new Map<string, Written>();
  commits: Commit[] = [];
  /** Whether the count of the parts shows that some are missing. */
  isLost = false;
  #given: Values | undefined;
  #parts = 0;

  constructor(schema: Schema<never>, base: Values = {}) {
    this.#schema = schema;
    this.base = base;
  }

  /** Begins a run. `given` is what its input or command writes. */
  begin(given?: Values): void {
    this.#given = given;
    this.#parts = 0;
    this.isLost = false;
    this.pending.clear();
  }

  /** The values with what the unfinished step has written. */
  get shown(): Values {
    const updates = [...this.pending.values()].sort(inOrder).flatMap((one) => one.updates);
    return updates.length > 0 ? this.#fold(updates) : this.base;
  }

  take({ event, data }: Part): void {
    if (event !== "updates") return;
    const { __metadata__: marks, ...nodes } = data;
    if (!marks) throw new Error(`A part without marks: ${JSON.stringify(data)}`);
    const [name] = Object.keys(nodes);
    if (marks.parts !== undefined && marks.parts !== this.#parts) this.isLost = true;
    if (this.isLost || marks.end) return;
    if (name === "__interrupt__") return;
    if (name === undefined) {
      this.#commit(marks);
      return;
    }
    expect(marks.part).toBe(this.#parts++);
    expect(marks.step).toBe(this.step + 1);
    // Which task an earlier run's write of nothing was of cannot be known, and does not matter.
    if (!marks.path) {
      expect([marks.cached, nodes[name]]).toEqual([true, {}]);
      return;
    }
    expect(marks.path?.[0]).toMatch(/^__pregel_(pull|push)$/);
    if (marks.path?.[0] === "__pregel_pull") expect(marks.path[1]).toBe(name);
    const updates = [nodes[name] ?? []].flat() as Values[];
    expect(this.pending.has(marks.task as string)).toBe(false);
    this.pending.set(marks.task as string, { path: marks.path ?? [], updates });
  }

  #commit({ step, checkpoint_id, parts }: Marks): void {
    if (parts === 0 && this.#given && (step as number) > this.step) {
      this.base = this.#fold([this.#given]);
      this.#given = undefined;
    } else if ((step as number) > this.step && parts !== 0) this.base = this.shownAt(step as number);
    this.pending.clear();
    this.step = step as number;
    this.checkpointId = checkpoint_id;
    this.commits.push({ step: this.step, checkpoint_id, values: this.base });
  }

  /** The values after a step that is committed: also of one that wrote nothing. */
  shownAt(step: number): Values {
    expect(step).toBe(this.step + 1);
    return this.#fold([...this.pending.values()].sort(inOrder).flatMap((one) => one.updates));
  }

  #fold(updates: Values[]): Values {
    return this.#schema.step(this.base as never, updates as never) as Values;
  }
}
