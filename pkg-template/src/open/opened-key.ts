/** The key of the conversations that are open on this page. One symbol for all copies of this module. */
export const OPENED: unique symbol = Symbol.for("threadfold.opened") as never;
