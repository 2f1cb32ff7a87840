// The program's part in the config of a run.

/** A run's config, not a function: a server would take one with other parameters for it. */
export interface ConfigObject {
  readonly bind?: never;
  // oxlint-disable-next-line typescript/no-explicit-any -- an interface has no index signature of `unknown`
  readonly [name: string]: any;
}

/** Returns a config for one run: of a function, async or not, what it gives for these arguments. */
export async function ownConfig<Args extends readonly unknown[]>(
  config: ((...args: Args) => object | undefined | Promise<object | undefined>) | object | undefined,
  ...args: Args
): Promise<object | undefined> {
  // Any function is an object, too.
  return typeof config === "function" ? (config as (...args: Args) => object | undefined)(...args) : config;
}
