// The presets against the recorded answers of Python's SummarizationMiddleware (langchain) and of deepagents'.
import { expect, test } from "vitest";
import { Context, type ContextOptions, deepAgentsSummarization, langChainSummarization } from "threadfold/context";
import { present } from "../../support/present.js";
import { expectTold, type Given, type Message, replayContext, type Told } from "./context-records.js";

type ContextLimit = Exclude<NonNullable<ContextOptions["trigger"]>, readonly unknown[]>;

type Size = [kind: string, value: number];
type Clause = Size | Record<string, number>;

interface Model {
  max_input_tokens?: number;
  llm_type?: string;
  ls_provider?: string;
  max_tokens?: number;
}

interface Options {
  trigger?: null | Clause | Clause[];
  keep?: Size;
  trim_tokens_to_summarize?: number | null;
}

const limit = (size: Clause): ContextLimit => (isSize(size) ? { [size[0]]: size[1] } : size);
const isSize = (size: unknown): size is Size => Array.isArray(size) && typeof size[0] === "string";

function triggerOf({ trigger }: Options): ContextLimit | ContextLimit[] | null {
  if (trigger === null || trigger === undefined) return null;
  return Array.isArray(trigger) && !isSize(trigger) ? trigger.map(limit) : limit(trigger as Clause);
}

/** Python gives ids to messages without, in place: here the reducer that takes the update does. */
const named = (told: Told[]): Told[] =>
  told.map((one) => {
    if (typeof one === "number" || Array.isArray(one) || "new" in one || one["id"] !== "<uuid>") return one;
    const { id: _, ...rest } = one;
    return Object.keys(rest).length === 1 ? rest.at : rest;
  });

const modelOf = ({ max_input_tokens, llm_type, ls_provider }: Model) => ({
  maxInputTokens: max_input_tokens,
  provider: ls_provider,
  charsPerToken: llm_type?.startsWith("anthropic-chat") ? 3.3 : undefined,
});

interface CutoffIn extends Given {
  options: Options;
  model: Model;
}

interface CutoffOut {
  tokens: number;
  due: boolean;
  cutoff: number;
  summarized: Told[] | null;
  update: Told[] | null;
}

test("langChainSummarization decides as SummarizationMiddleware", () => {
  let updates = 0;
  replayContext<CutoffIn, CutoffOut>("cutoff", ({ in: given, out, raised }, messages) => {
    const decide = () => {
      const context = langChainSummarization<Message>({
        ...modelOf(given.model),
        trigger: triggerOf(given.options),
        keep: given.options.keep && limit(given.options.keep),
        ...("trim_tokens_to_summarize" in given.options && {
          trimTokensToSummarize: given.options.trim_tokens_to_summarize,
        }),
      });
      return context.of(messages);
    };
    if (raised) {
      expect(decide).toThrow();
      return;
    }
    const view = decide();
    expect(view.tokens).toBe(present(out).tokens);
    const { due } = view;
    expect(due !== null).toBe(present(out).due && present(out).cutoff > 0);
    if (!due) return;
    updates++;
    expect(due.cutoff).toBe(present(out).cutoff);
    const summarized = present(out).summarized;
    expect(due.summarize).toBe(summarized !== null);
    if (summarized) expectTold(due.messages, named(summarized), messages);
    expectTold(due.toUpdate(" They agreed. \n"), named(present(present(out).update)), messages);
  });
  expect(updates).toBeGreaterThan(100);
});

interface Event {
  cutoff_index: number;
  summary_message: Message;
  file_path: string | null;
  created_at_index: number;
}

interface EventIn extends Given {
  kind: "effective" | "cutoff" | "call";
  event?: Event | null;
  cutoff?: number;
  options: Options;
  model: Model;
  truncate_args?: { trigger: Size | null; keep?: Size; max_length?: number; truncation_text?: string };
  system?: string;
  tools?: object[];
  broken?: boolean;
}

const PATH = "/conversation_history/session_1.md";
test("deepAgentsSummarization decides as deepagents", () => {
  let calls = 0;
  replayContext<EventIn, Told[] | number | { request: Told[]; event: Event | null }>(
    "event",
    ({ in: given, out, raised }, messages) => {
      expect(raised).toBeUndefined();
      const state = { messages, _summarization_event: given.event };
      if (given.kind === "effective") {
        expectTold(
          deepAgentsSummarization<Message>({ truncateArgs: null }).of(state).messages,
          out as Told[],
          messages,
        );
        return;
      }
      if (given.kind === "cutoff") {
        // A list that keeps so many messages after the cutoff that the next cut lands where the case wants it.
        const full = Array.from({ length: 40 }, (_, at) => ({ type: "human", content: `${at}` }));
        // A record without an index counts as an event without one.
        const before = given.event && "cutoff_index" in given.event ? { ...given.event, created_at_index: 0 } : null;
        const length = full.length - (before ? before.cutoff_index - 1 : 0);
        const context = deepAgentsSummarization<Message>({
          trigger: { messages: 1 },
          keep: { messages: length - present(given.cutoff) },
        });
        expect(context.of({ messages: full, _summarization_event: before }).due?.cutoff).toBe(out);
        return;
      }
      calls++;
      const { request, event } = out as { request: Told[]; event: Event | null };
      const truncate = given.truncate_args;
      const context = deepAgentsSummarization<Message>({
        ...modelOf(given.model),
        trimTokensToSummarize: 4000,
        maxOutputTokens: given.model.max_tokens,
        trigger: triggerOf(given.options),
        keep: limit(present(given.options.keep)),
        system: given.system,
        tools: given.tools,
        truncateArgs: truncate
          ? {
              trigger: truncate.trigger && limit(truncate.trigger),
              keep: limit(truncate.keep ?? ["messages", 20]),
              maxLength: truncate.max_length,
              truncationText: truncate.truncation_text,
            }
          : null,
      } as Parameters<typeof deepAgentsSummarization>[0]);
      const view = context.of(state);
      const { due } = view;
      expect(due !== null).toBe(event !== null);
      if (!due) {
        expectTold(view.messages, request, messages);
        return;
      }
      const record = due.toRecord("They agreed.", given.broken ? null : PATH);
      const { summary_message, cutoff_id: _, summarized_id: _last, ...rest } = record;
      expect(rest).toEqual(event);
      expectTold([summary_message, ...due.kept], request, messages);
    },
  );
  expect(calls).toBeGreaterThan(100);
});

test("a preset keeps system messages in front no more than Python does", () => {
  const messages = [
    { type: "system", content: "Be brief." },
    ...["a", "b"].map((content) => ({ type: "human", content })),
  ];
  const policy = { trigger: { messages: 3 }, keep: { messages: 1 } };
  const kinds = (update: object[]) => update.map((message) => (message as Message)["type"]);
  expect(kinds(langChainSummarization(policy).of(messages).due?.toUpdate("S") ?? [])).toEqual([
    "remove",
    "human",
    "human",
  ]);
  expect(kinds(new Context(policy).of(messages).due?.toUpdate("S") ?? [])).toEqual([
    "remove",
    "system",
    "human",
    "human",
  ]);
});
