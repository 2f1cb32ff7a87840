// The core for workerd, which compiles no wasm at run time but imports it compiled.
import { initSync } from "../../generated/threadfold_core.js";
import module from "./threadfold_bg.wasm";

initSync({ module });

export * from "../../generated/threadfold_core.js";
