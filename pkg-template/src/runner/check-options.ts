import { ThreadfoldError } from "../shared/errors.js";
import type { Thread } from "../thread/thread.js";
import { option } from "../shared/reading.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import type { HttpOptions, RunnerOptions, SendOptions } from "./runner-types.js";

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

/** Refuses a runner's unknown options; `own` are those that not every runner has. */
export function checkRunnerOptions<O extends Common>(
  call: string,
  options: O,
  own: NamesOf<Omit<O, keyof Common>>,
): void {
  checkOptions(call, options, Object.keys({ ...COMMON, ...own }));
  checkOptions(`${call}, rejoin`, option(options as Common, "rejoin"), Object.keys(OF_REJOIN));
}

const OF_SENDING: NamesOf<SendOptions> = { messageId: true };

export function checkSendOptions(call: string, options: SendOptions | undefined): void {
  checkOptions(call, options, Object.keys(OF_SENDING));
}

/** Refuses unknown options of a message, and options in the place of its input: they would be sent as fields of the state. */
export function checkSending<S extends object, U extends object>(
  thread: Thread<S, U>,
  input: object | undefined,
  options: SendOptions | undefined,
): void {
  checkSendOptions("sendMessage", options);
  const fields: object | undefined = thread.schema?.fields;
  for (const name of Object.keys(OF_SENDING))
    if (option(input as Record<string, unknown> | undefined, name) !== undefined && !(fields && name in fields))
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `'${name}' is an option, not a field: sendMessage(message, undefined, { ${name} }).`,
      );
}
