// The demo page, built and served once for all tests of this folder.
import type { TestProject } from "vitest/node";
import { serveDemo } from "./demo-page.mjs";

declare module "vitest" {
  interface ProvidedContext {
    demo: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The page's configuration sets it, for its own build: the tests' processes must not have it.
  const { NODE_ENV: mode } = process.env;
  const { address, close } = await serveDemo();
  if (mode === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = mode;
  project.provide("demo", address);
  return close;
}
