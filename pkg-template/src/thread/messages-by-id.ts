// The view's messages by id, and the listeners of each.
import { tellAll } from "./notifier.js";

type Hear<S> = (state: S) => void;

/** Reads a state only when asked or listened to, at one comparison a message. */
export function messagesById<S, M extends { id?: string }>(subscribe: (listener: (state: S) => void) => () => void) {
  let messages: readonly M[] = [];
  let ids: readonly string[] | undefined;
  const places = new Map<string | undefined, number>();
  /** A set only where several listen to one message: a long list has as many listeners as messages. */
  const listeners = new Map<string | undefined, Hear<S> | Set<Hear<S>>>();
  /** The ids at which something changed since listeners were last called. */
  const touched = new Set<string | undefined>();
  let end = () => {};

  const read = (state: S) => {
    const before = messages;
    const { messages: now = [] } = state as { messages?: readonly M[] };
    if (now === before) return;
    messages = now;
    const length = Math.max(now.length, before.length);
    for (let at = nextDifference(now, before, 0); at < length; at = nextDifference(now, before, at + 1)) {
      const id = now[at]?.id;
      const last = before[at]?.id;
      if (listeners.size > 0) touched.add(id).add(last);
      if (id === last) continue;
      ids = undefined;
      if (places.get(last) === at) places.delete(last);
      if (at < now.length) places.set(id, at);
    }
    // An id may occur twice: the other message with it is left.
    if (!ids && places.size !== now.length) now.forEach(({ id }, at) => places.set(id, at));
  };
  const get = (state: S, id: string) => {
    read(state);
    return messages[places.get(id) as number];
  };
  const tell = (state: S) => {
    read(state);
    const changed = [...touched];
    touched.clear();
    for (const id of changed) {
      const own = listeners.get(id);
      if (own) tellAll(own instanceof Set ? own : new Set([own]), state);
    }
  };

  return {
    get,
    /** Returns the ids in order; the same array while they are the same. */
    ids(state: S): readonly string[] {
      read(state);
      return (ids ??= messages.map(({ id }) => id as string));
    },
    add(state: S, id: string, listener: (message: M | undefined, previous: M | undefined) => void): () => void {
      let told = get(state, id);
      const hear = (state: S) => {
        const before = told;
        told = get(state, id);
        if (told !== before) listener(told, before);
      };
      if (listeners.size === 0) end = subscribe(tell);
      const others = listeners.get(id);
      if (others instanceof Set) others.add(hear);
      else listeners.set(id, others ? new Set([others, hear]) : hear);
      return () => {
        const own = listeners.get(id);
        const isLast = own instanceof Set ? own.delete(hear) && own.size === 0 : own === hear;
        if (isLast && listeners.delete(id) && listeners.size === 0) end();
      };
    },
  };
}

/** The first position from `at` on where two lists differ; apart from what is done there, engines compile it well. */
function nextDifference(now: readonly unknown[], before: readonly unknown[], at: number): number {
  const both = Math.min(now.length, before.length);
  while (at < both && now[at] === before[at]) at++;
  return at;
}
