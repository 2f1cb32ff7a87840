declare const process: { env: { NODE_ENV?: string } };

/**
 * Whether this is a development build: then snapshots are frozen, so that a change to one is seen where it is
 * made. Bundlers fill the value in; a plain browser page has no `process` and counts as production.
 */
export const development: boolean = (() => {
  try {
    return process.env.NODE_ENV !== "production";
  } catch {
    return false;
  }
})();
