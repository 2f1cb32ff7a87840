/**
 * The codes of a {@link ThreadfoldError}. A code never changes its meaning; later versions may add codes.
 *
 * | code | when |
 * |---|---|
 * | `INVALID_ARGUMENT` | an argument, option or field of the wrong shape |
 * | `UNKNOWN_OPTION` | an option that the call does not have; the message has the nearest name |
 * | `INVALID_STATE` | a call that needs another state: `retry` when nothing failed, `resume` when nothing is asked |
 * | `BUSY` | a list or thread that a value it is reading uses (a getter of a message); a runner that refuses a second run |
 * | `DISPOSED` | a list, schema, thread or runner after its `dispose()` |
 * | `NOT_READY` | a call to `threadfold/slim` before its `init` |
 * | `UNSUPPORTED` | a call that needs what is not there: `crypto` for a message without an id, a method that a transport lacks |
 * | `INVALID_MESSAGE` | a value in none of the accepted forms of a message |
 * | `UNKNOWN_MESSAGE` | an id that the list or thread does not hold: of a text, a removal or an edit |
 * | `INVALID_TODOS` | todos of the wrong shape; the message has a line for each problem |
 * | `PARALLEL_TODOS` | two `write_todos` calls in one model answer |
 * | `FORBIDDEN_KEY` | a key that would reach an object's prototype |
 * | `UNREADABLE_VALUE` | a value that contains itself, or that threw while it was read (a getter, a proxy); the `cause` says what |
 * | `INVALID_SCHEMA` | a field that no function of `field` made, or that two schemas declare with different reducers |
 * | `NOT_INPUT` | an optimistic update of a field that is not input |
 * | `CONCURRENT_UPDATE` | two writes in one super-step to a field that takes one, or two `Overwrite`s of one field |
 * | `REDUCER_FAILED` | a reducer of your own threw; its error is the `cause` |
 * | `INVALID_PATCH` | an operation that is not RFC 6902 |
 * | `PATCH_FAILED` | a path that leads nowhere, or a `test` that does not hold |
 * | `BAD_RESPONSE` | a response without a stream of events: an error status, a page, a body of JSON |
 * | `NO_CONNECTION` | the server could not be reached, or the connection to it broke; the `cause` says how |
 * | `RUN_FAILED` | the server ended the run with an error; `serverCode` is its own word for it |
 * | `MODEL_FAILED` | a model reported an error in the middle of its answer; the `cause` is its report, `serverCode` its own word |
 * | `STORAGE_FAILED` | the storage threw; the `cause` says why |
 * | `FENCED` | a write into a served run that another instance continues, or that has ended |
 * | `LOST` | a served run whose parts the store lacks: read the thread from its checkpoints |
 */
export type ThreadfoldErrorCode =
  | "INVALID_ARGUMENT"
  | "UNKNOWN_OPTION"
  | "INVALID_STATE"
  | "BUSY"
  | "DISPOSED"
  | "NOT_READY"
  | "UNSUPPORTED"
  | "INVALID_MESSAGE"
  | "UNKNOWN_MESSAGE"
  | "INVALID_TODOS"
  | "PARALLEL_TODOS"
  | "FORBIDDEN_KEY"
  | "UNREADABLE_VALUE"
  | "INVALID_SCHEMA"
  | "NOT_INPUT"
  | "CONCURRENT_UPDATE"
  | "REDUCER_FAILED"
  | "INVALID_PATCH"
  | "PATCH_FAILED"
  | "BAD_RESPONSE"
  | "NO_CONNECTION"
  | "RUN_FAILED"
  | "MODEL_FAILED"
  | "STORAGE_FAILED"
  | "FENCED"
  | "LOST";

const brand = Symbol.for("threadfold.error");

/**
 * Every error that threadfold throws. A call that throws changes nothing.
 *
 * `instanceof` holds across copies of the package, such as its ESM and CommonJS builds in one program.
 *
 * @example
 * ```ts
 * import { addMessages, removeMessage, ThreadfoldError } from "threadfold";
 *
 * try {
 *   addMessages([], removeMessage("zz"));
 * } catch (error) {
 *   console.log(error instanceof ThreadfoldError && error.code); // UNKNOWN_MESSAGE
 * }
 * ```
 */
export class ThreadfoldError extends Error {
  override readonly name = "ThreadfoldError";
  readonly code: ThreadfoldErrorCode;
  /** The HTTP status of the response, if the code is `BAD_RESPONSE`. */
  declare readonly status?: number;
  /** The server's own word for what went wrong, such as the `code` of AG-UI's RUN_ERROR. */
  declare readonly serverCode?: string | number;

  constructor(
    code: ThreadfoldErrorCode,
    message: string,
    options?: ErrorOptions & { status?: number | undefined; serverCode?: string | number | undefined },
  ) {
    super(message, options);
    this.code = code;
    if (options?.status !== undefined) this.status = options.status;
    if (options?.serverCode !== undefined) this.serverCode = options.serverCode;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Returns the error as JSON, which would leave out an Error's message. */
  toJSON(): {
    name: string;
    code: ThreadfoldErrorCode;
    message: string;
    status?: number;
    serverCode?: string | number;
  } {
    const { name, code, message, status, serverCode } = this;
    return {
      name,
      code,
      message,
      ...(status !== undefined && { status }),
      ...(serverCode !== undefined && { serverCode }),
    };
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    try {
      return typeof value === "object" && value !== null && brand in value;
    } catch {
      // A proxy that will not be asked.
      return false;
    }
  }
}

/** Makes an error for the core. */
export function coreError(code: ThreadfoldErrorCode, message: string, options?: ErrorOptions): ThreadfoldError {
  return new ThreadfoldError(code, message, options);
}
