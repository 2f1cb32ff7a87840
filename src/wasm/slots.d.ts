/** A number for a value, for the call under way: 0 for `undefined`. */
export function hold(value: unknown): number;
/** The value with this number. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the core answers is what its caller says it is
export function value(handle: number): any;
/**
 * Calls the core: `entry` holds values, gives their numbers to an entry point, and returns what comes of it. Throws what
 * went wrong. `used` is the object of the core's that is asked: it can be used again whatever happens.
 */
export function call<T>(entry: () => T, used?: object): T;
/** The values of an object of the core's that lives longer than a call. */
export class Arena {
  /** As {@link call}; what the object holds at the end is there in the next call, when `keep` has it say what that is. */
  call<T>(entry: () => T, keep?: () => void, used?: object): T;
}
/** A number for something that the core holds on to by itself. */
export function root(value: { reducer: Function; initial: Function | undefined }): number;
/** Says that the wasm is there, and what makes errors. */
export function begin(exports: object, make: (code: never, message: string, options?: ErrorOptions) => Error): void;
