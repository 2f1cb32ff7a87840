// The devtools as a React component.
import { useEffect } from "react";
import type { AnyThread } from "../thread/thread.js";
import { mountDevtools, type DevtoolsOptions } from "./devtools.js";
import type { AddOptions, ShownRunner } from "./found.js";

/** The props of {@link ThreadDevtools}. */
export interface ThreadDevtoolsProps extends DevtoolsOptions, AddOptions {
  /** A thread or a runner to add. Not needed for those that the devtools find: see {@link Devtools.add}. */
  readonly of?: AnyThread | ShownRunner | undefined;
}

/**
 * Shows devtools while it is mounted, as {@link mountDevtools} does. Renders nothing into your page, and nothing on a
 * server.
 *
 * @example
 * ```tsx
 * import { openAgUi } from "threadfold/ag-ui";
 * import { ThreadDevtools } from "threadfold/devtools/react";
 *
 * const agent = openAgUi({ url: "/agent" });
 *
 * export function Tools() {
 *   return <ThreadDevtools of={agent} name="support" />;
 * }
 * ```
 */
export function ThreadDevtools(props: ThreadDevtoolsProps): null {
  const { of, name, checkpoints, open, button } = props;
  useEffect(() => {
    const devtools = mountDevtools({ button });
    if (of) devtools.add(of, { name, checkpoints });
    if (open) devtools.open();
    return () => devtools.dispose();
    // A function that is written into the props is another in each render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [of, name, open, button]);
  return null;
}
