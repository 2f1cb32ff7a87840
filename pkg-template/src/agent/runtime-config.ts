// The config that a node's context makes for models and tools of LangChain's.
import type { Runtime } from "./types.js";

/** What a context has of its own is a config of LangChain's, which pays for every key: only those that say something. */
export function configOf(runtime: Runtime): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const key of Object.keys(runtime)) {
    const value = runtime[key as keyof Runtime] as unknown;
    const isEmpty = value === undefined || (key === "configurable" && Object.keys(value as object).length === 0);
    if (!isEmpty && key !== "tools" && key !== "schema") config[key] = value;
  }
  return config;
}

/** The signal of a run that has one: to make one for each call would cost as much as the call. */
export const ownSignal = (runtime: Runtime): { signal?: AbortSignal } =>
  Object.hasOwn(runtime, "signal") ? { signal: runtime.signal } : {};
