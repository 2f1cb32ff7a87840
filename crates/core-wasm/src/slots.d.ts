/** Returns a number for a value, for the call under way: 0 for `undefined`. */
export function hold(value: unknown): number;
/** Returns the value with this number. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the core answers is what its caller says it is
export function value(handle: number): any;
/**
 * Calls the core: `entry` stores values, passes their numbers to an entry point, and returns its result. Throws any
 * error. `used` is the core's object being called: it stays usable in any case.
 */
export function call<T>(entry: () => T, used?: object): T;
/** The values of a core object that outlives a call. */
export class Arena {
  /**
   * @param mostMade - How many items of lists may be garbage before it is collected, at least. To collect takes a pass over
   *   all values that the object holds; not to, has the engine copy the lists when it collects its young objects.
   */
  constructor(mostMade: number);
  /** {@link call}, keeping what the object holds at the end for the next call: `keep` moves its values from a number on. */
  call<T>(entry: () => T, keep?: (young: number) => void, used?: object): T;
}
/** Returns a number for a value that the core itself holds. */
export function root(value: { reducer: Function; initial: Function | undefined }): number;
/** Registers the wasm, and the function that makes errors. */
export function begin(exports: object, make: (code: never, message: string, options?: ErrorOptions) => Error): void;
