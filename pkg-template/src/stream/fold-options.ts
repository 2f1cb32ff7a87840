// How a stream is folded: the options of foldAgUi, foldLangGraph and foldGraph.
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import { option } from "../shared/reading.js";

/** How a fold reads its stream. */
export interface FoldOptions<Event = unknown> {
  /**
   * Stops reading and ends the run, like the user's stop: received messages stay and are sent with the next run. The
   * promise rejects with the signal's reason. To leave a run that continues, end the source instead.
   */
  signal?: AbortSignal | undefined;
  /**
   * How far to read. `"run"`: until the run ends, then the source is closed. `"stream"`: until the source ends, over all
   * the runs in it, such as those of a replayed conversation. Default: `"run"` for AG-UI; for LangGraph `"stream"`, or
   * `"run"` if you give a `runId`.
   */
  until?: "run" | "stream" | undefined;
  /** The run to read to its end. For `foldGraph`, the id of the run: a new one by default. */
  runId?: string | undefined;
  /**
   * Whether the source rejoins the thread's last run. False for a new run, whatever its id. By default, an AG-UI run is
   * joined if its id is that of the thread's last run and that run has not ended. A LangGraph stream joins a run that
   * has an id and has not ended; `foldGraph` joins none.
   */
  join?: boolean | undefined;
  /**
   * Called with every valid event or part after it is folded, also with those that change nothing. If it throws, the
   * source is closed, and the fold rejects with the error.
   */
  onEvent?: ((event: Event) => void) | undefined;
}

const NAMES: NamesOf<FoldOptions> = { signal: true, until: true, runId: true, join: true, onEvent: true };

/**
 * Reads the options once. `more` names those that only `call` has.
 *
 * @throws {@link ThreadfoldError} `UNKNOWN_OPTION`, or `INVALID_ARGUMENT` for an invalid value.
 */
export function foldOptions<Event>(
  call: string,
  options: FoldOptions<Event> | undefined,
  more: readonly string[] = [],
): FoldOptions<Event> {
  checkOptions(call, options, [...Object.keys(NAMES), ...more]);
  const read: FoldOptions<Event> = {
    signal: option(options, "signal"),
    until: option(options, "until"),
    runId: option(options, "runId"),
    join: option(options, "join"),
    onEvent: option(options, "onEvent"),
  };
  const { signal, until, onEvent } = read;
  if (until !== undefined && until !== "run" && until !== "stream") refuse(call, "until", "'run' or 'stream'");
  if (onEvent !== undefined && typeof onEvent !== "function") refuse(call, "onEvent", "a function");
  if (signal !== undefined && typeof signal.addEventListener !== "function") refuse(call, "signal", "an AbortSignal");
  return read;
}

function refuse(call: string, name: string, what: string): never {
  throw new ThreadfoldError("INVALID_ARGUMENT", `${call}: the option ${name} should be ${what}.`);
}
