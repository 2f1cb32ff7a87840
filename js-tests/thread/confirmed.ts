// The confirmed state as the fold of all that was said, entry by entry, from the beginning.
import { isDeepStrictEqual } from "node:util";
import type { ThreadEvent } from "threadfold";
import { patched, type Operation } from "./patches.js";
import { addMessages, isRemoval, Refused, write, type Fields, type Message, type Rules } from "./reducers.js";

/** One thing that was said, by the server or here. */
export type Said =
  | { by: "server"; event: ThreadEvent }
  | { by: "here"; update: object }
  /** An optimistic update that became the truth: what was left of its fields, and the messages as they then were. */
  | { by: "settled"; update: object; rest: object; messages: readonly Message[] }
  | { by: "reload" };

export interface Confirmed {
  readonly messages: readonly Message[];
  readonly fields: Fields;
  /** The ids of messages of which more is to come. */
  readonly streaming: readonly string[];
  /** What was folded since the last snapshot: the ids of finished messages, the names of fields. */
  readonly predicted: readonly string[];
  readonly predictedFields: readonly string[];
}

/** What a snapshot contradicts. */
export interface Contradiction {
  messages: Operation[];
  fields: string[];
}

export function confirmedBy(rules: Rules, initial: Fields, log: readonly Said[]): Confirmed {
  const start: Confirmed = { messages: [], fields: initial, streaming: [], predicted: [], predictedFields: [] };
  return log.reduce((state, said) => after(rules, state, said), start);
}

export function after(rules: Rules, state: Confirmed, said: Said): Confirmed {
  switch (said.by) {
    case "server":
      return heard(rules, state, said.event);
    case "here":
      return folded(rules, state, said.update);
    case "settled":
      return { ...folded(rules, state, said.rest), messages: said.messages };
    case "reload":
      return { ...state, predicted: [], predictedFields: [] };
  }
}

/** An update by the fields' reducers, whole or not at all. */
export function folded(rules: Rules, state: Confirmed, update: object): Confirmed {
  let { fields, messages } = state;
  for (const [key, value] of Object.entries(update)) {
    if (key !== "messages") fields = write(rules, fields, key, value);
  }
  if ("messages" in update) messages = addMessages(messages, listed(update.messages));
  return { ...state, fields, messages };
}

export const listed = (messages: unknown): Message[] => (Array.isArray(messages) ? messages : [messages]) as Message[];

const without = (list: readonly string[], id: string) => list.filter((other) => other !== id);
const including = (list: readonly string[], id: string) => (list.includes(id) ? list : [...list, id]);

function finished(state: Confirmed, id: string): Confirmed {
  return { ...state, streaming: without(state.streaming, id), predicted: including(state.predicted, id) };
}

function heard(rules: Rules, state: Confirmed, event: ThreadEvent): Confirmed {
  switch (event.type) {
    case "run-started":
      return { ...state, streaming: [], predicted: [], predictedFields: [] };
    case "run-finished":
    case "run-failed":
      return { ...state, streaming: [] };
    case "message":
      return message(state, event.message as Message, event.after, event.streaming ?? false);
    case "text": {
      const at = state.messages.findLastIndex(({ id }) => id === event.messageId);
      const told = state.messages[at];
      if (!told) throw new Refused("UNKNOWN_MESSAGE");
      const content = `${(told.content ?? "") as string}${event.text}`;
      return { ...state, messages: state.messages.with(at, { ...told, content }) };
    }
    case "message-finished":
      return finished(state, event.messageId);
    case "messages":
      return snapshot(state, event.messages as Message[], event.clientRoles ?? []);
    case "update": {
      let next = folded(rules, state, event.update);
      if ("messages" in event.update) {
        for (const { id } of listed(event.update.messages)) next = finished(next, id);
      }
      const names = Object.keys(event.update).filter((key) => !rules.open && rules.fields[key]?.predicted);
      return { ...next, predictedFields: names.reduce(including, next.predictedFields) };
    }
    case "values": {
      const { messages, ...fields } = event.values as { messages?: Message[] };
      const next = messages ? snapshot(state, messages, []) : state;
      return replaced(rules, next, fields);
    }
    case "state": {
      const { messages: _, ...fields } = event.values as { messages?: Message[] };
      return replaced(rules, state, fields);
    }
    case "delta":
      return { ...state, fields: patched(state.fields, event.operations as Operation[]) };
  }
}

function message(state: Confirmed, told: Message, behind: string | undefined, streaming: boolean): Confirmed {
  const { messages } = state;
  const at = messages.findLastIndex(({ id }) => id === told.id);
  let place = messages.findLastIndex(({ id }) => id === behind) + 1;
  if (place === 0) place = messages.length;
  else while (isTool(messages[place])) place++;
  const next = { ...state, messages: at < 0 ? messages.toSpliced(place, 0, told) : messages.with(at, told) };
  return streaming ? { ...next, streaming: including(next.streaming, told.id) } : finished(next, told.id);
}

const isTool = (told: Message | undefined) => told?.["type"] === "tool" || told?.["role"] === "tool";
const callOf = (told: Message | undefined) => told?.["tool_call_id"] ?? told?.["toolCallId"];

/** The fields of a snapshot; what the server never shows stays. */
function replaced(rules: Rules, state: Confirmed, fields: Fields): Confirmed {
  const hidden = Object.entries(state.fields).filter(([key]) => rules.fields[key]?.output === false && !(key in fields));
  return { ...state, fields: { ...fields, ...Object.fromEntries(hidden) }, predictedFields: [] };
}

/** A list that has one of each id and no removals, as a reducer would leave it. */
export const clean = (messages: readonly Message[]) =>
  messages.some(isRemoval) || new Set(messages.map(({ id }) => id)).size < messages.length
    ? addMessages([], messages)
    : messages;

/** For each message of a snapshot which of the list's it is: that of its id, or a tool's result under another id. */
function matched(own: readonly Message[], theirs: readonly Message[]): (number | undefined)[] {
  const matches = theirs.map((their) => {
    const at = own.findLastIndex(({ id }) => id === their.id);
    return at < 0 ? undefined : at;
  });
  for (const [at, held] of own.entries()) {
    if (theirs.some(({ id }) => id === held.id) || callOf(held) === undefined) continue;
    const other = theirs.findIndex((their, index) => matches[index] === undefined && callOf(their) === callOf(held));
    if (other >= 0) matches[other] = at;
  }
  return matches;
}

function snapshot(state: Confirmed, given: readonly Message[], clientRoles: readonly string[]): Confirmed {
  const own = state.messages;
  const theirs = clean(given);
  const matches = matched(own, theirs);
  const streams = (held: Message) => state.streaming.includes(held.id);
  // Who stays: behind the one before it, or, from the first that is streamed on, before the next one.
  const behind = new Map<number | undefined, Message[]>();
  const before = new Map<number | undefined, Message[]>();
  let gap: Message[] = [];
  let previous: number | undefined;
  const close = (next: number | undefined) => {
    const streamed = gap.findIndex(streams);
    const split = streamed < 0 ? gap.length : streamed;
    behind.set(previous, [...(behind.get(previous) ?? []), ...gap.slice(0, split)]);
    before.set(next, [...(before.get(next) ?? []), ...gap.slice(split)]);
    gap = [];
    previous = next;
  };
  for (const [at, held] of own.entries()) {
    if (matches.includes(at)) close(at);
    else if (streams(held) || clientRoles.includes(held["role"] as string)) gap.push(held);
  }
  close(undefined);
  const messages = theirs.flatMap((their, index) => {
    const at = matches[index];
    const held = at === undefined ? undefined : own[at];
    if (!held) return [their];
    return [...(before.get(at) ?? []), streams(held) && isAhead(held, their) ? held : their, ...(behind.get(at) ?? [])];
  });
  const all = [...(behind.get(undefined) ?? []), ...messages, ...(before.get(undefined) ?? [])];
  return { ...state, messages: all, predicted: [] };
}

/** Whether one has the other's text and more. */
function isAhead({ content }: Message, other: Message): boolean {
  const less = other.content;
  return typeof content === "string" && typeof less === "string" && content !== less && content.startsWith(less);
}

/** Where a snapshot says otherwise than what was folded. */
export function contradicted(rules: Rules, state: Confirmed, event: ThreadEvent): Contradiction {
  const found: Contradiction = { messages: [], fields: [] };
  const { messages, ...fields } = (event.type === "values" || event.type === "state" ? event.values : {}) as { messages?: Message[] };
  const theirs = event.type === "messages" ? (event.messages as Message[]) : event.type === "values" ? messages : undefined;
  for (const id of theirs ? state.predicted : []) {
    const at = state.messages.findLastIndex((held) => held.id === id);
    const their = clean(theirs ?? []).find((told) => told.id === id);
    const content = state.messages[at]?.content;
    if (!their || content === undefined || their.content === undefined || isDeepStrictEqual(content, their.content)) continue;
    found.messages.push({ op: "replace", path: `/messages/${at}/content`, value: their.content });
  }
  if (event.type === "values" || event.type === "state") {
    const next = replaced(rules, state, fields).fields;
    found.fields = state.predictedFields.filter(
      (key) => key in state.fields && key in next && !isDeepStrictEqual(state.fields[key], next[key]),
    );
  }
  return found;
}
