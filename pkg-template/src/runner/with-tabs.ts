import type { ShareStreams, Streams } from "./transport.js";

/** Returns a transport whose streams are shared as the option says. It is read at each call: another user may log in. */
export function withTabs<T extends Streams>(
  transport: T,
  options: { readonly tabs?: ShareStreams | undefined },
  address: string,
): T {
  if (!options.tabs) return transport;
  const { join, follow } = transport;
  const shared = () => options.tabs?.(transport, address) ?? transport;
  return {
    ...transport,
    ...(join && { join: (...call) => shared().join?.(...call) ?? [] }),
    ...(follow && { follow: (...call) => shared().follow?.(...call) ?? [] }),
  };
}
