// "threadfold/context": what a model is sent of a conversation.
export { safeCuts, SafeCuts } from "../context/safe-cuts.js";
