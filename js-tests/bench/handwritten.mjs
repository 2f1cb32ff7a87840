// The limit: code that a careful person would write for just the case at hand. It leaves out a library's checks, its
// many forms of a message and its rules for repeated ids.

/** Whole messages with ids added to such messages: one pass over each side. */
export function addMessages(left, right) {
  const wanted = new Map();
  for (let at = 0; at < right.length; at++) wanted.set(right[at].id, at);
  const merged = left.slice();
  for (let at = 0; at < left.length && wanted.size > 0; at++) {
    const from = wanted.get(left[at].id);
    if (from === undefined) continue;
    merged[at] = right[from];
    wanted.delete(left[at].id);
  }
  for (const from of wanted.values()) merged.push(right[from]);
  return merged;
}

/** A list with an index by id: text goes into its message, and the array is copied when it is read. */
export class MessageList {
  #items;
  #shown;
  #positions;
  /** Positions of the messages copied since the last snapshot: nobody has seen them yet. */
  #own = new Set();

  constructor(messages) {
    this.#items = messages.slice();
    this.#positions = new Map(messages.map(({ id }, at) => [id, at]));
  }

  append(id, text) {
    const at = this.#positions.get(id);
    if (at === undefined) throw new Error(`no message ${id}`);
    const message = this.#items[at];
    if (this.#own.has(at)) {
      message.content += text;
    } else {
      this.#items[at] = { ...message, content: message.content + text };
      this.#own.add(at);
    }
    this.#shown = undefined;
  }

  replace(message) {
    const at = this.#positions.get(message.id);
    if (at === undefined) throw new Error(`no message ${message.id}`);
    this.#items[at] = message;
    this.#own.delete(at);
    this.#shown = undefined;
  }

  snapshot() {
    if (!this.#shown) {
      this.#shown = this.#items.slice();
      this.#own.clear();
    }
    return this.#shown;
  }
}

/** Tools by name, the first of a name stays. */
export function mergeTools(left, right) {
  const names = new Set();
  const merged = [];
  for (const list of [left, right]) {
    for (const tool of list) {
      if (names.has(tool.name)) continue;
      names.add(tool.name);
      merged.push(tool);
    }
  }
  return merged;
}

/** `replace` operations only: copies the way to each target, and shares the rest. */
export function applyReplacements(document, operations) {
  let patched = document;
  for (const { path, value } of operations) patched = setAt(patched, path.split("/"), 1, value);
  return patched;
}

function setAt(node, tokens, depth, value) {
  if (depth === tokens.length) return value;
  const token = tokens[depth].replaceAll("~1", "/").replaceAll("~0", "~");
  if (!Object.hasOwn(node, token)) throw new Error(`no ${tokens.join("/")}`);
  const copy = Array.isArray(node) ? node.slice() : { ...node };
  copy[token] = setAt(node[token], tokens, depth + 1, value);
  return copy;
}

/** A server's messages in the place of those that are known: equal ones stay the same objects. */
export function reconcile(messages, snapshot) {
  const known = new Map();
  for (let at = 0; at < messages.length; at++) known.set(messages[at].id, messages[at]);
  return snapshot.map((message) => {
    const held = known.get(message.id);
    return held !== undefined && isEqual(held, message) ? held : message;
  });
}

function isEqual(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || Array.isArray(a) !== Array.isArray(b)) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !isEqual(a[key], b[key])) return false;
  return true;
}
