// `node svelte-bundle.mjs client|server EXPORTS`: writes Svelte itself with a component that uses `$thread`, as a bundler
// makes it for a page or a server, to the standard output. In a process of its own: esbuild does not run within jsdom.
import { build } from "esbuild";
import { compile } from "svelte/compiler";

const CHAT = `
  <script>
    let { thread } = $props();
  </script>
  <p>{$thread.messages.map(({ content }) => content).join()} {$thread.topic ?? "none"}</p>
`;

const [generate, exports] = process.argv.slice(2);
const resolveDir = import.meta.dirname;
const svelte = {
  name: "svelte",
  setup(bundle) {
    bundle.onResolve({ filter: /^chat$/ }, () => ({ path: "chat", namespace: "svelte" }));
    bundle.onLoad({ filter: /.*/, namespace: "svelte" }, () => ({
      contents: compile(CHAT, { generate, name: "Chat" }).js.code,
      resolveDir,
    }));
  },
};
const { outputFiles } = await build({
  stdin: { contents: exports, resolveDir },
  bundle: true,
  write: false,
  format: "iife",
  globalName: "bundle",
  platform: generate === "client" ? "browser" : "node",
  conditions: generate === "client" ? ["browser"] : [],
  plugins: [svelte],
  logLevel: "warning",
});
process.stdout.write(outputFiles[0].text);
