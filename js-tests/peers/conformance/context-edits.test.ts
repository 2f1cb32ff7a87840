import { clearToolUses, countTokens, trimMessages, truncateToolArgs } from "threadfold/context";
import { offload } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { expectTold, type Message, replayContext, type Told } from "./context-records.js";
import { refusal } from "./records.js";
import type { ContextSize } from "../../../pkg-template/src/context/edited.js";

type Options = Record<string, unknown>;
type Given = { messages: number | Message[]; options: Options } & Options;

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
    .flatMap(({ content }) => content as unknown)
    .map((block) => (typeof block === "string" ? block : ((block as { text?: string } | null)?.text ?? "")));

const COUNTERS: Options = {
  len: (messages: readonly Message[]) => messages.length,
  characters: (messages: readonly Message[]) => [...texts(messages).join("")].length,
  squares: (messages: readonly Message[]) => messages.length ** 2,
};
const SPLITTERS: Options = { characters: (text: string) => [...text], spaces: (text: string) => text.split(" ") };

test("trimMessages answers as Python's trim_messages does", () => {
  replayContext<Given, Told[]>("trim", ({ in: given, out, error }, messages) => {
    const before = structuredClone(messages);
    const { tokenCounter, textSplitter, ...options } = camel(given.options);
    const call = () =>
      trimMessages(messages, {
        ...options,
        tokenCounter: COUNTERS[tokenCounter as string] ?? tokenCounter,
        textSplitter: SPLITTERS[textSplitter as string],
        toolPairs: "as-langchain",
      } as never);
    if (error === undefined) expectTold(call(), out ?? [], messages);
    else expect(refusal(call).code).toBe("INVALID_ARGUMENT");
    expect(messages).toEqual(before);
  });
});

test("clearToolUses answers as LangChain's ClearToolUsesEdit does", () => {
  replayContext<Given, Told[]>("clear", ({ in: given, out }, messages) => {
    const before = structuredClone(messages);
    expectTold(clearToolUses(messages, camel(given.options)), out ?? [], messages);
    expect(messages).toEqual(before);
  });
});

const size = (given: [kind: string, value: number] | null | undefined) =>
  given ? ({ [given[0]]: given[1] } as unknown as ContextSize) : given;

test("truncateToolArgs answers as deepagents' middleware does", () => {
  replayContext<Given, { tokens: number; messages: Told[] }>("args", ({ in: given, out }, messages) => {
    const before = structuredClone(messages);
    const { trigger, keep, ...rest } = camel(given["truncate_args"] as Options);
    const model = given["model"] as { max_input_tokens?: number; llm_type?: string };
    const options = {
      ...rest,
      trigger: size(trigger as never),
      keep: size(keep as never) ?? undefined,
      maxInputTokens: model.max_input_tokens,
      ...(model.llm_type === "anthropic-chat" && {
        tokenCounter: (list: readonly Message[]) => countTokens(list as never[], { charsPerToken: 3.3 }),
      }),
    };
    const came = truncateToolArgs(messages, options, out?.tokens);
    expectTold(came, out?.messages ?? [], messages);
    expect(messages).toEqual(before);
  });
});

type Moved = { files: Record<string, string>; messages: Told[]; tagged: Told[] };

/** Deepagents makes up the names of some files, which is `<uuid>` in the records. */
const masked = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll(
      /(conversation_history\/)(?!old\.)[^"/]*?(?=\.md)|(large_tool_results\/)t\d/g,
      "$1$2<uuid>",
    ),
  ) as T;

test("offload answers as deepagents' middlewares do", () => {
  replayContext<Given, Moved>("offload", ({ in: given, out }, messages) => {
    const before = structuredClone(messages);
    const { tool_tokens: toolTokens, human_tokens: humanTokens } = given;
    const { files, ...came } = offload<Message>(messages, { toolTokens, humanTokens } as never);
    expect(masked(files)).toEqual(out?.files);
    for (const name of ["messages", "tagged"] as const)
      expectTold(
        came[name].map((message) => (messages.includes(message) ? message : masked(message))),
        out?.[name] ?? [],
        messages,
      );
    if (out?.messages.every((told) => typeof told !== "object" || Array.isArray(told)))
      expect(came.messages).toBe(messages);
    expect(messages).toEqual(before);
  });
});
