import { clearToolUses, type ContextSize, countTokens, trimMessages, truncateToolArgs } from "threadfold/context";
import { expect, test } from "vitest";
import { expectTold, type Message, messagesOf, type Told } from "./context-records.js";
import { type Recorded, refusal, replay } from "./records.js";

type Options = Record<string, unknown>;
type Case<Out = Told[]> = Recorded<{ messages: number | Message[]; options: Options } & Options, Out>;

/** Options by our names. */
const camel = (options: Options): Options =>
  Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

const texts = (messages: readonly Message[]) =>
  messages
    .flatMap(({ content }) => content)
    .map((block) => (typeof block === "string" ? block : ((block as { text?: string } | null)?.text ?? "")));

const COUNTERS: Options = {
  len: (messages: readonly Message[]) => messages.length,
  characters: (messages: readonly Message[]) => [...texts(messages).join("")].length,
  squares: (messages: readonly Message[]) => messages.length ** 2,
};
const SPLITTERS: Options = { characters: (text: string) => [...text], spaces: (text: string) => text.split(" ") };

test("trimMessages answers as Python's trim_messages does", () => {
  replay("context/trim", ({ in: given, out, error }: Case) => {
    const messages = messagesOf(given.messages);
    const before = structuredClone(messages);
    const { tokenCounter, textSplitter, ...options } = camel(given.options);
    const call = () =>
      trimMessages(messages, {
        ...options,
        tokenCounter: COUNTERS[tokenCounter as string] ?? tokenCounter,
        textSplitter: SPLITTERS[textSplitter as string],
        toolPairs: "as-langchain",
      } as never);
    if (error === undefined) expectTold(call(), out!, messages);
    else expect(refusal(call).code).toBe("INVALID_VALUE");
    expect(messages).toEqual(before);
  });
});

test("clearToolUses answers as LangChain's ClearToolUsesEdit does", () => {
  replay("context/clear", ({ in: given, out }: Case) => {
    const messages = messagesOf(given.messages);
    const before = structuredClone(messages);
    expectTold(clearToolUses(messages, camel(given.options)), out!, messages);
    expect(messages).toEqual(before);
  });
});

const size = (given: [kind: string, value: number] | null | undefined) =>
  given ? ({ [given[0]]: given[1] } as unknown as ContextSize) : given;

test("truncateToolArgs answers as deepagents' middleware does", () => {
  replay("context/args", ({ in: given, out }: Case<{ tokens: number; messages: Told[] }>) => {
    const messages = messagesOf(given.messages);
    const before = structuredClone(messages);
    const { trigger, keep, ...rest } = camel(given["truncate_args"] as Options);
    const model = given["model"] as { max_input_tokens?: number; llm_type?: string };
    const options = {
      ...rest,
      trigger: size(trigger as never),
      keep: size(keep as never) ?? undefined,
      maxInputTokens: model.max_input_tokens,
      ...(model.llm_type === "anthropic-chat" && {
        tokenCounter: (list: never[]) => countTokens(list, { charsPerToken: 3.3 }),
      }),
    };
    const came = truncateToolArgs(messages, options, out!.tokens);
    expectTold(came, out!.messages, messages);
    expect(messages).toEqual(before);
  });
});
