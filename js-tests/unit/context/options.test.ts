// Unknown options, and other arguments refused with a sentence.
import * as entry from "threadfold/context";
import { Context, type ContextDue, countTokens } from "threadfold/context";
import { offload, offloading } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { present } from "../../support/present.js";
import { ThreadfoldError } from "threadfold";

type Any = never;

const list = [{ type: "human", content: "a" }] as Any;

/** Every function that takes options, and every place in it for some. */
const TAKES: Record<string, (misspelt: object) => unknown> = {
  countTokens: (options) => countTokens(list, options),
  messageTokens: (options) => entry.messageTokens(list[0], options),
  toolTokens: (options) => entry.toolTokens([], options),
  scanMessage: (options) => entry.scanMessage(list[0], options),
  estimateMessageTokens: (options) => entry.estimateMessageTokens(list[0], options),
  trimMessages: (options) => entry.trimMessages(list, { maxTokens: 5, ...options }),
  clearToolUses: (options) => entry.clearToolUses(list, options),
  truncateToolArgs: (options) => entry.truncateToolArgs(list, options),
  patchToolCalls: (options) => entry.patchToolCalls(list, options),
  repairToolCalls: (options) => entry.repairToolCalls(list, options),
  Context: (options) => new Context(options),
  "Context, clearToolUses": (options) => new Context({ clearToolUses: options }),
  "Context, truncateArgs": (options) => new Context({ truncateArgs: options }),
  slidingWindow: (options) => entry.slidingWindow(options),
  langChainSummarization: (options) => entry.langChainSummarization(options),
  deepAgentsSummarization: (options) => entry.deepAgentsSummarization(options),
  offload: (options) => offload(list, options),
  offloading: (options) => offloading(options),
};

for (const [name, take] of Object.entries(TAKES)) {
  test(`${name}: a misspelt option is refused by its name; an undefined one is ignored`, () => {
    const came = outcome(() => take({ triger: 1 }));
    expect("error" in came && came.error).toMatchObject({
      code: "UNKNOWN_OPTION",
      message: expect.stringContaining("unknown option 'triger'."),
    });
    expect(() => take({ triger: undefined })).not.toThrow();
    expect(() => take({})).not.toThrow();
  });
}

test("a limit says its measures by their names", () => {
  for (const limit of [{ mesages: 5 }, { tokens: 5, mesages: 5 }])
    for (const make of [
      (): unknown => new Context({ trigger: limit as Any }),
      () => new Context({ keep: limit as Any }),
      () => entry.truncateToolArgs(list, { keep: limit as Any }),
      () => entry.truncateToolArgs(list, { trigger: limit as Any }),
    ])
      expect(outcome(make)).toMatchObject({ error: { code: "INVALID_ARGUMENT" } });
});

test.each(["tokens", "messages", "fraction"])("a limit whose %s are not numbers is refused", (measure) => {
  for (const none of [NaN, Infinity, -1, "10", null])
    for (const name of ["trigger", "keep"])
      expect(outcome(() => new Context({ [name]: { [measure]: none }, maxInputTokens: 100 } as Any))).toMatchObject({
        error: { code: "INVALID_ARGUMENT" },
      });
});

const due = () => present(new Context({ trigger: { messages: 1 }, keep: { messages: 1 } }).of([...list, ...list]).due);
const revoked = <T extends object>(target: T): T => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};

/** Calls that once threw raw errors. */
const RAW: Record<string, () => unknown> = {
  "a path that is a symbol": () => due().toRecord("S", Symbol("path") as Any),
  "a path that is a number": () => due().toRecord("S", 5 as Any),
  "a sparse list of triggers": () => new Context({ trigger: [, { tokens: 5 }] as Any }), // oxlint-disable-line no-sparse-arrays
  "a sparse list of triggers, and what to keep": () =>
    new Context({ trigger: [{ messages: 5 }, , { tokens: 5 }] as Any, keep: { tokens: 2 } }), // oxlint-disable-line no-sparse-arrays
  "revoked options": () => new Context(revoked({})),
  "a revoked trigger": () => new Context({ trigger: revoked({ tokens: 1 }) }),
  "revoked triggers": () => new Context({ trigger: revoked([{ tokens: 1 }]) }),
  "a revoked limit": () => new Context({ trigger: { tokens: 5 }, keep: revoked({ tokens: 1 }) }),
  "a revoked summary": () => due().toRecord(revoked({})),
  "a revoked summary for an update": () => due().toUpdate(revoked({})),
  "a revoked list of summaries": () => due().toUpdate(revoked([]) as Any),
  "a revoked due": () => new Context().compact(revoked({}) as ContextDue, "S"),
  "revoked options of a window": () => entry.slidingWindow(revoked({})),
  "revoked options of a count": () => countTokens(list, revoked({})),
  "revoked options of a repair": () => entry.repairToolCalls(list, revoked({})),
  "revoked options of an offload": () => offloading(revoked({})),
  "a revoked message": () => new Context().of([revoked({}) as object]).messages,
  "a revoked message for a meter": () => new Context().meter([]).push(revoked({})),
  "a revoked record": () => new Context().of(list, revoked({}) as Any),
  "an offload that is none": () => new Context({ offload: {} as Any }),
};

for (const [name, run] of Object.entries(RAW)) {
  test(`${name} is refused with a code`, () => {
    const came = outcome(run);
    expect("error" in came && came.error).toBeInstanceOf(ThreadfoldError);
    expect((came as { error: ThreadfoldError }).error.code).toMatch(
      /^(INVALID_ARGUMENT|UNREADABLE_VALUE|INVALID_MESSAGE)$/,
    );
  });
}

test.each([
  ["toolTokens", -1, (value: Any) => offloading({ toolTokens: value })],
  ["humanTokens", -0.5, (value: Any) => offload(list, { humanTokens: value })],
  ["toolTokens", NaN, (value: Any) => offloading({ toolTokens: value })],
  ["trimTokensToSummarize", "all", (value: Any) => entry.langChainSummarization({ trimTokensToSummarize: value })],
  [
    "maxOutputTokens",
    "9",
    (value: Any) => entry.deepAgentsSummarization({ maxInputTokens: 99, maxOutputTokens: value }),
  ],
])("%s that are %s are refused by their name", (name, value, make) => {
  expect(outcome(() => make(value as Any))).toMatchObject({
    error: { code: "INVALID_ARGUMENT", message: expect.stringContaining(name) as unknown },
  });
});

const FLAGS: Record<string, (flag: Any) => unknown> = {
  "countTokens, countName": (flag) => countTokens(list, { countName: flag }),
  "countTokens, useUsageMetadataScaling": (flag) => countTokens(list, { useUsageMetadataScaling: flag }),
  "trimMessages, includeSystem": (flag) => entry.trimMessages(list, { maxTokens: 5, includeSystem: flag }),
  "trimMessages, allowPartial": (flag) => entry.trimMessages(list, { maxTokens: 5, allowPartial: flag }),
  "clearToolUses, clearToolInputs": (flag) => entry.clearToolUses(list, { clearToolInputs: flag }),
  "Context, preserveSystem": (flag) => new Context({ preserveSystem: flag }),
  "Context, useUsageMetadataScaling": (flag) => new Context({ useUsageMetadataScaling: flag }),
  "slidingWindow, preserveSystem": (flag) => entry.slidingWindow({ preserveSystem: flag }),
  "slidingWindow, summarize": (flag) => entry.slidingWindow({ summarize: flag }),
};

for (const [name, take] of Object.entries(FLAGS)) {
  test(`${name} is true or false, and nothing that is taken for it`, () => {
    const option = name.split(", ")[1] ?? "";
    for (const flag of [1, 0, "", "false", {}, [], () => true])
      expect(outcome(() => take(flag as Any))).toMatchObject({
        error: { code: "INVALID_ARGUMENT", message: `${option} should be a boolean.` },
      });
    for (const flag of [true, false, undefined, null]) expect(() => take(flag as Any)).not.toThrow();
  });
}
