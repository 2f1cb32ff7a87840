// Runs the tests of a wasm that xtask has bound: in Node and, the same file, in a page. tests/boundary exports what it calls.

/** Runs the tests in `glue`, the module, over `wasm`, the bytes or a compiled module. True if all passed. */
export function runTests({ initSync, testName, runTest }, wasm) {
  initSync({ module: wasm });
  const failed = [];
  let count = 0;
  for (let name; (name = testName(count)) !== undefined; count++) {
    try {
      runTest(count);
      console.log(`test ${name} ... ok`);
    } catch (error) {
      console.log(`${error.stack}\ntest ${name} ... FAILED`);
      failed.push(name);
    }
  }
  if (count === 0) throw new Error("the wasm has no test");
  console.log(`\ntest result: ${count - failed.length} passed; ${failed.length} failed`);
  return failed.length === 0;
}
