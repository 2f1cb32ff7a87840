import * as core from "#core";
import { choice, PREFERENCES } from "../shared/choices.js";
import { checkOptions } from "../shared/options.js";

/** A tool that the front end offers, as AG-UI describes it. */
export interface Tool {
  name: string;
  description?: string | undefined;
  parameters?: unknown;
}

export interface MergeToolsOptions {
  /** Says which of two tools with one name stays; the last one takes the first one's place. Default `"first"`. */
  prefer?: "first" | "last" | undefined;
}

/**
 * Joins two lists of tools, one of each name, those of `left` first; keeps all tools without a name. Null counts as no
 * tools. Returns `left` itself when `right` adds nothing.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` if a side is not a list.
 *
 * @example
 * ```ts
 * import { mergeTools } from "threadfold";
 *
 * const tools = mergeTools([{ name: "search" }], [{ name: "search" }, { name: "plan" }]);
 * console.log(tools.map((tool) => tool.name)); // [ 'search', 'plan' ]
 * ```
 */
export function mergeTools<T extends object = Tool>(
  left: readonly T[] | null | undefined,
  right: readonly T[] | null | undefined,
  options?: MergeToolsOptions,
): T[] {
  checkOptions("mergeTools", options, ["prefer"]);
  const prefer = choice(options, "prefer", PREFERENCES);
  return core.call(() => core.value(core.mergeTools(core.hold(left), core.hold(right), prefer)));
}
