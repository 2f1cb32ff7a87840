// The documentation in the demo site: `npm start` builds it beside the server that serves it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createServer } from "vite";
import { docs } from "../../../www/docs.js";

const root = mkdtempSync(join(tmpdir(), "threadfold-docs-"));
const publicDir = join(root, "public");
writeFileSync(join(root, "index.html"), "<title>The demo</title>");
const server = await createServer({
  root,
  publicDir,
  configFile: false,
  logLevel: "silent",
  plugins: [docs()],
  server: { port: 0, watch: null },
});
await server.listen();
const address = server.resolvedUrls?.local[0] ?? "";
const look = async (path: string) => {
  const response = await fetch(`${address}${path}`);
  return [response.status, await response.text()] as const;
};

afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

test("pages that are built after the server has started are served, and until then a page that says so", async () => {
  expect(await look("docs")).toEqual([503, expect.stringContaining("is being built")]);
  mkdirSync(join(publicDir, "docs"), { recursive: true });
  writeFileSync(join(publicDir, "docs", "index.html"), "<title>All pages</title>");
  expect(await look("docs")).toEqual([200, "<title>All pages</title>"]);
  expect(await look("docs/nothing.html")).toEqual([404, expect.stringContaining("no such page")]);
  expect(await look("index.html")).toEqual([200, expect.stringContaining("The demo")]);
});
