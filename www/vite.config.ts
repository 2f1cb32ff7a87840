import { defineConfig } from "vite";
import { docs } from "./docs.ts";
import { readme } from "./readme.ts";
import { agentServer } from "./server/plugin.mjs";

// Also under `npm run dev`: development builds freeze every snapshot and check every element, and the figures that the page
// measures are not about that. Vite bundles React by this for `dev`, and the page's own code by `define`.
process.env["NODE_ENV"] = "production";

export default defineConfig({
  // Relative addresses: the built page works in any folder of any server.
  base: "./",
  plugins: [readme(), docs(), agentServer()],
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  oxc: { jsx: { runtime: "automatic", development: false } },
  worker: { format: "es" },
  // Only the chart's worker imports them, on demand: found then, they would reload the page.
  optimizeDeps: { include: ["@ag-ui/client", "rxjs"] },
  // While the docs are being written, the page would be reloaded for each of their pages.
  server: { watch: { ignored: ["**/public/docs/**"] } },
  build: {
    target: "es2022",
    rollupOptions: { input: ["index.html", "readme.html"] },
    // @ag-ui/client, which only the chart's worker loads, and only on demand.
    chunkSizeWarningLimit: 2_000,
  },
});
