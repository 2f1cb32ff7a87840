// The LangGraph SDK's own way of folding a stream: the StreamManager that its `useStream` is built on.
import { MessageTupleManager, StreamManager } from "@langchain/langgraph-sdk/ui";
import type { Message, Part } from "./streams";

export interface Values {
  messages?: Message[];
  [field: string]: unknown;
}

/** The SDK's StreamManager, with the values that it has after each turn. */
export class Sdk {
  readonly #manager = new StreamManager(new MessageTupleManager(), { throttle: false });
  /** Every state that its listeners received. */
  readonly told: (Values | null)[] = [];
  #initial: Values = {};

  constructor() {
    this.#manager.subscribe(() => this.told.push(this.values));
  }

  get values(): Values | null {
    return this.#manager.values as Values | null;
  }

  /** As `useStream` shows optimistic values. */
  optimistic(values: Values): void {
    this.#manager.setStreamValues(values as never);
    this.#initial = values;
  }

  async fold(parts: Part[]): Promise<void> {
    const initialValues = this.#initial;
    await this.#manager.start(
      async () =>
        (async function* () {
          for (const part of parts) yield structuredClone(part);
        })() as never,
      {
        getMessages: (values: Values) => values.messages ?? [],
        setMessages: (values: Values, messages: Message[]) => ({ ...values, messages }),
        initialValues,
        callbacks: {},
        onSuccess: () => {},
        onError: () => {},
        onFinish: () => {},
      } as never,
    );
  }
}
