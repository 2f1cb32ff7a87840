// "threadfold/slim": the same API without the inlined wasm, for pages that serve the .wasm as a file of its own.
export * from "./index.js";
export { init } from "../core/init.js";
