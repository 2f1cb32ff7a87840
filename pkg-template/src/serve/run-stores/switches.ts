// A switch of a thread to another checkpoint, as a run without parts: instances wait for it, and followers learn of it.
import { newId } from "../../shared/new-id.js";
import { Refusal } from "../refusal.js";
import { ended, isGone, isStoreError, type NewRun, type RunLease, type RunStore } from "./run-store.js";

/** The protocol of such a run: nobody can read it, so it is announced when it is over. */
const SWITCH = "switch";

/**
 * Makes a change of a thread. Its followers load the thread again when it is over.
 *
 * @param isAlone - Whether the change is refused while a run of the thread is under way.
 * @throws {@link Refusal} 409 then, and what `change` throws.
 */
export async function switching<Made>(
  store: RunStore,
  threadId: string,
  { owner, isAlone }: { readonly owner: string | undefined; readonly isAlone: boolean },
  change: () => PromiseLike<Made>,
): Promise<Made> {
  const lease = await begun(store, { threadId, id: newId(), server: SWITCH, owner, about: {}, isAlone });
  try {
    // The last one says all that earlier ones did.
    const earlier = (await store.runs({ threadId })).filter((run) => run.hasEnded && isSwitch(run));
    await Promise.all(earlier.map((run) => store.remove(run)));
    return await change();
  } finally {
    await store.end(lease, {}).catch((error: unknown) => {
      // A change that took longer than a lease was ended by another instance.
      if (!isGone(error)) throw error;
    });
  }
}

/** Begins the switch once others of the thread are over. */
async function begun(store: RunStore, run: NewRun): Promise<RunLease> {
  for (;;) {
    try {
      return await store.begin(run, () => {});
    } catch (error) {
      if (!isStoreError(error, "BUSY")) throw error;
      const { threadId } = run;
      const active = (await store.runs({ threadId })).filter(({ hasEnded }) => !hasEnded);
      if (!active.every(isSwitch)) throw new Refusal(409, (error as Error).message);
      await Promise.all(active.map((other) => ended(store, other)));
    }
  }
}

export const isSwitch = ({ server }: { readonly server: string }): boolean => server === SWITCH;

/** Ends the switches of instances that are gone. */
export async function endSwitches(store: RunStore): Promise<void> {
  for (;;) {
    const claimed = await store.claim(SWITCH, () => {});
    if (!claimed) return;
    await store.end(claimed, {});
  }
}
