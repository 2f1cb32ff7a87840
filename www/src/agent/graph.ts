// The agent of this page: a graph of threadfold's, with its threads, its tools and its model in the page.
import { defineSchema, field, type Todo } from "threadfold";
import { Context } from "threadfold/context";
import { END, IndexedDBSaver, MemorySaver, START, StateGraph } from "threadfold/graph";
import type { Call, Message, Model } from "./message";
import { pause, scripted } from "./scripted-model";

/** How much the model may be sent. */
export const ROOM = 4_000;
export const context = new Context<Message>({
  maxInputTokens: ROOM,
  trigger: { fraction: 0.8 },
  keep: { fraction: 0.4 },
});

/** Tools by their names: their parameters, and their effects. */
export const TOOLS = {
  write_todos: {
    description: "Replaces your list of todos.",
    parameters: {
      todos: {
        type: "array",
        items: {
          type: "object",
          properties: { content: { type: "string" }, status: { enum: ["pending", "in_progress", "completed"] } },
          required: ["content", "status"],
        },
      },
    },
    run: ({ todos }: { todos: readonly Todo[] }) => `Noted ${todos.length} todos.`,
  },
  get_weather: {
    description: "Says what the weather in a city is.",
    parameters: { city: { type: "string" } },
    run: ({ city }: { city: string }) => WEATHER[city] ?? "16 °C, clouds",
  },
  send_mail: {
    description: "Sends a mail. The user is asked first.",
    parameters: { to: { type: "string" }, text: { type: "string" } },
    run: ({ to }: { to: string }) => `The mail to ${to} is sent. (Not really: this page sends nothing.)`,
  },
};

const WEATHER: Readonly<Record<string, string>> = { Berlin: "12 °C, rain", Lima: "19 °C, fog", Osaka: "24 °C, clouds" };

let model: Model = scripted;

/** Has the next runs answered by another model. */
export const useModel = (next: Model = scripted): void => void (model = next);

const needsApproval = ({ name }: Call) => name === "send_mail";

/** The calls of the last answer that have no result yet. */
function openCalls(messages: readonly Message[]): readonly Call[] {
  const answered = new Set(messages.map(({ tool_call_id }) => tool_call_id));
  const calls = messages.findLast(({ type }) => type === "ai")?.tool_calls ?? [];
  return calls.filter(({ id }) => !answered.has(id));
}

const result = ({ id }: Call, content: string): Message => ({
  type: "tool",
  id: `result-${id}`,
  tool_call_id: id,
  content,
});

/** Keeps the checkpoints over a reload, where the browser lets the page keep anything. */
export const checkpoints =
  typeof indexedDB === "undefined" ? new MemorySaver() : new IndexedDBSaver({ name: "threadfold-demo" });

const State = defineSchema({ messages: field.messages<Message>(), todos: field.todos() });

export const graph = new StateGraph(State)
  .addNode("model", async ({ messages }, ctx) => ({
    messages: [await model(context.of(messages as readonly Message[]).messages as readonly Message[], ctx as never)],
  }))
  .addNode("approve", ({ messages }, { interrupt }) => {
    const asked = openCalls(messages as readonly Message[]).filter(needsApproval);
    const answers = asked.map((call) =>
      interrupt({ question: `Send this mail to ${String(call.args["to"])}?`, tool_call_id: call.id }),
    );
    const declined = asked.filter((_, at) => (answers[at] as { approved?: boolean } | null)?.approved !== true);
    return { messages: declined.map((call) => result(call, "The user declined this.")) };
  })
  .addNode("tools", async ({ messages }, { signal }) => {
    await pause(signal, 300); // these are quicker than real ones, and nobody would see them at work
    const calls = openCalls(messages as readonly Message[]);
    const plan = calls.findLast(({ name }) => name === "write_todos");
    const run = ({ name, args }: Call) =>
      (TOOLS[name as keyof typeof TOOLS]?.run as ((args: unknown) => string) | undefined)?.(args) ??
      `There is no tool ${name}.`;
    return {
      messages: calls.map((call) => result(call, run(call))),
      ...(plan && { todos: plan.args["todos"] as Todo[] }),
    };
  })
  .addEdge(START, "model")
  .addConditionalEdges(
    "model",
    ({ messages }) => {
      const calls = openCalls(messages as readonly Message[]);
      if (calls.length === 0) return END;
      return calls.some(needsApproval) ? "approve" : "tools";
    },
    ["approve", "tools", END],
  )
  .addEdge("approve", "tools")
  .addEdge("tools", "model")
  .compile({ checkpointer: checkpoints, name: "page" });
