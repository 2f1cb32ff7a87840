/**
 * The method by which a tab's storage says whether a thread was saved under a name, without taking its record. One symbol
 * for all copies of this module: the entries of the protocols have one each.
 */
export const HOLDS: unique symbol = Symbol.for("threadfold.holds") as never;

export interface Holding {
  [HOLDS](name: string, threadId: string | undefined): boolean | Promise<boolean>;
}
