// Counts passed and failed tests, over steps of every kind.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { Complaint, root } from "./process.mjs";
import { step } from "./progress.mjs";

/** Adds up the `test result:` lines that cargo and wasm-bindgen's test runner print; names the tests that failed. */
export function fromCargo(output) {
  const failures = [...output.matchAll(/^test (.+) \.\.\. (?:FAILED|FAIL)$/gm)].map(([, name]) => name);
  const count = { passed: 0, failed: 0, failures };
  for (const [, passed, failed] of output.matchAll(/^test result: .*?(\d+) passed; (\d+) failed/gm)) {
    count.passed += Number(passed);
    count.failed += Number(failed);
  }
  return count;
}

/** Reads the file that vitest's json reporter wrote; names the tests that failed, and the files that did not load. */
export function fromVitest(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0, failures: [] };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, "utf8"));
  // A file that failed to load has no tests to count.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const failures = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages: [message = ""] }) => {
        return `${relative(root, name)}: ${fullName}: ${message.split("\n", 1)[0]}`;
      }),
  );
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    failures: [...failures, ...broken.map(({ name }) => `${relative(root, name)} did not load`)],
  };
}

export class Tally {
  #rows = [];

  /**
   * Runs one step and returns whether it passed. `work` returns `{ passed, failed, failures, ok }`, the failures by name, or
   * nothing if the step counts as one test. A step that throws, or is not ok although none of its tests failed, counts as one failure.
   */
  async step(name, work) {
    const start = performance.now();
    let count;
    try {
      count = await step(name, async () => {
        const { passed, failed, failures, ok = true } = (await work()) ?? { passed: 1, failed: 0 };
        const result = { passed, failed: failed === 0 && !ok ? 1 : failed, failures };
        if (result.failed > 0) throw new Failed(result);
        return result;
      });
    } catch (error) {
      count = error instanceof Failed ? error.count : { passed: 0, failed: 1 };
      if (!(error instanceof Failed)) console.error(error instanceof Complaint ? `  ${error.message}` : error);
    }
    this.#rows.push({ name, ...count, seconds: ((performance.now() - start) / 1000).toFixed(1) });
    return count.failed === 0;
  }

  /** Counts a step as failed because an earlier one failed. */
  skip(name) {
    this.#rows.push({ name: `${name} (not run)`, passed: 0, failed: 1, seconds: "0.0" });
  }

  /** Prints the table, the names of failures and, as the last line, the sum; sets the exit code. */
  report() {
    const width = Math.max(4, ...this.#rows.map(({ name }) => name.length));
    const line = (name, ...cells) =>
      console.log(name.padEnd(width) + cells.map((cell) => String(cell).padStart(9)).join(""));
    console.log();
    line("step", "passed", "failed", "seconds");
    for (const { name, passed, failed, seconds } of this.#rows) line(name, passed, failed, seconds);
    const sum = (key) => this.#rows.reduce((total, row) => total + row[key], 0);
    if (sum("failed") > 0) process.exitCode = 1;
    console.log();
    for (const { name, failed, failures = [] } of this.#rows) {
      if (failed > 0) for (const failure of failures.length > 0 ? failures : [name]) console.log(`failed: ${failure}`);
    }
    console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  }
}

class Failed extends Error {
  constructor(count) {
    super("failed");
    this.count = count;
  }
}
