// What the two entries need: graphs of langgraph.js need @langchain/core, pages that fold runs do not.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as events from "threadfold/langgraph/events";
import * as all from "threadfold/langgraph";
import { expect, test } from "vitest";

const fileOf = (specifier: string): string => createRequire(import.meta.url).resolve(specifier);

test("threadfold/langgraph/events has all but the reducer of graphs, and does without @langchain/core", () => {
  expect(Object.keys(all).sort()).toEqual([...Object.keys(events), "graphReducer", "messagesValue"].sort());
  expect(all.foldRun).toBe(events.foldRun);
  const file = fileOf("threadfold/langgraph/events");
  for (const path of [file, file.replace(/\.cjs$/, ".js")])
    expect(readFileSync(path, "utf8")).not.toContain('"@langchain/');
});

test("a page that only folds runs has nothing of @langchain/core in its bundle", async () => {
  const bundled = async (name: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: `export { ${name} } from "threadfold/langgraph";`, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: "esm",
      minify: true,
    });
    return outputFiles[0]?.text ?? "";
  };
  const page = await bundled("foldRun");
  expect(page).not.toContain('HumanMessage"');
  expect(await bundled("graphReducer")).toContain('HumanMessage"');
});
