// The files of the app that `threadfold init` writes: made of the package's templates and of its examples.
import { readFileSync } from "node:fs";
import type { Dict } from "./read.js";

/** How wide a line of JSON gets that several entries share, and one that is an entry. */
const WIDTH = 110;
const LONGEST = 150;

/** How the page talks to its agent. */
export const PROTOCOLS = {
  "ag-ui": "an agent over AG-UI",
  langgraph: "a LangGraph server",
  "in-page": "an agent in the page",
} as const;

export const FRAMEWORKS = { react: "React", vue: "Vue", svelte: "Svelte", solid: "Solid", plain: "none" } as const;

export interface App {
  /** The package's name, and the page's title. */
  readonly name: string;
  readonly protocol: keyof typeof PROTOCOLS;
  readonly framework: keyof typeof FRAMEWORKS;
}

interface Parts {
  /** The example with the same packages and the same configuration. */
  readonly example: string;
  /** The files of that example, which are the app's too. */
  readonly shared: readonly string[];
  /** The files of the framework's template, which go to src/. */
  readonly own: readonly string[];
  readonly main: string;
  readonly jsx?: Dict;
}

const PARTS: Readonly<Record<App["framework"], Parts>> = {
  react: {
    example: "react-ag-ui",
    shared: ["vite.config.js", "src/main.tsx"],
    own: ["chat.tsx"],
    main: "main.tsx",
    jsx: { jsx: "react-jsx" },
  },
  vue: {
    example: "vue",
    shared: ["vite.config.js", "src/main.ts", "src/use-store.ts"],
    own: ["Chat.vue", "Message.vue"],
    main: "main.ts",
  },
  svelte: {
    example: "svelte",
    shared: ["vite.config.js", "src/main.ts"],
    own: ["Chat.svelte", "Message.svelte", "use-store.ts"],
    main: "main.ts",
  },
  solid: {
    example: "solid",
    shared: ["vite.config.js", "src/main.tsx", "src/use-store.ts"],
    own: ["chat.tsx"],
    main: "main.tsx",
    jsx: { jsx: "preserve", jsxImportSource: "solid-js" },
  },
  plain: { example: "web-worker", shared: [], own: ["main.ts"], main: "main.ts" },
};

/** Returns the app's files by their paths. */
export function filesOf({ name, protocol, framework }: App): ReadonlyMap<string, string> {
  const { example, shared, own, main, jsx } = PARTS[framework];
  const ofExample = (path: string) => textAt(`examples/${example}/${path}`);
  const compilerOptions = {
    ...{
      strict: true,
      target: "es2022",
      module: "esnext",
      moduleResolution: "bundler",
      types: ["vite/client"],
      noEmit: true,
    },
    ...jsx,
  };
  return new Map([
    ["package.json", json(manifest(name, JSON.parse(ofExample("package.json")) as Manifest))],
    ["tsconfig.json", json({ compilerOptions, include: ["src"] })],
    [".gitignore", "node_modules\ndist\n"],
    ["index.html", html(name, main)],
    ...shared.map((path) => [path, ofExample(path)] as const),
    ["src/agent.ts", textAt(`templates/agents/${protocol}.ts`)],
    ...own.map((path) => {
      const text = textAt(`templates/${framework}/${path}`);
      // LangChain's messages have a type instead of a role.
      return [`src/${path}`, protocol === "langgraph" ? text.replaceAll(".role", ".type") : text] as const;
    }),
  ]);
}

/** A file of the package. */
const textAt = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

interface Manifest {
  readonly scripts: Dict;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The example's packages, in the versions that it is tested with, or later ones. */
function manifest(name: string, { scripts, dependencies, devDependencies }: Manifest): object {
  const ranges = (versions: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, range(name, version)]));
  return {
    name,
    private: true,
    type: "module",
    scripts: { dev: "vite", build: scripts["build"], preview: "vite preview" },
    dependencies: ranges({ ...dependencies, threadfold: version() }),
    devDependencies: ranges(devDependencies),
  };
}

/** TypeScript's minor versions break, too. */
const range = (name: string, version: string) => `${name === "typescript" ? "~" : "^"}${version}`;

const version = (): string => (JSON.parse(textAt("package.json")) as { version: string }).version;

const html = (title: string, main: string) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>${title}</title>
  <link rel="icon" href="data:," />
  <div id="root"></div>
  <script type="module" src="/src/${main}"></script>
</html>
`;

/** JSON in few lines: an entry takes one, and a long one as many as its own entries fill. */
function json(value: object): string {
  const lines = entriesOf(value).map(({ key, entry, inLine }) => {
    if (inLine.length <= LONGEST) return `  ${key}: ${inLine}`;
    const filled = entriesOf(entry as object).reduce<string[]>((lines, { key, inLine }) => {
      const last = lines.at(-1);
      const next = `${key}: ${inLine}`;
      return last !== undefined && last.length + next.length < WIDTH
        ? [...lines.slice(0, -1), `${last}, ${next}`]
        : [...lines, next];
    }, []);
    return `  ${key}: {\n    ${filled.join(",\n    ")}\n  }`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

const entriesOf = (value: object) =>
  Object.entries(value).map(([name, entry]) => ({
    key: JSON.stringify(name),
    entry: entry as unknown,
    inLine: JSON.stringify(entry, undefined, 1)
      .replace(/\n\s*/g, " ")
      .replace(/(?<=\[) | (?=\])/g, ""),
  }));
