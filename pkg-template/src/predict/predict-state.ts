import { isDict } from "../shared/dict.js";
import { patchBetween } from "../ag-ui/graph/patch-between.js";
import { ThreadfoldError } from "../shared/errors.js";
import { addedTexts, keepAddedTexts } from "../shared/added-text.js";
import { checkOptions } from "../shared/options.js";
import { sameJson } from "../shared/same-json.js";
import type { PatchOperation } from "../state/patch.js";
import { PartialJson } from "../text/partial-json.js";
import { INSIDE, isThread, type Layer } from "../thread/inside.js";
import type { ThreadEvent } from "../thread/thread-events.js";
import type { AnyThread } from "../thread/thread.js";
import { predicted, rulesOf, type PredictRule, type PredictRules } from "./rules.js";

/** The options of {@link predictState}. */
export interface PredictOptions {
  /** Your own rules, by the tools' names. */
  readonly predict?: PredictRules | undefined;
}

/** The result of {@link predictState}. */
export interface Prediction {
  /** Takes a server's `PredictState`: give it to a runner or a fold as `onEvent`, or call it from yours. */
  readonly onEvent: (event: object) => void;
  /** Ends the predictions. */
  readonly dispose: () => void;
}

type Values = Readonly<Record<string, unknown>>;

/** A tool call, in either form of its message. */
interface Call {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
  readonly function?: { readonly name: unknown; readonly arguments: string };
}

interface Message {
  readonly id?: unknown;
  readonly toolCalls?: readonly Call[];
  readonly tool_calls?: readonly Call[];
  readonly toolCallId?: unknown;
  readonly tool_call_id?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
}

/** A call whose arguments are shown in the state. */
interface Tracked {
  readonly json: PartialJson;
  /** How much of the arguments was read. */
  length: number;
  /** The confirmed values of the fields when the call began. */
  readonly base: Values;
  fields: Values;
  /** The fields that the server has sent since. */
  readonly over: Set<string>;
  hasFailed: boolean;
}

/**
 * Shows in a thread's state what a tool call will do to it, while the call's arguments stream: a document, a file, the
 * todos. The rules come from you, or from a server's custom event `PredictState` (ag-ui-langgraph and others).
 *
 * A prediction lies over the state that is shown. It is never part of the confirmed state, is not sent, and is not in
 * `thread.pending`. The server's value of the field replaces it; listeners of `drift` are called if that lacks something
 * of it. A rule cannot predict `messages`: an `error` is reported, and nothing is shown.
 * It ends with its run, and at once if the call fails. A token costs the token.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a thread, `UNKNOWN_OPTION`.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { foldAgUi } from "threadfold/ag-ui";
 * import { predictState } from "threadfold/predict";
 *
 * const thread = new Thread<{ messages: object[]; document?: string }>();
 * const { onEvent } = predictState(thread);
 * const seen: unknown[] = [];
 * await foldAgUi(
 *   thread,
 *   [
 *     { type: "RUN_STARTED", threadId: "t", runId: "r" },
 *     { type: "CUSTOM", name: "PredictState", value: [{ state_key: "document", tool: "write", tool_argument: "text" }] },
 *     { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "write", parentMessageId: "a" },
 *     { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"text":"Once upon' },
 *   ],
 *   { onEvent: (event) => (onEvent(event), seen.push(thread.getState().document)) },
 * ).catch(() => {});
 * console.log(seen.at(-1)); // Once upon
 * ```
 */
export function predictState(thread: AnyThread, options?: PredictOptions): Prediction {
  checkOptions("predictState", options, ["predict"]);
  if (!isThread(thread))
    throw new ThreadfoldError("INVALID_ARGUMENT", "predictState: expected a thread, such as new Thread().");
  keepAddedTexts();
  const layer = new Predictions(thread, options?.predict ?? {});
  thread[INSIDE].lay(layer);
  return {
    onEvent: (event) => layer.take(event as Values),
    dispose: () => thread[INSIDE].lay(undefined),
  };
}

class Predictions implements Layer {
  readonly #thread: AnyThread;
  readonly #own: PredictRules;
  /** The rules that the server has sent in this run. */
  #sent = new Map<string, PredictRule[]>();
  readonly #calls = new Map<unknown, Tracked>();
  /** Whether a rule that gives no fields was reported. */
  #hasRefused = false;
  /** The state that was shown last, without and with the predictions; undefined after a change of them. */
  #shown: readonly [state: unknown, over: unknown] | undefined;

  constructor(thread: AnyThread, own: PredictRules) {
    this.#thread = thread;
    this.#own = own;
  }

  /** Takes a server's rules. */
  take({ type, name, value }: Values): void {
    if (type === "RUN_STARTED") this.#sent.clear();
    const rules = type === "CUSTOM" && name === "PredictState" ? rulesOf(value) : undefined;
    if (!rules) return;
    this.#sent = new Map();
    for (const [tool, rule] of rules) this.#sent.set(tool, [...(this.#sent.get(tool) ?? []), rule]);
  }

  heard(event: ThreadEvent): void {
    switch (event.type) {
      case "message":
        this.#message(event.message as Message);
        break;
      case "run-started":
      case "run-finished":
      case "run-error":
        this.#calls.clear();
        this.#shown = undefined;
        break;
      case "messages":
      case "values":
      case "update":
      case "state":
      case "delta":
        if (this.#calls.size > 0) this.#settle(event);
    }
  }

  over<S>(state: S): S {
    if (this.#calls.size === 0) return state;
    if (this.#shown?.[0] !== state) {
      const laid: Record<string, unknown> = {};
      for (const { fields, over, hasFailed } of this.#calls.values())
        for (const [name, value] of Object.entries(fields)) if (!hasFailed && !over.has(name)) laid[name] = value;
      this.#shown = [state, Object.keys(laid).length > 0 ? { ...state, ...laid } : state];
    }
    return this.#shown?.[1] as S;
  }

  /** Reads more of a message's calls, or the result of one. */
  #message(message: Message): void {
    this.#result(message);
    for (const call of message.toolCalls ?? message.tool_calls ?? []) {
      const name = String(call.function?.name ?? call.name);
      const rules = this.#sent.get(name) ?? (Object.hasOwn(this.#own, name) ? [this.#own[name] as PredictRule] : []);
      if (rules.length > 0) this.#arguments(call, rules);
    }
  }

  #arguments(call: Call, rules: readonly PredictRule[]): void {
    let tracked = this.#calls.get(call.id);
    if (!tracked) {
      const base = this.#thread.getConfirmedState() as Values;
      tracked = { json: new PartialJson(true), length: 0, base, fields: {}, over: new Set(), hasFailed: false };
      this.#calls.set(call.id, tracked);
    }
    const args = argumentsOf(call, tracked);
    if (!args) return;
    const { base } = tracked;
    tracked.fields = Object.assign({}, ...rules.map((rule) => this.#fields(predicted(rule, args, base)))) as Values;
    this.#shown = undefined;
  }

  /** The fields that a rule gave, if they can lie over a state: the messages are the thread's own. */
  #fields(given: unknown): Values {
    if (isDict(given) && !Object.hasOwn(given, "messages")) return given as Values;
    if (!this.#hasRefused) this.#thread[INSIDE].report(new ThreadfoldError("INVALID_ARGUMENT", NO_FIELDS), given);
    this.#hasRefused = true;
    return {};
  }

  /** Takes back the prediction of a call that failed. */
  #result({ toolCallId, tool_call_id: id = toolCallId, error, status }: Message): void {
    const call = this.#calls.get(id);
    if (!call || !(error || status === "error")) return;
    call.hasFailed = true;
    this.#shown = undefined;
  }

  /** Takes back the fields that the server has replaced. */
  #settle(event: ThreadEvent): void {
    const state = this.#thread.getConfirmedState() as Values;
    if (event.type !== "state" && event.type !== "delta")
      for (const message of (state["messages"] ?? []) as readonly Message[]) this.#result(message);
    for (const call of this.#calls.values()) {
      for (const [name, value] of Object.entries(call.fields)) {
        if (call.over.has(name) || state[name] === call.base[name]) continue;
        call.over.add(name);
        this.#shown = undefined;
        if (!covers(state[name], value)) this.#drift(name, value, state[name]);
      }
    }
  }

  #drift(name: string, value: unknown, server: unknown): void {
    const patch = patchBetween({ [name]: value }, { [name]: server }) as PatchOperation[];
    this.#thread[INSIDE].drift(patch, { type: "state", values: { [name]: server } });
  }
}

/** How deep a server's value may have more than was predicted. */
const DEEP = 100;
const NO_FIELDS =
  "predictState: a rule should give an object of fields, without 'messages'. Its prediction is left out.";

/** Whether a server's value has all that was predicted: it may have more, such as the times of a file. */
function covers(server: unknown, value: unknown, depth = 0): boolean {
  const areObjects = typeof value === "object" && value !== null && typeof server === "object" && server !== null;
  if (!areObjects || depth > DEEP) return sameJson(server, value);
  const isListed = Array.isArray(value);
  if (isListed !== Array.isArray(server) || (isListed && value.length !== (server as unknown[]).length)) return false;
  return Object.entries(value).every(
    ([key, one]) => one === undefined || covers((server as Values)[key], one, depth + 1),
  );
}

/** Returns the arguments so far; undefined if no part of them came since. */
function argumentsOf(call: Call, tracked: Tracked): Values | undefined {
  const text = call.function?.arguments;
  if (text === undefined) return call.args as Values | undefined;
  if (text.length === tracked.length) return undefined;
  const added = addedTexts()?.get(call);
  tracked.json.add(added?.length === text.length - tracked.length ? added : text.slice(tracked.length));
  tracked.length = text.length;
  return tracked.json.object?.value as Values | undefined;
}
