// Runs the tests of a wasm that xtask has bound: in Node and, the same file, in a page. What it calls is what
// wasm-bindgen-test expects of its runner, and that of the exact version in Cargo.toml.

/** Runs the tests in `glue`, the module, over `wasm`, the bytes or a compiled module. True if all passed. */
export async function runTests(glue, wasm) {
  globalThis.__wbg_test_invoke = (test) => test();
  globalThis.__wbgtest_og_console_log = console.log;
  const { initSync, WasmBindgenTestContext } = glue;
  initSync({ module: wasm });
  const own = { ...console };
  // What a test writes is shown if it fails.
  for (const method of ["debug", "log", "info", "warn", "error"])
    console[method] = (...args) => glue[`__wbgtest_console_${method}`](args);
  const tests = Object.entries(glue.__wasm)
    .filter(([name]) => name.startsWith("__wbgt_"))
    .map(([, test]) => test);
  if (tests.length === 0) throw new Error("the wasm exports no test");
  try {
    return await new WasmBindgenTestContext(false).run(tests);
  } finally {
    Object.assign(console, own);
  }
}
