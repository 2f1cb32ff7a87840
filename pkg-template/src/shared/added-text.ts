/**
 * The texts that were added last to calls' arguments, by the calls. It exists once somebody predicts a state: a slice of
 * long arguments would copy them whole for each token. One for all copies of this module.
 */
const ADDED = Symbol.for("threadfold.added");

type Texts = WeakMap<object, string>;

export const addedTexts = (): Texts | undefined => (globalThis as { [ADDED]?: Texts })[ADDED];

/** Begins to keep the texts. */
export const keepAddedTexts = (): Texts => ((globalThis as { [ADDED]?: Texts })[ADDED] ??= new WeakMap());
