// Calls `@ag-ui/client`'s subscribers one after the other. Each sees the changes of those before it.
import type { AbstractAgent, AgentStateMutation, AgentSubscriber, Message, RunAgentInput } from "@ag-ui/client";

/** The values that a subscriber sees. */
interface Shown {
  readonly agent: AbstractAgent;
  readonly input: RunAgentInput;
  readonly messages: readonly Message[];
  readonly state: unknown;
}

/** The values that the subscribers of a run see and may change. */
export interface Asked extends Shown {
  setMessages(messages: readonly Message[]): void;
  setState(state: unknown): void;
}

type Method = (this: AgentSubscriber, params: object) => AgentStateMutation | void | Promise<AgentStateMutation | void>;

/** Whether any subscriber has this method. */
export function hasHook(subscribers: readonly AgentSubscriber[], method: string): boolean {
  return subscribers.some((subscriber) => hookOf(subscriber, method));
}

const hookOf = (subscriber: AgentSubscriber, method: string) =>
  (subscriber as Record<string, Method | undefined>)[method];

/** Asks every subscriber that has this method. Resolves to true as soon as one of them stops the event. */
export async function ask(
  subscribers: readonly AgentSubscriber[],
  method: string,
  asked: Asked,
  told: object,
): Promise<boolean> {
  let shown = shownBy(asked);
  for (const subscriber of subscribers) {
    const own = hookOf(subscriber, method);
    if (!own) continue;
    try {
      const { messages, state } = shown;
      const answer = await own.call(subscriber, paramsOf(shown, told));
      if (answer === undefined || answer === null) continue;
      // An answer of the very values that it was given changes nothing.
      if (answer.messages !== undefined && answer.messages !== messages) asked.setMessages(answer.messages);
      if (answer.state !== undefined && answer.state !== state) asked.setState(answer.state);
      shown = shownBy(asked);
      if (answer.stopPropagation === true) return true;
    } catch (error) {
      // A test run should see that a subscriber changes a frozen value.
      if (testing && error instanceof TypeError) throw error;
      console.error("Subscriber error:", error);
    }
  }
  return false;
}

/** Reads the values once: the state is another object at each look. */
const shownBy = ({ agent, input, messages, state }: Asked): Shown => ({ agent, input, messages, state });

/**
 * Returns the parameters of a subscriber's method. Getters of `told` stay getters: they cost only a subscriber that
 * reads them.
 */
export function paramsOf({ agent, input, messages, state }: Shown, told: object): object {
  return Object.defineProperties({ messages, state, agent, input }, Object.getOwnPropertyDescriptors(told));
}

declare const process: { env: { NODE_ENV?: string } };

const testing: boolean = (() => {
  try {
    return process.env.NODE_ENV === "test";
  } catch {
    return false;
  }
})();
