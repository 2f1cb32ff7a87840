// The demo page, built as it is published and served with its agent.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";

const root = fileURLToPath(new URL("../../../www", import.meta.url));

/** @returns {Promise<{ address: string, close(): Promise<void> }>} */
export async function serveDemo() {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-demo-"));
  /** @type {import("vite").InlineConfig} */
  const options = { root, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } };
  await build(options);
  const server = await preview({ ...options, preview: { host: "127.0.0.1", port: 0, strictPort: true } });
  return {
    address: server.resolvedUrls?.local[0] ?? "",
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
