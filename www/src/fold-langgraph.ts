// The parts of a LangGraph run's stream into thread state: values, messages (from messages-tuple) and custom.
import { MessageList, REMOVE_ALL_MESSAGES, removeMessage } from "threadfold";
import type { RunEvent } from "./recording";
import { initial, merge, reuse, type Fold } from "./state";

interface ToolCallChunk {
  index: number;
  id: string | null;
  name: string | null;
  args: string;
}

interface Message {
  id: string;
  type: string;
  content: string;
  tool_calls?: object[];
  tool_call_chunks?: ToolCallChunk[];
  [key: string]: unknown;
}

export function foldLangGraph(): Fold {
  const list = new MessageList<Message>([]);
  const find = (id: string) => (list.snapshot() as readonly Message[]).find((message) => message.id === id);
  let state = initial(list.snapshot());

  function chunk(part: Message): void {
    const { chunk_position: _, tool_call_chunks: calls = [], ...rest } = part;
    const before = find(part.id);
    if (!part.type.endsWith("Chunk")) {
      list.update([reuse(before, part)]);
    } else if (!before) {
      // The chunk that ends a message may be empty and carry an id of its own.
      if (part.content !== "" || calls.length > 0) list.update([started(rest as Message, calls)]);
    } else if (calls.length > 0) {
      const sofar = before.tool_call_chunks ?? [];
      list.update([{ ...before, tool_call_chunks: calls.reduce(joined, sofar) }]);
    } else if (part.content !== "") {
      list.append(part.id, part.content);
    }
  }

  /** The whole state: missing messages are gone, and unchanged ones stay the same object. */
  function values({ messages = [], ...rest }: { messages?: Message[] } & Record<string, unknown>): void {
    list.update([removeMessage(REMOVE_ALL_MESSAGES), ...messages.map((fresh) => reuse(find(fresh.id), fresh))]);
    state = merge(state, rest);
  }

  return {
    get state() {
      return state;
    },
    receive({ name, data }: RunEvent) {
      if (name === "messages") chunk((data as [Message, object])[0]);
      else if (name === "values") values(data as Record<string, unknown>);
      else if (name === "custom") state = merge(state, { custom: data });
      // `updates` has the same as the `values` after it.
      const snapshot = list.snapshot();
      if (snapshot !== state.messages) state = { ...state, messages: snapshot };
    },
  };
}

/** The first chunk as the message it will be. */
const started = (rest: Message, calls: ToolCallChunk[]): Message => ({
  ...rest,
  type: "ai",
  ...(calls.length > 0 ? { tool_call_chunks: calls } : {}),
});

const joined = (sofar: ToolCallChunk[], chunk: ToolCallChunk): ToolCallChunk[] =>
  sofar.some(({ index }) => index === chunk.index)
    ? sofar.map((call) => (call.index === chunk.index ? { ...call, args: call.args + chunk.args } : call))
    : [...sofar, chunk];
