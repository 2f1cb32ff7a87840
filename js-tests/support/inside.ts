// The questions of the package to a thread. No public method answers them, and the contract says what the answers are.
import type { Inside } from "../../pkg-template/src/thread/inside";

const INSIDE = Symbol.for("threadfold.inside");

export const inside = (thread: object): Inside => (thread as Record<symbol, Inside>)[INSIDE] as Inside;
