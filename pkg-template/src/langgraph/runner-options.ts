import { ThreadfoldError } from "../shared/errors.js";
import type { LangGraphPart } from "./parts.js";
import { overApi, type ApiTransportOptions, type LangGraphTransport } from "./transport.js";
import type { HttpOptions, RunnerOptions } from "../runner/runner-types.js";

/** How a {@link LangGraphRunner} reaches its server (by `apiUrl` or `transport`), and the options of each run. */
export interface LangGraphRunnerOptions extends RunnerOptions, HttpOptions {
  /** The way to the server: `apiTransport`, `clientTransport`, or functions of your own. */
  transport?: LangGraphTransport | undefined;
  /** The server's address, such as `http://localhost:2024`. */
  apiUrl?: string | URL | undefined;
  /** The assistant's id, or the graph's name: with `apiUrl`. */
  assistantId?: string | undefined;
  /** A function is called before each run. */
  config?: object | (() => object) | undefined;
  /** The run's static context. A function is called before each run. */
  context?: object | (() => object) | undefined;
  /**
   * - `"quiet"` (default): the server streams updates and tokens, and the thread folds them. The runner asks for the state
   *   of fields in doubt, at a run's end: see `thread.doubts`. Give the thread a schema with the fields that have
   *   reducers of their own.
   * - `"values"`: the server sends its whole state at each super-step. The default if `streamMode` has `values`.
   */
  wire?: "quiet" | "values" | undefined;
  /** More modes, for `onEvent`. Default `["custom"]`. */
  streamMode?: readonly string[] | undefined;
  /** Whether to stream the events of subgraphs, too. */
  subgraphs?: boolean | undefined;
  /** How the server handles a run while another run of the thread is active. Default: the server's. */
  multitaskStrategy?: "reject" | "interrupt" | "rollback" | "enqueue" | undefined;
  /**
   * Called with the id of a thread that the server created because yours had none. Store it to return to the thread.
   */
  onThreadId?: ((threadId: string) => void) | undefined;
  /**
   * Called with every part after it is folded. The part `custom` has what nodes send by `get_stream_writer()`.
   */
  onEvent?: ((part: LangGraphPart) => void) | undefined;
}

/** The options besides those of every runner. */
export const OWN_OPTIONS = {
  transport: true,
  apiUrl: true,
  assistantId: true,
  config: true,
  context: true,
  wire: true,
  streamMode: true,
  subgraphs: true,
  multitaskStrategy: true,
  onThreadId: true,
  onEvent: true,
} as const;

/** The stream modes of a run. */
export function modesOf({ wire, streamMode = ["custom"] }: LangGraphRunnerOptions): readonly string[] {
  const own = isQuiet({ wire, streamMode }) ? "updates" : "values";
  return [...new Set([own, "messages-tuple", ...streamMode])];
}

/** Whether a run's stream is to come without states. */
export const isQuiet = ({ wire, streamMode }: LangGraphRunnerOptions): boolean =>
  wire === undefined ? !streamMode?.includes("values") : wire === "quiet";

/** The way to the server that the options name. */
export function transportOf(options: LangGraphRunnerOptions): LangGraphTransport {
  const { transport, apiUrl, assistantId } = options;
  if (transport && apiUrl === undefined && typeof transport.run === "function") return transport;
  if (transport || apiUrl === undefined || typeof assistantId !== "string" || assistantId === "")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "new LangGraphRunner takes apiUrl and assistantId, or a transport: { run, create?, join?, cancel?, load? }.",
    );
  return overApi(options as ApiTransportOptions);
}
