// The project's README as a page of the demo, made when the page is served or built.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";
import { gfmHeadingId } from "marked-gfm-heading-id";
import type { Plugin } from "vite";

const root = new URL("../", import.meta.url);
const file = fileURLToPath(new URL("README.md", root));

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
      // In the page itself, as its file is not part of this site.
      image({ href, text }) {
        const data = readFileSync(new URL(href, root)).toString("base64");
        return `<img src="data:image/webp;base64,${data}" alt="${text}" style="max-width: 100%" />`;
      },
      // Files beside the README are not part of this site.
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return /^(#|https?:)/.test(href) ? `<a href="${encodeURI(href)}">${text}</a>` : text;
      },
    },
  });
  return marked.parse(readFileSync(file, "utf8"), { async: false });
}
