// The project's README as a page of the demo, made when the page is served or built.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";
import { gfmHeadingId } from "marked-gfm-heading-id";
import type { Plugin } from "vite";

const file = fileURLToPath(new URL("../README.md", import.meta.url));

export function readme(): Plugin {
  return {
    name: "readme",
    transformIndexHtml: {
      order: "post",
      handler: (page) => page.replace("<!-- readme -->", render),
    },
    configureServer: (server) => {
      server.watcher.add(file);
      server.watcher.on("change", (changed) => {
        if (changed === file) server.hot.send({ type: "full-reload" });
      });
    },
  };
}

function render(): string {
  if (!existsSync(file)) return "<p>There is no README yet.</p>";
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      // Files beside the README are not part of this site.
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return /^(#|https?:)/.test(href) ? `<a href="${encodeURI(href)}">${text}</a>` : text;
      },
    },
  });
  return marked.parse(readFileSync(file, "utf8"), { async: false });
}
