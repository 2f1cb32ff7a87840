// The core without its wasm: `init` of "threadfold/slim" brings it.
export * from "../../generated/slots.js";
export * from "../../generated/threadfold_core.js";
