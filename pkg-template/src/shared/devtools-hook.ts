/** The key of the function that devtools put on the page. One symbol for all copies of this module. */
export const DEVTOOLS: unique symbol = Symbol.for("threadfold.devtools") as never;

type Page = { [DEVTOOLS]?: ((made: object) => void) | undefined };

/** Shows a new thread or runner to the page's devtools, if there are any. */
export const showDevtools = (made: object): void => (globalThis as Page)[DEVTOOLS]?.(made);
