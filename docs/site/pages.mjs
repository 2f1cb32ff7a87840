// The pages of the site by kind, in the sidebar's order; the paths are from docs/. A page has the name of its heading.

/** @type {readonly { readonly text: string, readonly pages: readonly string[] }[]} */
export const KINDS = [
  {
    text: "Start",
    pages: [
      "../README.md",
      "start.md",
      "start-agent.md",
      "start-copilotkit.md",
      "../examples/rust-service/README.md",
      "../examples/README.md",
    ],
  },
  {
    text: "Guides: a page",
    pages: [
      "runner.md",
      "react.md",
      "frameworks.md",
      "tools.md",
      "sub-agents.md",
      "files-and-todos.md",
      "threads.md",
      "persistence.md",
      "connection.md",
      "long-threads.md",
      "testing.md",
      "devtools.md",
      "react-native.md",
    ],
  },
  { text: "Guides: moving", pages: ["from-use-stream.md", "from-http-agent.md", "from-use-chat.md"] },
  {
    text: "Guides: an agent",
    pages: [
      "agent.md",
      "agent-files.md",
      "context.md",
      "graph.md",
      "checkpoints.md",
      "serve.md",
      "serve-langgraph.md",
      "auth.md",
      "many-machines.md",
      "rust.md",
      "rust-page.md",
    ],
  },
  {
    text: "Reference",
    pages: [
      "errors.md",
      "options.md",
      "contract.md",
      "protocols.md",
      "langgraph-sync.md",
      "packaging.md",
      "command-line.md",
      "../CHANGELOG.md",
    ],
  },
  { text: "Why", pages: ["../DESIGN.md", "differences.md", "figures.md", "development.md"] },
];

/** Pages without a place in the sidebar. */
export const FURTHER = ["README.md"];

/** The page's address on the site, without `.md`, of a path from docs/. */
export function addressOf(path) {
  if (path === "README.md") return "index";
  if (path === "../README.md") return "readme";
  if (path === "../examples/README.md") return "examples/index";
  const example = /^\.\.\/examples\/([^/]+)\/README\.md$/.exec(path)?.[1];
  if (example) return `examples/${example}`;
  return path
    .replace(/^\.\.\//, "")
    .replace(/\.md$/, "")
    .toLowerCase();
}
