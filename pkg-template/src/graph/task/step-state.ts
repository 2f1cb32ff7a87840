// The state of a thread between two super-steps: its values, and the planner's state.
import type { ChannelVersions, CheckpointPendingWrite } from "../../checkpoint/types.js";
import type { Send } from "../build/command.js";
import type { GraphSpec } from "../build/graph-spec.js";
import { KnownIds } from "../ids/known-ids.js";
import type { PlanRun } from "../planner/planner.js";
import type { Values } from "../types.js";

const NONE: readonly never[] = [];

export class StepState {
  readonly spec: GraphSpec;
  /** The state that nodes read: as it was when the super-step began. */
  state: Values;
  /** The number of the step that comes next; -1 on an empty thread. */
  stepNumber = -1;
  /** The sends of the step before. */
  sends: readonly Send[] = NONE;
  /** The other entries of `versions_seen`. */
  others: Record<string, ChannelVersions> = {};
  /** The writes saved after the checkpoint: of tasks, and of the caller. */
  pending: readonly CheckpointPendingWrite[] = NONE;
  plan!: PlanRun;
  #held: Map<number, unknown> | undefined;
  #known: KnownIds | undefined;
  readonly #notesIds: boolean;

  /** `notesIds`: several folds follow, for which noting the ids of messages pays. */
  constructor(spec: GraphSpec, state: Values, notesIds: boolean) {
    this.spec = spec;
    this.state = state;
    this.#notesIds = notesIds;
  }

  /** The values of `__start__` and of branches. */
  get held(): Map<number, unknown> {
    return (this.#held ??= new Map());
  }

  set held(held: Map<number, unknown>) {
    this.#held = held;
  }

  /** Folds updates into the state, and records the ids of messages for the next fold. Changes nothing else. */
  fold(updates: readonly Values[]): Values {
    const { fields } = this.spec;
    return fields.step(this.state, updates, this.#ids());
  }

  /** Folds updates for a look at the result. `isTrial`: the thread may not continue from it. */
  folded(updates: readonly Values[], isTrial: boolean): Values {
    const { fields } = this.spec;
    if (updates.length === 0 && fields.ephemeral.length === 0) return this.state;
    return fields.step(this.state, updates, this.#ids(), isTrial);
  }

  #ids(): KnownIds | undefined {
    if (!this.#notesIds) return undefined;
    return (this.#known ??= new KnownIds(this.spec.fields.messages, this.spec.leftIds));
  }

  /** Leaves the noted ids to the next run of the thread. */
  leaveIds(): void {
    this.#known?.leave();
  }

  /** Adds writes to those saved after the checkpoint. */
  addPending(writes: readonly CheckpointPendingWrite[]): void {
    // An empty list may be shared.
    if (this.pending.length === 0) this.pending = [];
    for (const write of writes) (this.pending as CheckpointPendingWrite[]).push(write);
  }
}
