// The documentation that `npm run docs` builds into public/docs, at /docs/ on the page's server.
import { existsSync } from "node:fs";
import { join } from "node:path";
import sirv from "sirv";
import type { Connect, Plugin, ViteDevServer } from "vite";

const UNBUILT = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="3"><title>Documentation</title>
<p>The documentation is being built. This page shows it as soon as it is there.</p>
<p>If nobody builds it: <code>npm run docs</code>.</p>`;

function attach({ middlewares }: { middlewares: Connect.Server }): void {
  middlewares.use((request, response, next) => {
    if (!/^\/docs\/?$/.test(request.url ?? "")) return next();
    response.writeHead(302, { location: "/docs/index.html" }).end();
  });
}

/** Vite knows only the public files that exist at its start, and the documentation may be built later. */
function serve(server: ViteDevServer): void {
  attach(server);
  const folder = join(server.config.publicDir, "docs");
  server.middlewares.use("/docs", sirv(folder, { dev: true }));
  server.middlewares.use("/docs", (_, response) => {
    const isBuilt = existsSync(join(folder, "index.html"));
    response.writeHead(isBuilt ? 404 : 503, { "content-type": "text/html; charset=utf-8" });
    response.end(isBuilt ? "<!doctype html><title>Not found</title><p>There is no such page." : UNBUILT);
  });
}

export const docs = (): Plugin => ({ name: "docs", configureServer: serve, configurePreviewServer: attach });
