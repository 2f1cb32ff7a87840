// The graphs that a tool runs: a server looks into them for approvals.

/** On a tool, and on the spec of an agent that has such tools. Each entry of the package has a copy of this file. */
const DELEGATES: unique symbol = Symbol.for("threadfold.delegates") as never;

/** The graphs that a tool or the spec of an agent names. */
export const delegatesOf = (of: unknown): readonly object[] =>
  (of as { [DELEGATES]?: readonly object[] } | undefined)?.[DELEGATES] ?? [];

/** Names the graphs on a tool or a spec, and returns it. A copy of it names them, too. */
export const delegating = <T extends object>(of: T, graphs: readonly object[]): T =>
  Object.assign(of, { [DELEGATES]: graphs });
