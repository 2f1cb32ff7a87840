// The documentation that `npm run docs` builds into public/docs, at /docs/ in whatever serves the page.
import type { Connect, Plugin } from "vite";

export function docs(): Plugin {
  const attach = ({ middlewares }: { middlewares: Connect.Server }) => {
    middlewares.use((request, response, next) => {
      if (!/^\/docs\/?$/.test(request.url ?? "")) return next();
      response.writeHead(302, { location: "/docs/index.html" }).end();
    });
  };
  return { name: "docs", configureServer: attach, configurePreviewServer: attach };
}
