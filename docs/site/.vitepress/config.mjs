// The site's generator, VitePress. docs/build.mjs has written its pages into src/.
import GithubSlugger from "github-slugger";
import { sidebar } from "../assemble.mjs";

export default {
  title: "threadfold",
  description: "Folds agent updates into thread state: locally, at once, and in sync with the server.",
  lang: "en",
  srcDir: "src",
  outDir: "../../www/public/docs",
  base: process.env.DOCS_BASE ?? "/docs/",
  // Addresses that a program prints.
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    anchor: { slugify: (text) => new GithubSlugger().slug(text) },
    languageAlias: { mts: "ts", "rust,ignore": "rust", "rust,no_run": "rust" },
    config: ({ renderer: { rules } }) => {
      for (const rule of ["text", "code_inline"]) {
        const render = rules[rule];
        // Vue takes two braces for an expression.
        rules[rule] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
      }
    },
  },
  themeConfig: {
    nav: [
      { text: "Demo", link: "/../", target: "_self" },
      { text: "Start", link: "/start" },
      { text: "API", link: "/api/index" },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: "local",
      // Guides come before the API, where both have the words. The page gets this function as text.
      options: { miniSearch: { searchOptions: { boostDocument: (page) => (page.includes("/api/") ? 0.3 : 1) } } },
    },
  },
};
