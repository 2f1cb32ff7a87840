// The site's generator, VitePress. docs/build.mjs has written its pages into src/.
import GithubSlugger from "github-slugger";
import { sidebar } from "../assemble.mjs";

/** Tables of three columns fit a phone. */
const NARROW = `@media (max-width: 640px) {
  .vp-doc th, .vp-doc td { padding: 6px; font-size: 13px; line-height: 20px }
  .vp-doc td > code, .vp-doc td a > code { padding: 1px 2px; font-size: 12px }
}`;

export default {
  title: "threadfold",
  description: "Folds agent updates into thread state: locally, at once, and in sync with the server.",
  lang: "en",
  srcDir: "src",
  outDir: "../../www/public/docs",
  base: process.env.DOCS_BASE ?? "/docs/",
  // Addresses that a program prints.
  ignoreDeadLinks: "localhostLinks",
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["style", {}, NARROW],
  ],
  markdown: {
    anchor: { slugify: (text) => new GithubSlugger().slug(text) },
    languageAlias: { mts: "ts", "rust,ignore": "rust", "rust,no_run": "rust" },
    config: ({ renderer: { rules } }) => {
      for (const rule of ["text", "code_inline"]) {
        const render = rules[rule];
        // Vue takes two braces for an expression.
        rules[rule] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
      }
      const code = rules.code_inline;
      // Long names may break where their words end, so that a table fits a phone.
      rules.code_inline = (...given) =>
        code(...given).replace(/>[^<]*</, (text) => text.replace(/[_./(]|[a-z](?=[A-Z])/g, "$&<wbr>"));
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
