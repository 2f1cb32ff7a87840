import { checkOptions, type NamesOf } from "../shared/options.js";
import type { HttpOptions, RunnerOptions, SendOptions } from "./runner-types.js";

type Common = RunnerOptions & HttpOptions;

const COMMON: NamesOf<Common> = {
  whileRunning: true,
  whileOffline: true,
  cancelTimeout: true,
  rejoinDelays: true,
  tabs: true,
  headers: true,
  credentials: true,
  fetch: true,
};

/** Refuses a runner's unknown options; `own` are those that not every runner has. */
export function checkRunnerOptions<O extends Common>(
  call: string,
  options: O,
  own: NamesOf<Omit<O, keyof Common>>,
): void {
  checkOptions(call, options, Object.keys({ ...COMMON, ...own }));
}

const OF_SENDING: NamesOf<SendOptions> = { input: true, messageId: true, whileRunning: true };
const OF_REGENERATING: NamesOf<Pick<SendOptions, "messageId">> = { messageId: true };

/** Refuses unknown options of a message: a field of the state is one of `input`. */
export function checkSending(options: object | undefined): void {
  checkOptions("sendMessage", options, Object.keys(OF_SENDING));
}

export function checkRegenerating(options: object | undefined): void {
  checkOptions("regenerate", options, Object.keys(OF_REGENERATING));
}
