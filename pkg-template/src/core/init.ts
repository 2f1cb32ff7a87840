import { begin } from "../../generated/slots.js";
import { initSync } from "../../generated/threadfold_core.js";
import { fingerprint } from "../../generated/wasm-text.js";
import { coreError, ThreadfoldError } from "../shared/errors.js";

/** A `WebAssembly.Module`, which has no name in a program without the types of the DOM. */
type CompiledModule = object;

/**
 * Loads the wasm of "threadfold/slim", the file `threadfold/threadfold_bg.wasm`. Call it once, before anything else of
 * that entry.
 *
 * Returns at once for bytes and a compiled module. For an address or a response it returns a promise: await it.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for another wasm than this version's, such as one that a cache has
 *   kept; `BAD_RESPONSE` when the server refuses. A promise rejects with them.
 */
export function init(source: string | URL | Request | Response | Promise<Response>): Promise<void>;
export function init(source: ArrayBuffer | ArrayBufferView | CompiledModule): void;
export function init(source: string | CompiledModule): void | Promise<void> {
  return isCode(source) ? start(source) : compiled(source as string | Response).then(start);
}

type Code = BufferSource | WebAssembly.Module;

const isCode = (source: unknown): source is Code =>
  source instanceof WebAssembly.Module || source instanceof ArrayBuffer || ArrayBuffer.isView(source);

async function compiled(source: string | URL | Request | Response | Promise<Response>): Promise<Code> {
  const isAddress = typeof source === "string" || source instanceof URL || source instanceof Request;
  const came: unknown = await (isAddress ? fetch(source) : source);
  if (isCode(came)) return came;
  const answer = came as unknown as Response;
  const { ok, status, headers } = answer;
  if (!ok)
    throw new ThreadfoldError("BAD_RESPONSE", `The wasm was not to be had: the server answered ${status}.`, { status });
  // Under any other type browsers refuse to compile it as it comes.
  return headers.get("content-type") === "application/wasm"
    ? WebAssembly.compileStreaming(answer)
    : WebAssembly.compile(await answer.arrayBuffer());
}

function start(code: Code): void {
  const module = code instanceof WebAssembly.Module ? code : new WebAssembly.Module(code);
  const [own] = WebAssembly.Module.customSections(module, "threadfold");
  if (!own || new TextDecoder().decode(own) !== fingerprint)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "The wasm is of another version than threadfold/slim: serve the threadfold_bg.wasm of the same package, and mind caches.",
    );
  begin(initSync({ module }), coreError);
}
