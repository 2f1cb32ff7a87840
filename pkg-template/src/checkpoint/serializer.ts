// Values as JSON, for whoever asks a saver for its serializer.
import type { CheckpointSerializer } from "./types.js";

/** Plain JSON. */
export const jsonSerializer: CheckpointSerializer = {
  async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    return value instanceof Uint8Array ? ["bytes", value] : ["json", new TextEncoder().encode(JSON.stringify(value))];
  },
  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    if (type === "bytes") return typeof data === "string" ? new TextEncoder().encode(data) : data;
    return JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
  },
};
