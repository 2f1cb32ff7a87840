// The command line of vitest, whose projects js-tests/vitest.config.ts lists.
import { join } from "node:path";
import { root } from "./process.mjs";

/** The projects of the tests in Node. */
export const IN_NODE = ["node", "node, alone", "node, DOM"];

/** Returns Node's arguments to run these projects' tests: of all files, or of the named ones. */
export const vitestIn = (projects, ...options) => [
  join(root, "node_modules", "vitest", "vitest.mjs"),
  "run",
  "--root",
  "js-tests",
  ...projects.flatMap((project) => ["--project", project]),
  ...options,
];
