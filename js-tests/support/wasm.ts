// The contents of the package's wasm, seen from outside: import this before threadfold. The package exposes none of it,
// so its exports are caught where every engine hands them out, as the module is instantiated.

export interface Core {
  memory: WebAssembly.Memory;
}

type Exported = Record<string, unknown>;

let caught: Exported | undefined;
const freed = new Map<string, number>();

/** How many handles of a class of the core (`rawmessagelist`, `rawschema`) were freed, by whomever. */
export const frees = (name: string): number => freed.get(name) ?? 0;

export function core(): Core {
  if (!caught) throw new Error("threadfold was not imported, or before this module");
  return caught as unknown as Core;
}

/** As they are, but that frees are counted. */
function counted(exports: Exported): Exported {
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => {
      const [, handle] = /^__wbg_(\w+)_free$/.exec(name) ?? [];
      if (!handle) return [name, value];
      const free = value as (pointer: number, moved: number) => void;
      return [
        name,
        (pointer: number, moved: number) => {
          freed.set(handle, frees(handle) + 1);
          free(pointer, moved);
        },
      ];
    }),
  );
}

WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports);
    caught = counted(this.exports);
    Object.defineProperty(this, "exports", { value: caught });
  }
};

/** Collects garbage until the finalizers of the found objects have run too. */
export async function collect(): Promise<void> {
  if (!globalThis.gc) throw new Error("start Node with --expose-gc");
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Bytes of the JavaScript heap that are still in use after a collection. */
export async function heapUsed(): Promise<number> {
  await collect();
  return process.memoryUsage().heapUsed;
}
