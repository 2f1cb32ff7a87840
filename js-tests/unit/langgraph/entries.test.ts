// Each protocol's entry works without the peer, which an entry of its own needs; a class has one copy.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { foldAgUi } from "threadfold/ag-ui";
import * as client from "threadfold/ag-ui/client";
import * as langgraph from "threadfold/langgraph";
import * as core from "threadfold/langgraph/core";
import { expect, test } from "vitest";

const fileOf = (specifier: string): string => createRequire(import.meta.url).resolve(specifier);
const textsOf = (specifier: string): string[] => {
  const file = fileOf(specifier);
  return [file, file.replace(/\.cjs$/, ".js")].map((path) => readFileSync(path, "utf8"));
};
/** Returns the imports of an entry in both builds. */
const importsOf = (specifier: string): string[] =>
  textsOf(specifier).flatMap((text) =>
    [...text.matchAll(/(?:\bfrom|\brequire\()\s*"([^"]+)"/g)].map(([, imported]) => String(imported)),
  );

test("threadfold/langgraph/core alone imports @langchain/core, and threadfold/ag-ui/client alone @ag-ui/client", () => {
  expect(importsOf("threadfold/langgraph")).not.toContain("@langchain/core/messages");
  expect(importsOf("threadfold/langgraph/core")).toContain("@langchain/core/messages");
  expect(importsOf("threadfold/ag-ui")).not.toContain("@ag-ui/client");
  expect(importsOf("threadfold/ag-ui/client")).toContain("@ag-ui/client");
});

test("an entry with a peer exports nothing of its protocol's other entry, and imports what both use", () => {
  expect(Object.keys(core).sort()).toEqual(["graphReducer", "messagesValue"]);
  expect(Object.keys(client).sort()).toEqual(["FoldHttpAgent", "GraphAgent", "withFold"]);
  expect(langgraph).not.toHaveProperty("graphReducer");
  expect(typeof foldAgUi).toBe("function");
  expect(importsOf("threadfold/ag-ui/client")).toContain("threadfold/ag-ui");
  for (const text of textsOf("threadfold/ag-ui/client"))
    expect(/class AgUiRunner|function foldAgUi/.test(text)).toBe(false);
});

test("a page that only folds runs has nothing of @langchain/core in its bundle", async () => {
  const bundled = async (name: string, entry: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: `export { ${name} } from "${entry}";`, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: "esm",
      minify: true,
    });
    return outputFiles[0]?.text ?? "";
  };
  const page = await bundled("foldLangGraph", "threadfold/langgraph");
  expect(page).not.toContain('HumanMessage"');
  expect(await bundled("graphReducer", "threadfold/langgraph/core")).toContain('HumanMessage"');
});
