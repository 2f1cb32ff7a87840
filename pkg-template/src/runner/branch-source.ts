// How a runner's branches are read.
import type { AnyThread } from "../thread/thread.js";
import type { CheckpointMessages } from "./transport.js";

/** The same in each of the package's files. */
export const BRANCHES: unique symbol = Symbol.for("threadfold.branches") as never;

/** A runner, as far as its branches are read by it. */
export interface BranchSource {
  readonly thread: Pick<AnyThread, "threadId" | "messageIds" | "isDisposed" | "run" | "getMessage"> & {
    getConfirmedState(): object;
    subscribe(listener: () => void): () => void;
  };
  /** @internal */
  readonly [BRANCHES]: {
    readonly history?: ((limit: number) => PromiseLike<readonly CheckpointMessages[]>) | undefined;
  };
}
