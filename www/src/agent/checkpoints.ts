// The checkpoints that led to where the agent's thread is.
import { graph } from "./graph";
import type { Message } from "./message";

export interface Checkpoint {
  readonly id: string;
  readonly step: number;
  readonly source: string;
  readonly next: readonly string[];
  readonly messages: readonly Message[];
  readonly todos: unknown;
}

/** Returns them from the first to the one that is given; without one, to the latest. Other branches are left out. */
export async function lineage(threadId: string, head?: string): Promise<Checkpoint[]> {
  const all = new Map<string, Checkpoint & { readonly parent: unknown }>();
  for await (const { config, parentConfig, metadata, next, values } of graph.getStateHistory({ threadId })) {
    const { messages = [], todos } = values as { messages?: readonly Message[]; todos?: unknown };
    const { step = 0, source = "" } = (metadata ?? {}) as { step?: number; source?: string };
    const id = idIn(config) ?? "";
    all.set(id, { id, parent: idIn(parentConfig), step, source, next, messages, todos });
  }
  const way: Checkpoint[] = [];
  let at = all.get(head ?? [...all.keys()][0] ?? "");
  while (at) {
    way.unshift(at);
    at = all.get(String(at.parent));
  }
  // The checkpoint that only holds the input is not a step of the agent.
  return way.filter(({ step }) => step >= 0);
}

const idIn = (config: unknown): string | undefined =>
  (config as { configurable?: { checkpoint_id?: string } } | undefined)?.configurable?.checkpoint_id;
