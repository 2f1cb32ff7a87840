// Runs the functions that a wasm marks with #[wasm_bindgen_test]: in Node and, the same file, in a page. Stands in for
// wasm-bindgen's own runner, which takes three minutes to compile and at times hangs in Chromium.

/** The exports of wasm-bindgen-test that are tests. */
const TEST = /^__wbgt_/;

/**
 * Runs the tests in `glue`, the module that xtask wrote, over `wasm`: bytes or a compiled module. Resolves to true if all
 * passed. `prepare` gets the glue once the wasm has started.
 */
export async function runTests(glue, wasm, prepare = () => {}) {
  glue.initSync({ module: wasm });
  prepare(glue);
  const tests = Object.entries(glue.__wasm).filter(([name]) => TEST.test(name));
  if (tests.length === 0) throw new Error("The wasm has no test.");
  // wasm-bindgen-test runs each test through it.
  globalThis.__wbg_test_invoke = (test) => test();
  const context = new glue.WasmBindgenTestContext(false);
  return context.run(tests.map(([, test]) => test));
}
