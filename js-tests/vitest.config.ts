import { defineConfig } from "vitest/config";

/** The tests of agents, on another version of `@ag-ui/client`: all its importers, the package too, get that one. */
const onClient = (version: string) => ({
  resolve: { alias: [{ find: /^@ag-ui\/client$/, replacement: `@ag-ui/client-${version}` }] },
  test: {
    name: `node, @ag-ui/client ${version}`,
    include: [
      "unit/ag-ui/{agent-thread,callbacks,differences,drop-in,failed-and-stopped,subscribers,side-by-side}.test.ts",
    ],
    testTimeout: 120_000,
    pool: "forks" as const,
    server: { deps: { inline: [/threadfold/, /\/pkg\//] } },
  },
});

/** The tests of React, on React 18: all its importers, the package and the tests, get that one. */
const onReact18 = {
  resolve: {
    alias: [
      { find: /^(react|react-dom)(\/.*)?$/, replacement: `${import.meta.dirname}/peers/react-18/node_modules/$1$2` },
    ],
  },
  test: {
    name: "node, React 18",
    env: { REACT: "18" },
    include: ["unit/react/*.test.ts"],
    // React 18 has no actions of forms.
    exclude: ["unit/react/start-chat.test.ts"],
    testTimeout: 120_000,
    pool: "forks" as const,
    server: { deps: { inline: [/threadfold/, /\/pkg\//] } },
  },
};

/** Tests that need a process of their own: they catch the wasm as it is instantiated, or change globals. */
const ALONE = [
  "unit/devtools/**",
  "unit/checkpoint/validation.test.ts",
  "properties/memory/**",
  "unit/persist/save.test.ts",
  "properties/robust/**",
  "unit/thread/listeners.test.ts",
  "unit/runner/chat.test.ts",
  "properties/fuzz/seeds.test.ts",
  "unit/graph/alias.test.ts",
  "unit/cli/**",
  "unit/serve/{deep-agent,use-stream,use-stream-v2}.test.ts",
];

/** The files that scripts/test.mjs leaves to CI. */
const LEFT_OUT = process.env["THREADFOLD_LEFT_OUT"]?.split(" ").filter(Boolean) ?? [];

/** Measures by the clock of the CPU, whose caches it has to itself: it runs when nothing else does. */
const GROWTH = "properties/growth/growth.test.ts";

/** Tests that need a document: making a new one for each file takes longer than the tests. */
const WITH_DOM = ["unit/react/**/*.test.ts", "unit/stores/**/*.test.ts"];

/** How long a test waits for a page or a server: a loaded machine takes its time. */
const PATIENT = { expect: { poll: { timeout: 30_000 } } };

const inNode = {
  ...PATIENT,
  // In CI, which tries all there is to try, one test may take minutes.
  testTimeout: 300_000,
  pool: "forks" as const,
  // Tests of lifetimes and memory collect garbage when they want to.
  execArgv: ["--expose-gc"],
  // Node imports the package, as it does for a user: Vite need not read it.
  server: { deps: { external: [/\/pkg\//] } },
};

const inChromium = { ...PATIENT, testTimeout: 120_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      {
        test: {
          ...inNode,
          name: "node",
          include: ["**/*.test.ts"],
          exclude: [
            "hosts/browser/**",
            "hosts/demo/**",
            "hosts/consumers/**",
            "hosts/databases/**",
            "hosts/page/**",
            "hosts/rust/**",
            "hosts/servers/**",
            "**/node_modules/**",
            ...ALONE,
            ...WITH_DOM,
            ...LEFT_OUT,
            GROWTH,
          ],
          // Importing everything again for each file takes longer than many a file's tests.
          isolate: false,
        },
      },
      {
        test: {
          ...inNode,
          name: "node, alone",
          include: ALONE.map((path) => path.replace("**", "**/*.test.ts")),
          exclude: LEFT_OUT,
        },
      },
      { test: { ...inNode, name: "node, DOM", include: WITH_DOM, isolate: false } },
      { test: { ...inNode, name: "growth", include: [GROWTH] } },
      onClient("0.0.58"),
      onClient("0.0.59"),
      onReact18,
      {
        // The real servers, in Python: not part of `npm test`.
        test: {
          ...PATIENT,
          name: "servers",
          include: ["hosts/servers/**/*.test.ts"],
          globalSetup: ["hosts/servers/global-setup.ts"],
          maxConcurrency: 16,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // A team's own state, compiled as a team does it: not part of `npm test`.
        test: { ...inNode, name: "page", include: ["hosts/page/*.test.ts"], hookTimeout: 300_000 },
      },
      {
        // langgraph.js's savers for databases: not part of `npm test`.
        test: { ...inNode, name: "databases", include: ["hosts/databases/*.test.ts"] },
      },
      { test: { ...inChromium, name: "browser", include: ["hosts/browser/*.test.ts"] } },
      {
        // The demo page: `npm test` has a part of it.
        test: {
          ...inChromium,
          name: "demo",
          include: ["hosts/demo/*.test.ts"],
          globalSetup: ["hosts/demo/global-setup.ts"],
        },
      },
      {
        test: {
          ...PATIENT,
          name: "consumers",
          include: ["hosts/consumers/*.test.ts", "hosts/rust/*.test.ts"],
          globalSetup: ["hosts/consumers/global-setup.ts"],
          // Each builds and starts programs of its own.
          maxConcurrency: 2,
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
