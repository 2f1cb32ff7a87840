// The project's README as a page of the demo, and links to its sections, made when the page is served or built.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";
import { getHeadingList, gfmHeadingId } from "marked-gfm-heading-id";
import type { Plugin } from "vite";

const file = fileURLToPath(new URL("../README.md", import.meta.url));

export function readme(): Plugin {
  return {
    name: "readme",
    transformIndexHtml: {
      order: "post",
      handler: (page) => {
        const { html, links } = render();
        return page.replace("<!-- readme links -->", () => links).replace("<!-- readme -->", () => html);
      },
    },
    configureServer: (server) => {
      server.watcher.add(file);
      server.watcher.on("change", (changed) => {
        if (changed === file) server.hot.send({ type: "full-reload" });
      });
    },
  };
}

function render(): { html: string; links: string } {
  if (!existsSync(file)) return { html: "<p>There is no README yet.</p>", links: "" };
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      // Files beside the README are not part of this site.
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return /^(#|https?:)/.test(href) ? `<a href="${encodeURI(href)}">${text}</a>` : text;
      },
    },
  });
  const html = marked.parse(readFileSync(file, "utf8"), { async: false });
  const links = getHeadingList()
    .filter(({ level }) => level === 2)
    .map(({ id, text }) => `<a href="./readme.html#${id}">${text}</a>`)
    .join("\n");
  return { html, links };
}
