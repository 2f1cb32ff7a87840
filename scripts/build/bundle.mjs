// One self-contained JavaScript file for each entry and module format.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { minify } from "terser";
import { Complaint, root } from "../process.mjs";
import { fingerprint } from "./fingerprint.mjs";
import { generated } from "./glue.mjs";
import { asBase64, printable } from "./printable.mjs";
import { uses } from "./tricks.mjs";

const source = join(root, "pkg-template", "src");

/** The entries in src/entries/, each by the name it is imported by: index is "threadfold", slim "threadfold/slim"… */
export const entries = [
  "index",
  "slim",
  "ag-ui",
  "ag-ui/client",
  "langgraph",
  "langgraph/core",
  "react",
  "persist",
  "predict",
  "tabs",
  "devtools",
  "devtools/auto",
  "devtools/react",
  "context",
  "context/offload",
  "checkpoint",
  "graph",
  "agent",
  "agent/pii",
  "agent/backends",
  "agent/skills",
  "agent/node",
  "serve",
  "serve/durable-object",
  "serve/postgres",
  "serve/redis",
];

/** How "threadfold" and "threadfold/slim" come by the wasm. The others work with the threads of "threadfold". */
const CORES = { index: "inline.ts", slim: "slim.ts" };

/**
 * The entries that others import at runtime, so that a program has each module once. The others import such an entry's
 * exports from it, by its public name. An entry that is not listed here bundles all that it uses.
 */
const IMPORTS = {
  "ag-ui": ["index"],
  "ag-ui/client": ["ag-ui", "index"],
  langgraph: ["index"],
  "langgraph/core": ["langgraph", "index"],
  persist: ["index"],
  predict: ["index"],
  tabs: ["index"],
  devtools: ["index"],
  "devtools/auto": ["devtools", "index"],
  "devtools/react": ["devtools", "index"],
  checkpoint: ["index"],
  graph: ["checkpoint", "index"],
  agent: ["graph", "context", "context/offload", "index"],
  "agent/pii": ["index"],
  "agent/backends": ["index"],
  "agent/skills": ["index"],
  "agent/node": ["index"],
  serve: ["index"],
  "serve/durable-object": ["checkpoint", "index"],
  "serve/postgres": ["index"],
  "serve/redis": ["index"],
};

/** The entries with short names within them: those of the agent half, and a tool that no user of a page loads. */
const SHORT = ["context", "context/offload", "graph", "agent", "devtools"];

/** Those of them that import its core, with the second wasm, from a file of its own: a program has it once. */
const WITH_AGENT_CORE = ["context", "graph", "agent"];

const FORMATS = [
  { extension: "js", format: "esm" },
  { extension: "cjs", format: "cjs" },
];

/** Stops the import where the wasm cannot run, before anything else there is missed. CommonJS stays strict. */
const NEEDS_WASM = {
  esm: 'if("object"!=typeof WebAssembly)throw Error("threadfold needs WebAssembly: React Native has none");',
};
NEEDS_WASM.cjs = `"use strict";${NEEDS_WASM.esm}`;

const BUNDLES = [
  { file: "cli.js", path: join(root, "pkg-template", "cli", "main.ts"), format: "esm", banner: "#!/usr/bin/env node" },
  ...entries.flatMap((entry) =>
    FORMATS.map(({ extension, format }) => ({
      file: `${entry.replaceAll("/", "-")}.${extension}`,
      entry,
      core: CORES[entry],
      banner: CORES[entry] && NEEDS_WASM[format],
      short: SHORT.includes(entry),
      agentCore: WITH_AGENT_CORE.includes(entry) ? `./agent-core.${extension}` : undefined,
      format,
    })),
  ),
  ...FORMATS.map(({ extension, format }) => ({
    file: `agent-core.${extension}`,
    agent: "inline.ts",
    banner: NEEDS_WASM[format],
    short: true,
    format,
  })),
  { file: "workerd.js", entry: "index", core: "workerd.ts", format: "esm" },
  { file: "workerd-agent-core.js", agent: "workerd.ts", short: true, format: "esm" },
  ...WITH_AGENT_CORE.map((entry) => ({
    file: `workerd-${entry}.js`,
    entry,
    short: true,
    agentCore: "./workerd-agent-core.js",
    format: "esm",
  })),
];

/** About how long a line gets: shorter ones cost more. */
const LINE = 2000;

/**
 * The imports that stay: the package itself, so that there is one core in a program, and the user's own dependencies.
 */
const EXTERNAL = [
  "./threadfold_bg.wasm",
  "./threadfold_agent_bg.wasm",
  "threadfold",
  "react",
  "rxjs",
  "@ag-ui/client",
  "@langchain/core",
  "yaml",
  "node:*",
];

/** Writes both wasms as modules of text, for the bundles that hold one. */
export function writeTexts({ core, agent }) {
  const write = (path, folder) => {
    const wasm = readFileSync(path);
    const text = { ...(uses("printable") ? printable : asBase64)(wasm), fingerprint: fingerprint(wasm) };
    writeFileSync(join(folder, "wasm-text.js"), textModule(text));
  };
  write(core, generated);
  write(agent, join(generated, "agent"));
}

/** The files of those bundles, which wait for the wasms. */
const WITH_WASM = new Set(BUNDLES.filter(({ core, agent }) => core ?? agent).map(({ file }) => file));
export const holdsWasm = (file) => WITH_WASM.has(file);

/**
 * Returns the bundles as `files`, `{ name: text }`, and the paths of the `modules` that are in them. `isWanted` chooses
 * bundles by their names.
 */
export async function bundle(isWanted) {
  const modules = new Set();
  const wanted = BUNDLES.filter(({ file }) => isWanted(file));
  const files = await Promise.all(
    wanted.map(async ({ file, path, entry, core: via, agent, agentCore: agentCoreFile, short, format, banner }) => {
      const { outputFiles, metafile } = await build({
        entryPoints: [path ?? (agent ? join(source, "core", agent) : join(source, "entries", `${entry}.ts`))],
        bundle: true,
        write: false,
        metafile: true,
        outfile: file,
        absWorkingDir: root,
        format,
        // "neutral" leaves process.env.NODE_ENV alone, for the importing program's bundler. So does "node", which also
        // lists a CJS file's exports in the way that Node can see.
        platform: format === "cjs" ? "node" : "neutral",
        mainFields: ["module", "main"],
        target: "es2022",
        // Modules loaded late use `require` then: jest, for one, does not know `import()` in CommonJS.
        supported: { "dynamic-import": format === "esm" },
        // The names of classes stay: terser then shortens those of functions alone.
        minifyIdentifiers: Boolean(short) && uses("agent names"),
        minifySyntax: true,
        minifyWhitespace: true,
        // Node prints the line that threw, which should not be the whole bundle.
        lineLimit: LINE,
        legalComments: "none",
        ...(banner && { banner: { js: banner } }),
        external: EXTERNAL,
        plugins: [
          ...(via ? [useCore(via)] : []),
          ...(agent ? [useAgentFiles] : []),
          ...(agentCoreFile ? [useAgentCore(agentCoreFile)] : []),
          ...(IMPORTS[entry] ? [useEntries(IMPORTS[entry])] : []),
          ...(short ? [namedErrors] : []),
        ],
        logLevel: "warning",
        // wasm-bindgen lists the snippet's module once for each block of imports from it.
        logOverride: { "duplicate-object-key": "silent" },
      });
      const [{ inputs }] = Object.values(metafile.outputs);
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) if (bytesInOutput > 0) modules.add(path);
      const [{ text }] = outputFiles;
      checkImports(file, text);
      const shorter = format === "esm" && !path && uses("terser") ? await minified(text, short, via) : text;
      return [file, named(shorter)];
    }),
  );
  return { files: Object.fromEntries(files), modules: [...modules] };
}

/**
 * Writes esbuild's text in fewer bytes. The names of classes stay, because errors and consoles show them, but in the agent
 * half, which is too large for that. Stack traces name methods, and functions where the entry is CommonJS: there, Node
 * finds the exports in code that never runs.
 */
async function minified(text, short, via) {
  const { code } = await minify(text, {
    module: true,
    ecma: 2022,
    // A user's bundler minifies again what imports "threadfold": functions that terser inlined pack worse then.
    compress: { reduce_funcs: Boolean(short || via) },
    // A class without a name of its own takes that of its variable.
    mangle: { toplevel: true, reserved: short ? [] : variablesOfClasses(text) },
    keep_classnames: !short,
    // The annotations by which a user's bundler drops what is not used.
    format: { max_line_len: LINE, preserve_annotations: !short },
  });
  return code;
}

const variablesOfClasses = (text) => [...text.matchAll(/\b([A-Z]\w*)\s*=\s*class\b/g)].map(([, name]) => name);

/** Errors and consoles show a class's name; esbuild calls one that refers to itself `_Name`. */
function named(text) {
  const names = [...text.matchAll(/\bclass\s+_([A-Z]\w*)/g)].map(([, name]) => name);
  if (names.length === 0) return text;
  return text.replace(new RegExp(`\\b_(${names.join("|")})\\b`, "g"), "$1");
}

const textModule = (values) =>
  Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join("");

/** Makes `#core` the given file of src/core/. */
const useCore = (file) => ({
  name: "core",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^#core$/ }, () => ({ path: join(source, "core", file) }));
  },
});

/** Makes `#agent-core`, and the errors that are in it too, the file with the agent half's core, which stays an import. */
const useAgentCore = (path) => ({
  name: "agent core",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^#agent-core$|\/(?:errors|reading)\.js$/ }, () => ({
      path,
      external: true,
      sideEffects: false,
    }));
  },
});

const publicName = (entry) => (entry === "index" ? "threadfold" : `threadfold/${entry}`);

/** Returns the exports of an entry, as `[name, path of the module that has it]`. */
function exportsOf(entry) {
  const path = join(source, "entries", `${entry}.ts`);
  return [...readFileSync(path, "utf8").matchAll(/^export \{([^}]*)\} from "(\.[^"]+)\.js";/gm)].flatMap(
    ([, names, specifier]) =>
      names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => [name, join(dirname(path), `${specifier}.ts`)]),
  );
}

/** Makes a module that one of these entries exports an import of that entry. */
const useEntries = (imported) => ({
  name: "entries",
  setup(esbuild) {
    // Of two entries that export a module, the first in the list.
    const owners = new Map(
      imported.toReversed().flatMap((entry) => exportsOf(entry).map(([, path]) => [path, publicName(entry)])),
    );
    esbuild.onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir, importer }) => {
      const owner = owners.get(join(resolveDir, path.replace(/\.js$/, ".ts")));
      if (owner && !importer.includes("generated")) return { path: owner, external: true, sideEffects: false };
    });
  },
});

/** Stops at an import of a name that the entry does not export: it would fail when a user's program starts. */
function checkImports(file, text) {
  const imports = /(?:import\s*\{([^}]*)\}\s*from\s*|\{([^}]*)\}\s*=\s*require\()"threadfold(?:\/([^"]+))?"/g;
  for (const [, esm, cjs, entry = "index"] of text.matchAll(imports)) {
    const known = new Set(exportsOf(entry).map(([name]) => name));
    const names = (esm ?? cjs).split(",").map((name) => name.trim().split(/\s+as\s+|:/)[0]);
    const unknown = names.find((name) => name !== "" && !known.has(name));
    if (unknown)
      throw new Complaint(
        `${file} imports ${unknown} from ${publicName(entry)}, which does not export it: put it into a module of its own.`,
      );
  }
}

/** Gives the class of errors back its name, which consoles show, where names are short. */
const namedErrors = {
  name: "named errors",
  setup(esbuild) {
    esbuild.onLoad({ filter: /[\\/]pkg-template[\\/]src[\\/]shared[\\/]errors\.ts$/ }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8")}
Object.defineProperty(ThreadfoldError, "name", { value: "ThreadfoldError" });`,
      loader: "ts",
    }));
  },
};

/** Makes inline.ts and workerd.ts, which instantiate a wasm, those of the agent half. */
const useAgentFiles = {
  name: "agent files",
  setup(esbuild) {
    const generatedFile = (name) => ({ path: join(generated, "agent", name) });
    esbuild.onResolve({ filter: /generated\/slots\.js$/ }, () => ({ path: join(source, "core", "agent-calls.ts") }));
    esbuild.onResolve({ filter: /generated\/(threadfold_core|wasm-text)\.js$/ }, ({ path }) =>
      generatedFile(basename(path)),
    );
    esbuild.onResolve({ filter: /threadfold_bg\.wasm$/ }, () => ({
      path: "./threadfold_agent_bg.wasm",
      external: true,
    }));
  },
};
