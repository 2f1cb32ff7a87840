// AG-UI's reference: the results of `@ag-ui/client`'s defaultApplyEvents.
import { type BaseEvent, type Message, defaultApplyEvents, HttpAgent, type RunAgentInput } from "@ag-ui/client";
import { from, lastValueFrom, toArray } from "rxjs";
import { vi } from "vitest";

export interface Told {
  messages: Message[];
  state: unknown;
}

export const input = (messages: unknown[] = [], state: unknown = {}): RunAgentInput =>
  ({ threadId: "t1", runId: "r1", messages, state, tools: [], context: [], forwardedProps: {} }) as RunAgentInput;

/** Returns the reference's final state. Its warnings are kept off the console. */
export async function reference(events: object[], start: Partial<Told> = {}): Promise<Told> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  try {
    const agent = new HttpAgent({
      url: "http://unused",
      initialMessages: start.messages ?? [],
      initialState: start.state ?? {},
    });
    const applied = defaultApplyEvents(input(start.messages, agent.state), from(events as BaseEvent[]), agent, []);
    const told = { messages: agent.messages, state: agent.state as unknown };
    for (const { messages, state } of await lastValueFrom(applied.pipe(toArray()))) {
      if (messages !== undefined) told.messages = messages;
      if (state !== undefined) told.state = state;
    }
    return told;
  } finally {
    warn.mockRestore();
  }
}
