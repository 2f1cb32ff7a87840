// The removal of messages, as the default entry makes it: importing that would take its wasm along.
export const REMOVE_ALL_MESSAGES = "__remove_all__";

export const removeMessage = (id: string) => ({ type: "remove", id });
