// The core without its wasm: `init` of "threadfold/slim" provides it.
import { begin } from "../../generated/slots.js";
import { coreError, ThreadfoldError } from "../shared/errors.js";

/** Stands in for the wasm until `init` runs: the first call throws. */
const missing = new Proxy(
  {},
  {
    get() {
      throw new ThreadfoldError(
        "NOT_READY",
        "threadfold/slim has no wasm yet: call init first, and await what it returns.",
      );
    },
  },
);
begin(missing as never, coreError);

export * from "../../generated/slots.js";
export * from "../../generated/threadfold_core.js";
