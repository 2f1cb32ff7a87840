// Where a list of a graph's messages has a message, a tool call and a call's result.
import { isDict, type Dict } from "../../shared/dict.js";
import { readMessage } from "../../langgraph/message-form.js";
import { jsonForm } from "./json-form.js";

type Found = Record<"messages" | "calls" | "results", Map<unknown, number>>;

/** Finds messages, calls and results in a list by their ids. It reads the list once, when it is first asked. */
export class Places {
  readonly #list: readonly unknown[];
  #found: Found | undefined;

  constructor(list: readonly unknown[]) {
    this.#list = list;
  }

  message(id: unknown): number | undefined {
    return this.#all.messages.get(id);
  }

  /** Returns the place of the first message that has the call: an AG-UI client takes it for the call's own. */
  call(id: unknown): number | undefined {
    return this.#all.calls.get(id);
  }

  /** Returns the place of the first result of the call. */
  result(callId: unknown): number | undefined {
    return this.#all.results.get(callId);
  }

  get #all(): Found {
    if (this.#found) return this.#found;
    const found: Found = { messages: new Map(), calls: new Map(), results: new Map() };
    const note = (places: Map<unknown, number>, id: unknown, at: number) => {
      if (typeof id === "string" && !places.has(id)) places.set(id, at);
    };
    this.#list.forEach((given, at) => {
      const fields = fieldsOf(given);
      note(found.messages, fields["id"], at);
      note(found.results, fields["tool_call_id"] ?? fields["toolCallId"], at);
      for (const call of [fields["tool_calls"], fields["toolCalls"]].flat())
        if (isDict(call)) note(found.calls, call["id"], at);
    });
    return (this.#found = found);
  }
}

/** Returns the fields of a message as JSON has them. */
function fieldsOf(given: unknown): Dict {
  const form = jsonForm(given);
  return readMessage(form)?.fields ?? (isDict(form) ? form : {});
}
