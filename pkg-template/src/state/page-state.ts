// Fields that a team's own wasm folds, by the reducers of its Rust state.
import { share } from "../../generated/sharing.js";
import { development } from "../shared/development.js";
import { ThreadfoldError } from "../shared/errors.js";

/**
 * A state that a wasm of your own folds: the class that `page!` of the crate `threadfold-page` exports. `F` is its
 * fields, for {@link Schema}.
 */
export interface PageState<F> {
  fields(): readonly { readonly name: string; readonly kind: string }[];
  initial(at: number): unknown;
  fold(at: number, now: unknown, update: unknown): unknown;
  /** Starts the wasm anew after a panic. The module that `threadfold-page` writes has it. */
  reset?(): void;
  /** Only for the type checker: there is no such value. */
  readonly "~fields"?: F;
}

/** The size in characters of JSON from which a field is called large. It takes about a millisecond to cross. */
const LARGE = 32_768;

/** Returns a field's new value with the equal parts of its old one, also where a list has grown or shrunk in one place. */
function reused(value: unknown, known: unknown): unknown {
  if (!Array.isArray(value) || !Array.isArray(known) || value.length === known.length) return share(value, known);
  let start = 0;
  while (start < value.length && start < known.length && share(value[start], known[start]) === known[start]) start++;
  return value.map((item, at) => share(item, known[at < start ? at : at + known.length - value.length]));
}

/** Returns an error that names its field. A panic does so itself; a getter of the caller's, or a trap, does not. */
function placed(error: unknown, name: string): unknown {
  const says = String((error as Error)?.message ?? error);
  if (says.startsWith(`${name}: `)) return error;
  const remedy = "Pass plain data without cycles; a reducer must end.";
  return new Error(`${name}: ${says.replace(/\.?$/, ".")} ${remedy}`, { cause: error });
}

/** Returns the fields of a page's state as `defineSchema` takes them. */
export function pageFields<F>(page: PageState<F>): F {
  if (typeof page?.fold !== "function") {
    throw new ThreadfoldError("INVALID_ARGUMENT", "defineSchema.from(state): expected the class that page! exports.");
  }
  let calls = 0;
  let broken = false;
  const fields = page.fields().map(({ name, ...declared }, at) => {
    if (!/^re|^ap/.test(declared.kind)) return [name, declared];
    let warns = development;
    const reducer = (now: unknown, update: unknown): unknown => {
      calls++;
      try {
        const folded = reused(page.fold(at, now, update), now);
        if (warns && JSON.stringify(folded).length > LARGE) {
          warns = false;
          console.warn(
            `Field '${name}' is large, and each update copies it. Split it, or use a reducer such as Append.`,
          );
        }
        return folded;
      } catch (error) {
        if ((error as Error)?.name === "StateError") throw error;
        // Any other error has left the wasm halfway.
        broken = true;
        throw placed(error, name);
      } finally {
        // A getter in the update may have come here, too.
        if (--calls === 0 && broken) {
          broken = false;
          try {
            page.reset?.();
          } catch {
            // The error before is the one to throw. The next call resets again.
            broken = true;
          }
        }
      }
    };
    return [name, { ...declared, reducer, default: () => page.initial(at) }];
  });
  return Object.fromEntries(fields) as F;
}
