/**
 * The method by which a thread takes the place of a saved one. One symbol for all copies of this module: the entries of
 * the protocols have one each.
 */
export const BECOME: unique symbol = Symbol.for("threadfold.become") as never;
