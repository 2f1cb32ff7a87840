// The core for workerd, which compiles no wasm at run time but imports it compiled.
import { begin } from "../../generated/slots.js";
import { initSync } from "../../generated/threadfold_core.js";
import { coreError } from "../shared/errors.js";
import module from "./threadfold_bg.wasm";

begin(initSync({ module }), coreError);

export * from "../../generated/slots.js";
export * from "../../generated/threadfold_core.js";
