import type { Schema } from "../state/schema.js";
import { INSIDE } from "../thread/inside.js";
import type { Doubt } from "../thread/proof.js";
import type { AnyThread } from "../thread/thread.js";
import { readyMade } from "./ready-made.js";

/** Notes a doubt about every field. */
export function doubtAll(thread: AnyThread, reason: Doubt["reason"]): void {
  const { fields } = (thread.schema as Schema<unknown> | undefined) ?? readyMade();
  const names = new Set([...Object.keys(fields as object), ...Object.keys(thread.getConfirmedState())]);
  for (const field of names) thread[INSIDE].doubt({ field, reason });
}
