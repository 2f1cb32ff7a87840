// The recorded runs of the AG-UI server: what the user adds before each, what the server holds after it.
import type { Message } from "@ag-ui/client";
import { FAILING_AG_UI } from "../../hosts/servers/scenarios.mjs";
import { listRecordings, type Turn } from "./format.mjs";
import type { Held } from "./witness";

export const NAMES = listRecordings("ag-ui");
export const WHOLE = NAMES.filter((name) => !FAILING_AG_UI[name]);

/** The message that the user adds before a run. */
export function said({ request }: Turn): Message | undefined {
  return request.resume ? undefined : (request.messages.at(-1) as Message);
}

/** Where @ag-ui/client ends with the server's messages in another order. Each is what its snapshot reconciliation does. */
const REKEYED = "a tool result that the snapshot calls by another id goes to the end (ag-ui#2707)";
const UNSEEN = "a message that only the snapshot tells of goes to the end, behind what was streamed (ag-ui#1745)";
export const KNOWN_FAULTS: Record<string, string> = {
  todos: REKEYED,
  parallel: REKEYED,
  files: REKEYED,
  approval: UNSEEN,
};

export const sorted = (messages: Held["messages"]) =>
  messages.toSorted((a, b) => String(a.id).localeCompare(String(b.id)));
