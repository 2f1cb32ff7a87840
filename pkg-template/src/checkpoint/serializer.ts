// Values as JSON, for code that uses a saver's serializer.
import { tooDeep } from "../shared/too-deep.js";
import type { CheckpointSerializer } from "./types.js";

/** Plain JSON. A value that is nested too deep for the engine is `UNREADABLE_VALUE`. */
export const jsonSerializer: CheckpointSerializer = {
  async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    if (value instanceof Uint8Array) return ["bytes", value];
    try {
      return ["json", new TextEncoder().encode(JSON.stringify(value))];
    } catch (cause) {
      throw cause instanceof RangeError ? tooDeep(cause) : cause;
    }
  },
  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    if (type === "bytes") return typeof data === "string" ? new TextEncoder().encode(data) : data;
    return JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
  },
};
