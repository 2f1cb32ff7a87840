import type { MessageLike } from "../state/message-types.js";
import { MissingResults, type ToolAnswer } from "./missing-results.js";
import { NumberedList } from "./numbered-list.js";
import { checkOptions } from "../shared/options.js";
import { isSecond, optionsOf, reading, wrong } from "./options.js";
import { type Facts, factsOfAll } from "./rows.js";

export type { ToolAnswer } from "./missing-results.js";

/** How to make the answers to open calls. */
export interface ToolAnswerOptions<M> {
  /**
   * Makes a tool message. By default an answer has the form of the message with the call: a LangChain dict, an AG-UI
   * message, or a role dict. For an instance of a class, it uses the class of the list's own tool messages, or a
   * LangChain dict if it has none.
   */
  toolMessage?: ((answer: ToolAnswer) => M) | undefined;
}

/** Options of {@link repairToolCalls}. */
export interface RepairOptions<M> extends ToolAnswerOptions<M> {
  /**
   * The handling of open calls in the last message with calls, if only results follow it. Default `"keep"`: their
   * results are still to come. `"answer"` answers them like all others.
   */
  waiting?: "keep" | "answer" | undefined;
}

/**
 * Repairs a list of messages, so that every provider accepts it. Each message with calls is then followed at once by
 * exactly one result for each id, and there is no other result.
 *
 * Drops results without a call and duplicate results. Moves displaced results right after the message with their call.
 * Answers open calls in the words of {@link patchToolCalls}. Returns the list itself if there is nothing to do.
 * Messages stay the same objects.
 *
 * @throws ThreadfoldError `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { repairToolCalls } from "threadfold/context";
 *
 * const repaired = repairToolCalls([
 *   { type: "ai", content: "", tool_calls: [{ id: "c1", name: "search", args: {} }] },
 *   { type: "human", content: "Wait." },
 *   { type: "tool", content: "late", tool_call_id: "c1" },
 *   { type: "tool", content: "of no call", tool_call_id: "c0" },
 * ]);
 * console.log(repaired.map(({ content }) => content).join(", ")); // , late, Wait.
 * ```
 */
export function repairToolCalls<M extends MessageLike>(messages: readonly M[], options?: RepairOptions<M>): M[] {
  const make = maker("repairToolCalls", options, ["toolMessage", "waiting"]);
  const waiting = reading(() => optionsOf(options).waiting);
  const all = isSecond(waiting, "waiting", "keep", "answer");
  const facts = factsOfAll(messages);
  if (isWhole(facts)) return messages as M[];
  const numbers = new NumberedList();
  for (const one of facts) numbers.push(one);
  const steps = numbers.repair(all);
  if (!steps) return messages as M[];
  return reading(() => {
    const answers = new MissingResults(messages, make);
    let caller = -1;
    const list = steps.map((step) => {
      if (step < 0) return answers.to(messages[caller], facts[caller] as Facts, -1 - step) as M;
      if (facts[step]?.kind === "ai") caller = step;
      return messages[step] as M;
    });
    const isSame = list.length === messages.length && list.every((message, at) => message === messages[at]);
    return isSame ? (messages as M[]) : list;
  });
}

/**
 * Whether each message with calls is followed at once by its results, and there are no others. Most lists pass, and
 * need no repair. It may return false for a list that needs none.
 */
function isWhole(facts: readonly Facts[]): boolean {
  let open: string[] = [];
  for (const { kind, ids, answers } of facts) {
    // Each result looks for its call among those that are open.
    if (ids.length > 32) return false;
    if (kind === "tool") {
      const at = open.indexOf(answers as string);
      if (at < 0) return false;
      open.splice(at, 1);
    } else if (open.length > 0) {
      return false;
    } else if (ids.length > 0) {
      open = ids.length > 1 ? [...new Set(ids)] : [...ids];
    }
  }
  return open.length === 0;
}

/**
 * Answers the calls that no tool message of the list answers, right after the message with the call. Works like the
 * `PatchToolCallsMiddleware` of Python's deepagents. Returns the list itself if there are none.
 *
 * Changes nothing else: {@link repairToolCalls} does. As in Python, a chunk of a tool message answers nothing.
 *
 * @throws ThreadfoldError `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { patchToolCalls } from "threadfold/context";
 *
 * const patched = patchToolCalls([
 *   { type: "ai", content: "", tool_calls: [{ id: "c1", name: "search", args: {} }] },
 *   { type: "human", content: "Never mind." },
 * ]);
 * console.log(patched.map(({ type }) => type).join(", ")); // ai, tool, human
 * ```
 */
export function patchToolCalls<M extends MessageLike>(messages: readonly M[], options?: ToolAnswerOptions<M>): M[] {
  const make = maker("patchToolCalls", options, ["toolMessage"]);
  const facts = factsOfAll(messages);
  const answered = new Set<string>();
  for (const { answers, chunk } of facts) if (answers !== undefined && !chunk) answered.add(answers);
  if (facts.every(({ ids }) => ids.every((id) => answered.has(id)))) return messages as M[];
  return reading(() => {
    const answers = new MissingResults(messages, make);
    const list: M[] = [];
    facts.forEach((one, at) => {
      list.push(messages[at] as M);
      one.ids.forEach((id, position) => {
        if (!answered.has(id)) list.push(answers.to(messages[at], one, position) as M);
      });
    });
    return list;
  });
}

function maker<M>(
  call: string,
  options: ToolAnswerOptions<M> | undefined,
  names: readonly string[],
): ((answer: ToolAnswer) => M) | undefined {
  return reading(() => {
    const { toolMessage: make } = optionsOf(options);
    checkOptions(call, optionsOf(options), names);
    if (make === undefined || make === null || typeof make === "function") return make ?? undefined;
    throw wrong("toolMessage", "a function");
  });
}
