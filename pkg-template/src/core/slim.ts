// The core without its wasm: `init` of "threadfold/slim" brings it.
import { begin } from "../../generated/slots.js";
import { coreError, ThreadfoldError } from "../errors.js";

/** In the place of the wasm, until it is there: the first that a call asks of it is told. */
const missing = new Proxy(
  {},
  {
    get() {
      throw new ThreadfoldError(
        "NOT_READY",
        "threadfold/slim has no wasm yet: call init first, and await it for an address.",
      );
    },
  },
);
begin(missing as never, coreError);

export * from "../../generated/slots.js";
export * from "../../generated/threadfold_core.js";
