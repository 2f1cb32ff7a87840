// The server's own copy of a thread, changed by a turn; each change is the events that tell a client of it.

/** Text as a model gives it out: word by word, the spaces with the words. */
const tokens = (text) => text.match(/\s*\S+\s*$|\s*\S+/gu) ?? [];

/** A text in pieces of about `size` characters, which know nothing of what they cut. */
const pieces = (text, size = 9) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

/** The messages and the state of a thread. A turn works on a copy, which takes the thread's place when it ends well. */
export class Conversation {
  messages = [];
  state = { todos: [], files: {} };

  copy() {
    const copy = new Conversation();
    copy.messages = [...this.messages];
    copy.state = structuredClone(this.state);
    return copy;
  }
}

/** One run's work on a conversation. */
export class Turn {
  #conversation;
  #lag;
  /** What a snapshot that comes late shows: messages, as they were at some earlier moment. */
  #late;

  /**
   * @param {Conversation} conversation - Changed in place.
   * @param {object[]} asked - The messages that the client sent; those with ids known here are not new.
   */
  constructor(conversation, asked, { lag }) {
    this.#conversation = conversation;
    this.#lag = lag;
    const before = [...conversation.messages];
    const known = new Set(before.map(({ id }) => id));
    conversation.messages.push(...asked.filter(({ id }) => !known.has(id)));
    this.#late = lag === 2 ? before : [...conversation.messages];
  }

  get state() {
    return this.#conversation.state;
  }

  /** A message of the agent: text, and calls of tools. */
  *say(id, text, calls = []) {
    const parts = tokens(text);
    const { messages } = this.#conversation;
    // Who stops a run in the middle keeps what was said by then.
    const place = messages.push({ id, role: "assistant", content: "" }) - 1;
    if (text) yield { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" };
    for (const [at, delta] of parts.entries()) {
      messages[place] = { ...messages[place], content: messages[place].content + delta };
      yield { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta };
      if (this.#lag > 0 && at === parts.length >> 1) yield this.#lateSnapshot();
    }
    if (text) yield { type: "TEXT_MESSAGE_END", messageId: id };
    for (const call of calls) {
      messages[place] = { ...messages[place], toolCalls: [...(messages[place].toolCalls ?? []), call] };
      yield { type: "TOOL_CALL_START", toolCallId: call.id, toolCallName: call.function.name, parentMessageId: id };
      for (const delta of pieces(call.function.arguments)) yield { type: "TOOL_CALL_ARGS", toolCallId: call.id, delta };
      yield { type: "TOOL_CALL_END", toolCallId: call.id };
    }
    this.#checkpoint();
  }

  /** A tool's result. Streamed under the call's id and kept under one of its own, as ag-ui-langgraph does it. */
  *result(id, toolCallId, content) {
    yield { type: "TOOL_CALL_RESULT", messageId: toolCallId, toolCallId, content, role: "tool" };
    this.#conversation.messages.push({ id, role: "tool", toolCallId, content });
    this.#checkpoint();
  }

  /** Fields of the state, told by a snapshot of all of them. */
  *set(values) {
    Object.assign(this.#conversation.state, structuredClone(values));
    yield { type: "STATE_SNAPSHOT", snapshot: structuredClone(this.#conversation.state) };
  }

  /** One value in the state, told by a delta. */
  *change(value, ...path) {
    const last = path.at(-1);
    const parent = path.slice(0, -1).reduce((node, key) => node[key], this.#conversation.state);
    const op = Object.hasOwn(parent, last) ? "replace" : "add";
    parent[last] = value;
    const pointer = path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    yield { type: "STATE_DELTA", delta: [{ op, path: pointer, value }] };
  }

  /** Other words for what was said. */
  rewrite(id, content) {
    const { messages } = this.#conversation;
    const at = messages.findIndex((message) => message.id === id);
    messages[at] = { ...messages[at], content };
  }

  *finish() {
    yield { type: "STATE_SNAPSHOT", snapshot: structuredClone(this.#conversation.state) };
    yield { type: "MESSAGES_SNAPSHOT", messages: [...this.#conversation.messages] };
  }

  #checkpoint() {
    this.#late = [...this.#conversation.messages];
  }

  #lateSnapshot() {
    const event = { type: "MESSAGES_SNAPSHOT", messages: this.#late };
    this.#late = [...this.#conversation.messages];
    return event;
  }
}
