// The devtools of a program without a document: they record, and show nothing.
import { build } from "esbuild";
import { Thread } from "threadfold";
import { devtools } from "threadfold/devtools/auto";
import { mountDevtools } from "threadfold/devtools";
import { expect, test } from "vitest";

test("the import is the mounting", () => {
  expect(mountDevtools()).toBe(devtools);
  const thread = new Thread();
  thread.receive({ type: "run-started", runId: "r" });
  devtools.open();
  expect(devtools.isOpen).toBe(false);
  expect(devtools.add(thread).parts.map(({ kind }) => kind)).toEqual(["start", "run-started"]);
  devtools.dispose();
});

test("a bundler keeps the import of auto, and drops devtools that nobody uses", async () => {
  const bundled = async (contents: string) => {
    const stdin = { contents, resolveDir: import.meta.dirname };
    const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "esm", external: ["node:*"] });
    return outputFiles[0]?.text.includes("threadfold-devtools");
  };
  expect(await bundled('import "threadfold/devtools/auto";')).toBe(true);
  expect(await bundled('import { mountDevtools } from "threadfold/devtools"; import "threadfold";')).toBe(false);
});
