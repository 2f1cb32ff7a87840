// Records the calls to subscribers, in order.
import type { AgentStateMutation, AgentSubscriber } from "@ag-ui/client";

export interface Call {
  name: string;
  params: Record<string, unknown>;
}

type Answer = (name: string, params: Record<string, unknown>) => AgentStateMutation | void;

/** A subscriber that has every method, records its calls, and answers them with `answer`. */
export function recorder(answer: Answer = () => {}): { subscriber: AgentSubscriber; calls: Call[] } {
  const calls: Call[] = [];
  const subscriber = new Proxy(
    {},
    {
      get: (_, name) =>
        typeof name !== "string" || !name.startsWith("on")
          ? undefined
          : (params: Record<string, unknown>) => {
              // Theirs is the empty object in Node, and text of JSON in a bundle: the default import of a CommonJS module.
              const { agent, input, partialToolCallArgs: _, ...rest } = params;
              const seen = JSON.parse(
                JSON.stringify({ ...rest, given: { agent: typeof agent, input: typeof input } }),
              ) as Record<string, unknown>;
              calls.push({ name, params: seen });
              return answer(name, params);
            },
    },
  );
  return { subscriber, calls };
}
