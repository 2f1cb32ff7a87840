import { steeringMessages } from "../../langgraph/steering-messages.js";
import { Refusal } from "../refusal.js";
import type { RunStore, StoredRun } from "./run-store.js";

/**
 * Sends a user's messages into a run under way. Those that it takes are among its parts.
 *
 * @throws {@link Refusal} 400 for anything but user messages, 404 and 409 if nothing reads them.
 */
export async function steered(store: RunStore, run: StoredRun | undefined, given: unknown): Promise<void> {
  const messages = checked(given);
  if (!run || !store.send) throw new Refusal(404, "Unknown run: only one that is under way can be steered.");
  if (run.hasEnded || run.isStopped) throw new Refusal(409, `The run ${run.id} is over.`);
  await store.send(run, JSON.stringify(messages));
}

function checked(given: unknown): object[] {
  try {
    return steeringMessages(given);
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
}
