/** A place at which a test waits, and lets another one go on. As an option `config`, its first call waits there. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  let reach = () => {};
  const isReached = new Promise<void>((resolve) => (reach = resolve));
  let calls = 0;
  const config = async () => {
    if (++calls > 1) return {};
    reach();
    await opened;
    return {};
  };
  return { config, open, opened, reach, isReached };
}
