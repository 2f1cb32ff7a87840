// The page of examples/many-instances, and the modules that it imports.
import { readFileSync } from "node:fs";

const PAGE = new URL("../../../../examples/many-instances/index.html", import.meta.url);

/** Returns what a path is answered with. */
export function fileOf(pathname) {
  const name = /^\/threadfold\/([\w-]+\.js)$/.exec(pathname)?.[1];
  const body = readFileSync(name ? new URL(name, import.meta.resolve("threadfold")) : PAGE);
  return [body, { headers: { "content-type": name ? "text/javascript" : "text/html" } }];
}
