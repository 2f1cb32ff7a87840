// The writes of callers to a thread, besides its tasks: a command's updates and its target.
import type { CheckpointPendingWrite } from "../../checkpoint/types.js";
import { type Send, TASKS, toSend } from "../build/command.js";
import type { Values } from "../types.js";
import type { StepState } from "../task/step-state.js";

/** Folds what callers wrote into a thread, whose Sends are `sends` with theirs. Returns it as the planner knows it. */
export function takeCallersWrites(
  thread: StepState,
  entries: readonly CheckpointPendingWrite[],
  sends: readonly Send[],
): number[] {
  const { fields, plan, numbers, channelNumbers } = thread.spec;
  const updates: Values[] = [];
  const writes: number[] = [];
  const sent: Send[] = [];
  for (const [, channel, value] of entries) {
    const send = channel === TASKS ? toSend(value) : undefined;
    const number = send ? plan.send(numbers.get(send.node) ?? -1) : channelNumbers.get(channel);
    if (number === undefined) continue;
    writes.push(number);
    if (send) sent.push(send);
    else if (number < fields.keys.length) updates.push({ [channel]: value });
    else thread.held.set(number, value);
  }
  if (updates.length > 0) thread.state = fields.lay(thread.state, updates);
  if (sent.length > 0) thread.sends = [...sends, ...sent];
  return writes;
}
