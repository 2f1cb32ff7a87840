// The servers, started once for all tests of this folder.
import type { TestProject } from "vitest/node";
import { startServers } from "./start.mjs";

declare module "vitest" {
  interface ProvidedContext {
    agUi: string;
    langGraph: string;
    langGraphJs: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const { agUi, langGraph, langGraphJs, stop } = await startServers();
  project.provide("agUi", agUi);
  project.provide("langGraph", langGraph);
  project.provide("langGraphJs", langGraphJs);
  return stop;
}
