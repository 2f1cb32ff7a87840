import { option } from "../errors.js";
import { checkNames, type NamesOf } from "../known-options.js";
import type { HttpOptions, RunnerOptions } from "./runner-types.js";

type Common = RunnerOptions & HttpOptions;

const COMMON: NamesOf<Common> = {
  whileRunning: true,
  cancelTimeout: true,
  rejoin: true,
  headers: true,
  credentials: true,
  fetch: true,
};
const OF_REJOIN: NamesOf<NonNullable<RunnerOptions["rejoin"]>> = { delays: true };

/** Refuses a runner's options that there are not; `own` are those that not every runner has. */
export function checkOptions<O extends Common>(options: O, own: NamesOf<Omit<O, keyof Common>>): void {
  checkNames(options, Object.keys({ ...COMMON, ...own }));
  checkNames(option(options as Common, "rejoin"), Object.keys(OF_REJOIN));
}
