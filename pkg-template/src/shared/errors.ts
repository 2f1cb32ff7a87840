/**
 * The codes of a {@link ThreadfoldError}. A code never changes its meaning; later versions may add codes.
 *
 * | code | what was wrong |
 * |---|---|
 * | `NULL_ARGUMENT` | a side of `addMessages` is null or missing |
 * | `INVALID_MESSAGE` | a value in none of the accepted forms of a message |
 * | `UNKNOWN_MESSAGE_REMOVED` | a removal of an id that the list does not hold |
 * | `REMOVED_AFTER_REMOVE_ALL` | the same, after a remove-all (the reference returns the removal as a message) |
 * | `UNKNOWN_MESSAGE` | text for an id that the list or thread does not hold |
 * | `INVALID_TODOS` | todos of the wrong shape; the message has a line for each problem |
 * | `PARALLEL_TODOS` | two `write_todos` calls in one model answer |
 * | `INVALID_VALUE` | an argument, option or field of the wrong shape |
 * | `CONCURRENT_UPDATE` | two writes in one super-step to a field that takes one |
 * | `TWO_OVERWRITES` | two `Overwrite`s of one field in one super-step |
 * | `NOT_INPUT` | an optimistic update of a field that is not input |
 * | `NO_INPUT` | a run's input is null |
 * | `INVALID_SCHEMA` | a field of a schema that no function of `field` made |
 * | `REDUCER_CONFLICT` | two schemas declare one field with different reducers |
 * | `INVALID_PATCH` | an operation that is not RFC 6902 |
 * | `PATCH_PATH_MISSING` | a path that leads nowhere |
 * | `PATCH_TEST_FAILED` | a `test` that does not hold |
 * | `FORBIDDEN_KEY` | a key that would reach an object's prototype |
 * | `REDUCER_FAILED` | a reducer of your own threw; its error is the `cause` |
 * | `CYCLIC_VALUE` | a value that contains itself, where it is compared or saved |
 * | `UNREADABLE_VALUE` | a value threw while it was read (a getter, a proxy); the `cause` says what |
 * | `BAD_RESPONSE` | a response that is no stream of events: an error status, a page, a body of JSON |
 * | `NO_CONNECTION` | the server could not be reached, or the connection to it broke; the `cause` says how |
 * | `STORAGE_FAILED` | the storage threw; the `cause` says why |
 * | `NO_CRYPTO` | a message without an id, where there is no `crypto` to make one with |
 * | `NOT_READY` | a call to `threadfold/slim` before its `init` |
 * | `DISPOSED` | a list, schema or thread after its `free()`, a runner after its `dispose()` |
 * | `BUSY` | a list or thread that a value it is reading uses (a getter of a message); a runner that refuses a second run |
 */
export type ThreadfoldErrorCode =
  | "NULL_ARGUMENT"
  | "INVALID_MESSAGE"
  | "UNKNOWN_MESSAGE_REMOVED"
  | "REMOVED_AFTER_REMOVE_ALL"
  | "UNKNOWN_MESSAGE"
  | "INVALID_TODOS"
  | "PARALLEL_TODOS"
  | "INVALID_VALUE"
  | "CONCURRENT_UPDATE"
  | "TWO_OVERWRITES"
  | "NOT_INPUT"
  | "NO_INPUT"
  | "INVALID_SCHEMA"
  | "REDUCER_CONFLICT"
  | "INVALID_PATCH"
  | "PATCH_PATH_MISSING"
  | "PATCH_TEST_FAILED"
  | "FORBIDDEN_KEY"
  | "REDUCER_FAILED"
  | "CYCLIC_VALUE"
  | "UNREADABLE_VALUE"
  | "BAD_RESPONSE"
  | "NO_CONNECTION"
  | "STORAGE_FAILED"
  | "NO_CRYPTO"
  | "NOT_READY"
  | "DISPOSED"
  | "BUSY";

const brand = Symbol.for("threadfold.error");

/**
 * The one error that threadfold throws. What you wanted to change is as it was before.
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
 *   console.log(error instanceof ThreadfoldError && error.code); // UNKNOWN_MESSAGE_REMOVED
 * }
 * ```
 */
export class ThreadfoldError extends Error {
  override readonly name = "ThreadfoldError";
  readonly code: ThreadfoldErrorCode;
  /** The HTTP status of the answer, if the code is `BAD_RESPONSE`. */
  declare readonly status?: number;

  constructor(code: ThreadfoldErrorCode, message: string, options?: ErrorOptions & { status?: number | undefined }) {
    super(message, options);
    this.code = code;
    if (options?.status !== undefined) this.status = options.status;
    Object.defineProperty(this, brand, { value: true });
  }

  /** As JSON, which leaves out an Error's own message otherwise. */
  toJSON(): { name: string; code: ThreadfoldErrorCode; message: string; status?: number } {
    const { name, code, message, status } = this;
    return { name, code, message, ...(status !== undefined && { status }) };
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
