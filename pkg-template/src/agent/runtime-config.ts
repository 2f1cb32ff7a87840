// The config that a node's context makes for models and tools of LangChain's.
import type { Runtime } from "./types.js";

/** The context's own values as a config of LangChain's. Every key costs it, so only those with a value are set. */
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
