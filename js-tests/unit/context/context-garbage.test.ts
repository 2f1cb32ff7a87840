// Values of every type, and of every way to be hostile, given to a context in every place.
import {
  Context,
  contextMessages,
  deepAgentsSummarization,
  fullMessages,
  langChainSummarization,
  slidingWindow,
} from "threadfold/context";
import { expect, test } from "vitest";
import { garbage } from "../../properties/garbage/values.js";
import { outcome } from "../../support/errors.js";
import { present } from "../../support/present.js";
import { ThreadfoldError } from "threadfold";

type Any = never;

const OPTIONS = [
  "trigger",
  "keep",
  "maxInputTokens",
  "tokenCounter",
  "system",
  "tools",
  "clearToolUses",
  "truncateArgs",
  "preserveSystem",
  "useUsageMetadataScaling",
  "windowSize",
  "maxTokens",
  "compressThreshold",
  "tokenThreshold",
  "summarize",
  "charsPerToken",
  "provider",
  "trimTokensToSummarize",
  "maxOutputTokens",
];
const RECORD = [
  "cutoff_index",
  "cutoff_id",
  "summarized_id",
  "summary_message",
  "file_path",
  "created_at_index",
  "edited_before",
];

const call = { id: "c1", name: "write_file", args: { content: "x".repeat(3000) } };
const messages = () => [
  { type: "system", content: "Be brief." },
  { type: "human", content: "a", id: "m1" },
  { type: "ai", content: "", tool_calls: [call], id: "m2" },
  { type: "tool", content: "b".repeat(300), tool_call_id: "c1", id: "m3" },
  { type: "human", content: "c", id: "m4" },
];
const POLICY = {
  trigger: { messages: 3 },
  keep: { messages: 1 },
  clearToolUses: { keep: 0 },
  truncateArgs: { keep: { messages: 0 } },
};

/** Asks a view for everything it can answer. */
function ask(context: Context<Any>, source: unknown, record?: unknown): void {
  const view = context.of(source as Any, record as Any);
  void [view.messages, view.tokens, view.usage, view.compression_applied, view.conversation_summary];
  view.due?.toUpdate("S");
  view.due?.toRecord("S");
}

/** Returns the fault of the outcome, if any: the call must answer, or throw a ThreadfoldError with a sentence. */
function complaint(run: () => unknown): string | undefined {
  const came = outcome(run);
  if ("answer" in came) return undefined;
  const isOurs = outcome(() => came.error instanceof ThreadfoldError);
  if (!("answer" in isOurs && isOurs.answer))
    return `another error: ${String(outcome(() => (came.error as Error).stack))}`;
  const { message } = came.error as ThreadfoldError;
  return /^\S.*[.?]$/s.test(message) ? undefined : `no sentence: ${message}`;
}

test("answers garbage in every place, or refuses it with a sentence, and still works", () => {
  const complaints: string[] = [];
  let asked = 0;
  const good = new Context<Any>(POLICY as Any);
  const wanted = JSON.stringify(good.of(messages() as Any).messages);
  const tell = (where: string, run: () => unknown) => {
    asked++;
    const said = complaint(run);
    if (said) complaints.push(`${where}: ${said}`);
  };
  for (const [name, make] of Object.entries(garbage)) {
    const value = make();
    tell(`new Context(${name})`, () => ask(new Context<Any>(value as Any), messages()));
    for (const preset of [Context, slidingWindow, langChainSummarization, deepAgentsSummarization]) {
      const made = (options: unknown): Context<Any> =>
        preset === Context
          ? new Context<Any>(options as Any)
          : (preset as unknown as (options: unknown) => Context<Any>)(options);
      tell(`${preset.name}(${name})`, () => ask(made(value), messages()));
      for (const option of OPTIONS)
        tell(`${preset.name}, ${option}: ${name}`, () => ask(made({ ...POLICY, [option]: value }), messages()));
      for (const part of ["tokens", "messages", "fraction"]) {
        tell(`${preset.name}, trigger.${part}: ${name}`, () => ask(made({ trigger: { [part]: value } }), messages()));
        tell(`${preset.name}, keep.${part}: ${name}`, () =>
          ask(made({ ...POLICY, keep: { [part]: value } }), messages()),
        );
      }
    }
    for (const part of ["keep", "excludeTools", "clearToolInputs", "placeholder"])
      tell(`clearToolUses.${part}: ${name}`, () =>
        ask(new Context<Any>({ ...POLICY, clearToolUses: { [part]: value } } as Any), messages()),
      );
    for (const part of ["keep", "tools", "maxLength", "truncationText"])
      tell(`truncateArgs.${part}: ${name}`, () =>
        ask(new Context<Any>({ ...POLICY, truncateArgs: { [part]: value } } as Any), messages()),
      );
    tell(`of(${name})`, () => ask(good, value));
    tell(`of(list, ${name})`, () => ask(good, messages(), value));
    tell(`fullMessages(${name})`, () => fullMessages(value as Any));
    tell(`contextMessages(${name})`, () => contextMessages(value as Any));
    for (const field of ["messages", "full_messages", "_summarization_event", "getState", "history"])
      tell(`of({ ${field}: ${name} })`, () => ask(good, { messages: messages(), [field]: value }));
    const record = { cutoff_index: 1, summary_message: { type: "human", content: "S" } };
    for (const field of RECORD)
      tell(`record.${field}: ${name}`, () => ask(good, messages(), { ...record, [field]: value }));
    for (let at = 0; at < 5; at++) tell(`messages[${at}]: ${name}`, () => ask(good, messages().with(at, value as Any)));
    for (const field of ["id", "type", "content", "tool_calls", "tool_call_id", "usage_metadata", "response_metadata"])
      for (let at = 1; at < 4; at++)
        tell(`messages[${at}].${field}: ${name}`, () =>
          ask(good, messages().with(at, { ...messages()[at], [field]: value } as Any)),
        );
    tell(`compact(${name})`, () => good.compact(value as Any, "S"));
    tell(`compact(due, ${name})`, () => good.compact(present(good.of(messages() as Any).due), value as Any));
    tell(`meter(${name})`, () => good.meter(value as Any));
    tell(`meter.push(${name})`, () => good.meter(messages() as Any).push(value as Any));
    tell(`meter.text(${name})`, () => good.meter(messages() as Any).text(value as Any));
    // It is as it was.
    expect(JSON.stringify(good.of(messages() as Any, null).messages), `after ${name}`).toBe(wanted);
  }
  expect(complaints.slice(0, 12), `${complaints.length} of ${asked} calls`).toEqual([]);
  expect(asked).toBeGreaterThan(3000);
});
