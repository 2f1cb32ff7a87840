import { ThreadfoldError } from "../../shared/errors.js";
import type { FileData } from "../../state/files.js";
import type { CompositeBackend, FileBackend, FilesNeeded } from "./types.js";

type Files = Readonly<Record<string, FileData>>;

/** How many files are read at the same time. */
const AT_ONCE = 16;

/**
 * Makes the `backend` of an agent's file tools: backends by folder, as deepagents' `CompositeBackend` has them. A backend
 * sees paths without its folder. Paths in none of the folders are the state's; `"/"` leaves none to it.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a folder that does not begin and end with `/`.
 *
 * @example
 * ```ts
 * import { createAgent, createFilesystemMiddleware } from "threadfold/agent";
 * import { compositeBackend, storeBackend } from "threadfold/agent/backends";
 *
 * // Any store of LangGraph's. This one is a map.
 * const kept = new Map<string, object>();
 * const store = {
 *   get: async (_: string[], key: string) => (kept.has(key) ? { key, value: kept.get(key) as object } : null),
 *   put: async (_: string[], key: string, value: object) => void kept.set(key, value),
 *   delete: async (_: string[], key: string) => void kept.delete(key),
 *   search: async () => [...kept].map(([key, value]) => ({ key, value })),
 * };
 * const backend = compositeBackend({ "/memories/": storeBackend(store) });
 * const args = { file_path: "/memories/name.md", content: "Ada" };
 * const agent = createAgent({
 *   model: async (messages) =>
 *     messages.at(-1)?.type === "tool" ? "Noted." : { content: "", tool_calls: [{ id: "c1", name: "write_file", args }] },
 *   middleware: [createFilesystemMiddleware({ backend })],
 * });
 * await agent.invoke({ messages: "I am Ada." });
 * console.log([...kept.keys()]); // [ '/name.md' ]
 * ```
 */
export function compositeBackend(backends: Readonly<Record<string, FileBackend>>): CompositeBackend {
  return new Routes(backends);
}

/** The longest file that is searched, in bytes, as in deepagents. */
const MOST_SEARCHED = 10 * 1024 * 1024;

/** Returns a file; undefined also if the backend refuses it. */
async function readable(backend: FileBackend, path: string): Promise<FileData | undefined> {
  try {
    return await backend.read(path);
  } catch (error) {
    if (error instanceof ThreadfoldError && error.code === "INVALID_ARGUMENT") return undefined;
    throw error;
  }
}

class Routes implements CompositeBackend {
  readonly #routes: readonly (readonly [folder: string, backend: FileBackend])[];

  constructor(backends: Readonly<Record<string, FileBackend>>) {
    // Of folders within each other, the innermost counts.
    this.#routes = Object.entries(backends).sort(([a], [b]) => b.length - a.length);
    for (const [folder, backend] of this.#routes)
      if (!/^\/((?!\.{1,2}\/)[^/\\]+\/)*$/.test(folder) || typeof backend?.list !== "function")
        throw new ThreadfoldError(
          "INVALID_ARGUMENT",
          `compositeBackend: expected a backend for a folder such as '/memories/', got ${typeof backend} for '${folder}'.`,
        );
  }

  async files(needed: FilesNeeded, path: string, ofState: Files): Promise<Files> {
    const home = this.#home(path);
    if (needed === "file") {
      if (!home) return ofState;
      const file = await home.backend.read(home.path);
      return file ? { [path]: file } : {};
    }
    const within = path.endsWith("/") ? path : `${path}/`;
    const all: Record<string, FileData> = Object.fromEntries(
      Object.entries(ofState).filter(([key]) => !this.#home(key)),
    );
    for (const [folder, backend] of this.#routes) {
      const isAround = within.startsWith(folder);
      if (!isAround && (needed === "folder" || !folder.startsWith(within))) continue;
      const absolute = (own: string) => folder + own.slice(1);
      const listed = await backend.list(isAround ? `/${path.slice(folder.length)}` : "/");
      const own = listed.filter(
        ({ path, size = 0 }) =>
          this.#home(absolute(path))?.backend === backend && !(needed === "contents" && size > MOST_SEARCHED),
      );
      for (let from = 0; from < own.length; from += AT_ONCE) {
        const some = own.slice(from, from + AT_ONCE);
        const read =
          needed === "contents" ? await Promise.all(some.map((one) => readable(backend, one.path))) : undefined;
        some.forEach(({ path: name, modified_at }, at) => {
          const file = read ? read[at] : { content: "", modified_at };
          if (file) all[absolute(name)] = file;
        });
      }
    }
    return all;
  }

  async keep(files: Readonly<Record<string, FileData | null>>): Promise<Record<string, FileData | null>> {
    const rest: Record<string, FileData | null> = {};
    for (const [path, file] of Object.entries(files)) {
      const home = this.#home(path);
      if (home) await home.backend.write(home.path, file);
      else rest[path] = file;
    }
    return rest;
  }

  /** The backend of a path, and the path there; undefined if it is the state's. */
  #home(path: string): { readonly backend: FileBackend; readonly path: string } | undefined {
    const route = this.#routes.find(([folder]) => path.startsWith(folder) && path !== folder);
    return route && { backend: route[1], path: `/${path.slice(route[0].length)}` };
  }
}
