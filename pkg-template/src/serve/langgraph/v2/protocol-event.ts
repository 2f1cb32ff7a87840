// An event of protocol v2, and the filter of those that read a thread's stream.
import { Refusal } from "../../refusal.js";

/** An event of a run, before its thread numbers it. */
export interface RunEvent {
  readonly method: string;
  readonly namespace: readonly string[];
  /** The node that sends it, if one does. */
  readonly node?: string | undefined;
  readonly data: unknown;
}

/** Chooses the events of a thread's stream. */
export interface EventFilter {
  readonly channels: ReadonlySet<string>;
  readonly namespaces: readonly (readonly string[])[] | undefined;
  /** How many segments an event's namespace may have after a wanted one. */
  readonly depth: number | undefined;
  /** The `seq` of the last event that the client has. */
  readonly since: number;
}

const FIELDS = new Set(["channels", "namespaces", "depth", "since"]);

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/**
 * Reads the body of `stream/events`.
 *
 * @throws {@link Refusal} 422 for another field, and for a value in another form.
 */
export function filterIn(body: Readonly<Record<string, unknown>>): EventFilter {
  const { channels, namespaces, depth, since } = body;
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw new Refusal(422, `stream/events: unknown field '${unknown}'.`);
  if (!isTexts(channels)) throw new Refusal(422, "stream/events: channels should be a list of names.");
  if (namespaces !== undefined && !(Array.isArray(namespaces) && namespaces.every(isTexts)))
    throw new Refusal(422, "stream/events: namespaces should be a list of lists of strings.");
  if (depth !== undefined && !isCount(depth)) throw new Refusal(422, "stream/events: depth should be a number from 0.");
  if (since !== undefined && !isCount(since)) throw new Refusal(422, "stream/events: since should be a number from 0.");
  return { channels: new Set(channels), namespaces, depth, since: since ?? 0 };
}

/** Whether a client that filters so gets an event. */
export function passes({ channels, namespaces, depth }: EventFilter, event: RunEvent): boolean {
  const channel = channelOf(event);
  if (!channels.has(channel) && !(channel.startsWith("custom:") && channels.has("custom"))) return false;
  if (namespaces === undefined || namespaces.length === 0) return true;
  const { namespace } = event;
  return namespaces.some(
    (prefix) => isWithin(namespace, prefix) && (depth === undefined || namespace.length - prefix.length <= depth),
  );
}

function channelOf({ method, data }: RunEvent): string {
  if (method.startsWith("input.")) return "input";
  const { name } = (method === "custom" ? data : {}) as { readonly name?: unknown };
  return typeof name === "string" ? `custom:${name}` : method;
}

/** Whether a namespace starts with another, whose segments may leave out the ids of tasks. */
function isWithin(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((wanted, at) => {
    const segment = namespace[at];
    return segment === wanted || (segment !== undefined && !wanted.includes(":") && nodeIn(segment) === wanted);
  });
}

/** Returns the node of a segment, which is `NODE:TASK`. */
export const nodeIn = (segment: string): string => segment.split(":", 1)[0] as string;
