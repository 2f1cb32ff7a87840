#!/usr/bin/env node
// `npm create threadfold` is `npx threadfold init`.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

process.argv.splice(2, 0, "init");
const manifest = createRequire(import.meta.url).resolve("threadfold/package.json");
await import(new URL("cli.js", pathToFileURL(manifest)));
