// Graphs of langgraph.js to be served: a scripted model that streams, tools, a question to the user.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  Annotation,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";

export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[];
}

/** Answers the last message of the user, word by word. */
export class ScriptedModel extends BaseChatModel {
  readonly #pause: number;

  constructor(pause = 0) {
    super({});
    this.#pause = pause;
  }

  _llmType(): string {
    return "scripted";
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text = "", calls = [] } = answerTo(messages);
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: [...calls] }) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text = "", calls = [] } = answerTo(messages);
    const parts: { content?: string; tool_call_chunks?: object[] }[] = (text.match(/\s*\S+/g) ?? []).map((content) => ({
      content,
    }));
    for (const [index, { id, name, args }] of calls.entries()) {
      const json = JSON.stringify(args);
      parts.push({ tool_call_chunks: [{ index, id, name, args: json.slice(0, 5), type: "tool_call_chunk" }] });
      parts.push({ tool_call_chunks: [{ index, args: json.slice(5), type: "tool_call_chunk" }] });
    }
    for (const { content = "", tool_call_chunks = [] } of parts) {
      if (this.#pause > 0) await new Promise((resolve) => setTimeout(resolve, this.#pause));
      options.signal?.throwIfAborted();
      const message = new AIMessageChunk({ content, tool_call_chunks: tool_call_chunks as never });
      const chunk = new ChatGenerationChunk({ text: content, message });
      yield chunk;
      await manager?.handleLLMNewToken(content, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** The scripted models' answers, whichever form the messages have. */
export function answerTo(messages: readonly { type: string; content: unknown }[]): Said {
  const last = messages.at(-1);
  const asked = String(messages.findLast(({ type }) => type === "human")?.content ?? "");
  if (last?.type === "tool") return { text: `It is ${String(last.content)} there.` };
  if (/weather/i.test(asked))
    return {
      text: "Let me look.",
      calls: ["Rome", "Lima"].map((city, at) => ({
        id: `call-${messages.length}-${at}`,
        name: "weather",
        args: { city },
      })),
    };
  if (/fail/i.test(asked)) throw new RangeError("The model is out.");
  return { text: `You said: ${asked}` };
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  todos: Annotation<object[]>({ reducer: (_, next) => next, default: () => [] }),
  log: Annotation<string[]>({ reducer: (log, more) => [...log, ...more], default: () => [] }),
  tools: Annotation<object[]>({ reducer: (_, next) => next, default: () => [] }),
});

type S = typeof State.State;

/** A model and its tools; asked to "mail", it asks the user first. */
export function chatGraph({ checkpointer = true, pause = 0 }: { checkpointer?: boolean; pause?: number } = {}) {
  const model = new ScriptedModel(pause);
  return new StateGraph(State)
    .addNode("plan", () => ({ todos: [{ content: "Answer", status: "in_progress" }], log: ["planned"] }))
    .addNode("model", async ({ messages }: S, config: LangGraphRunnableConfig) => {
      const answer = await model.invoke(messages, config);
      config.writer?.({ name: "progress", value: messages.length });
      return { messages: [answer], log: ["answered"] };
    })
    .addNode("act", ({ messages }: S) => {
      const { tool_calls = [] } = messages.at(-1) as AIMessage;
      return {
        messages: tool_calls.map(
          ({ id, args }) =>
            new ToolMessage({
              id: `result-${id}`,
              tool_call_id: id ?? "",
              content: `sunny in ${String(args["city"])}`,
            }),
        ),
      };
    })
    .addNode("ask", ({ messages }: S) => {
      const answer = interrupt({ question: "Send the mail?", tool_call_id: "call-mail" }) as
        { approved?: boolean } | boolean;
      const isSent = answer === true || (typeof answer === "object" && answer.approved === true);
      return {
        messages: [new AIMessage({ id: `mailed-${messages.length}`, content: isSent ? "Sent." : "Not sent." })],
      };
    })
    .addNode("close", () => ({ todos: [{ content: "Answer", status: "completed" }] }))
    .addEdge(START, "plan")
    .addConditionalEdges("plan", ({ messages }: S) =>
      /mail/i.test(String(messages.at(-1)?.content)) ? "ask" : "model",
    )
    .addConditionalEdges("model", ({ messages }: S) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? "act" : "close",
    )
    .addEdge("act", "model")
    .addEdge("ask", "close")
    .addEdge("close", END)
    .compile(checkpointer ? { checkpointer: new MemorySaver() } : {});
}

/** A graph whose node is a graph that streams, and one whose "tool" has a model of its own. */
export function nestedGraph() {
  const inner = (text: string) =>
    new StateGraph(MessagesAnnotation)
      .addNode("speak", async ({ messages }, config) => ({
        messages: [await new ScriptedModel().invoke(messages, config)],
      }))
      .addNode("end", () => ({ messages: [new AIMessage({ id: `${text}-end`, content: text })] }))
      .addEdge(START, "speak")
      .addEdge("speak", "end")
      .addEdge("end", END)
      .compile();
  return new StateGraph(MessagesAnnotation)
    .addNode("team", inner("within"))
    .addNode("tools", async ({ messages }, config) => {
      await inner("of the tool").invoke({ messages }, config);
      return { messages: [new AIMessage({ id: "summary", content: "The tool is done." })] };
    })
    .addEdge(START, "team")
    .addEdge("team", "tools")
    .addEdge("tools", END)
    .compile({ checkpointer: new MemorySaver() });
}

/** Two nodes of one step. Without a checkpointer of its own, the second fails once, when the first has written its part. */
export function halfGraph(checkpointer?: MemorySaver) {
  let runs = 0;
  return new StateGraph(MessagesAnnotation)
    .addNode("half", () => ({ messages: [new AIMessage({ id: `half-${++runs}`, content: `half ${runs}` })] }))
    .addNode("other", async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (!checkpointer && runs === 1) throw new Error("The other half is out.");
      return { messages: [new AIMessage({ id: "other", content: `and half ${runs}` })] };
    })
    .addEdge(START, "half")
    .addEdge(START, "other")
    .compile({ checkpointer: checkpointer ?? new MemorySaver() });
}
