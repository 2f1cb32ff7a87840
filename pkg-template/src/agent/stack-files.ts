// The files that a middleware writes itself: they go where the file tools of the same stack find them.
import type { FileData } from "../state/files.js";
import { type Files, writeFile } from "./tools/files.js";
import type { Middleware } from "./types.js";
import { contentOf } from "./backends/file-at.js";
import type { CompositeBackend } from "./backends/types.js";

const backends = new WeakMap<Middleware, CompositeBackend>();
const makers = new WeakMap<Middleware, (backend: CompositeBackend) => Middleware>();

/** Records the backend of the file tools that a middleware adds. */
export function keepsFiles<M extends Middleware>(middleware: M, backend: CompositeBackend | undefined): M {
  if (backend) backends.set(middleware, backend);
  return middleware;
}

/** Makes a middleware that writes files: to the state, or to the backend of the stack that it comes into. */
export function writesFiles<M extends Middleware>(make: (backend?: CompositeBackend) => M): M {
  const made = make();
  makers.set(made, make);
  return made;
}

/** Returns the stack with its writers of files over its backend. */
export function overBackend(stack: readonly Middleware[]): Middleware[] {
  const backend = stack.map((one) => backends.get(one)).find((one) => one !== undefined);
  return stack.map((one) => (backend && makers.get(one)?.(backend)) ?? one);
}

/** Writes texts to their paths, unless they are there. Returns the files that belong to the state. */
export async function writtenTexts(
  texts: Readonly<Record<string, string>>,
  ofState: Files,
  backend: CompositeBackend | undefined,
): Promise<Readonly<Record<string, FileData | null>>> {
  const files: Record<string, FileData | null> = {};
  for (const [path, text] of Object.entries(texts)) {
    const known = backend ? await backend.files("file", path, ofState) : ofState;
    const was = Object.hasOwn(known, path) ? known[path] : undefined;
    if (!was || contentOf(was) !== text) Object.assign(files, writeFile(known, path, text).files);
  }
  return backend ? backend.keep(files) : files;
}
