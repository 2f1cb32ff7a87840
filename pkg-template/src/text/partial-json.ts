import { type Container, read, sharing, write } from "./containers.js";
import { isDigit, numberOf, Part, partAfter } from "./json-number.js";

/**
 * JSON that is still arriving: the part that is there, as @langchain/core's `parsePartialJson` reads it, without
 * reading anything twice. A piece of text costs its own length. A look at the object costs a copy of the objects that
 * are still open, made when more arrives. An object that was looked at never changes, and one that no piece touched
 * stays the same.
 *
 * Only objects are of interest, as arguments of a tool call are one: any other text is invalid.
 */
export class PartialJson {
  readonly #holdsEscapes: boolean;
  #text = "";
  /** White space at the end: the reference trims it, and reads it when more follows. */
  #space = "";
  #mode: Mode = Mode.Start;
  #root: Container | undefined;
  readonly #open: Frame[] = [];
  /** Counts the changes of the object. */
  #version = 0;
  /** Counts the looks at the object: a container made before the last one has been handed out. */
  #looks = 0;
  /** How many values the open containers have: what it costs to copy them. */
  #width = 0;
  #now: PartialObject | undefined;
  /** The string, number or word that is being read, and how far. */
  #read = "";
  #escape = Escape.None;
  #hex = "";
  /** The last character of the string that is being read. */
  #last = 0;
  #inKey = false;
  #number = Part.Sign;
  #word: readonly [text: string, value: unknown] = WORDS.n;
  /** An incomplete number (`-.`) hides the whole until it is complete. */
  #hidden = false;

  /** @param holdsEscapes - Leaves out half an escape or a half character at the end, which the reference shows. */
  constructor(holdsEscapes = false) {
    this.#holdsEscapes = holdsEscapes;
  }

  /** The text so far without white space around it. */
  get text(): string {
    return this.#text;
  }

  /** The object so far, `{}` for no text; undefined where the text cannot begin an object. */
  get object(): PartialObject | undefined {
    if (this.#mode === Mode.Invalid || this.#hidden) return undefined;
    if (this.#now?.version !== this.#version) this.#now = new PartialObject(this, this.#version, this.#text);
    return this.#now;
  }

  /** Whether it costs much to look at the object at every piece. */
  get isWide(): boolean {
    return this.#width > WIDE;
  }

  /** The object as it was: it is there still, unless it has changed; then it is read again. */
  as({ version, text }: PartialObject): Dict {
    this.#looks++;
    const now = this.#root ?? NOTHING;
    if (version === this.#version) return now as Dict;
    const then = new PartialJson(this.#holdsEscapes);
    then.add(text);
    return sharing(then.#root ?? NOTHING, now, 0) as Dict;
  }

  /** Reads on. */
  add(text: string): void {
    let end = text.length;
    while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
    if (end === 0) {
      if (this.#text) this.#space += text;
      return;
    }
    let start = 0;
    if (!this.#text) while (isSpace(text.charCodeAt(start))) start++;
    const piece = this.#space + text.slice(start, end);
    this.#space = text.slice(end);
    this.#text += piece;
    this.#hidden = false;
    for (let at = 0; at < piece.length && this.#mode !== Mode.Invalid;) at = this.#step(piece, at);
    this.#showUnfinished();
  }

  /** Reads one token or a part of it; returns the position to continue from. */
  #step(piece: string, at: number): number {
    switch (this.#mode) {
      case Mode.String:
        return this.#string(piece, at);
      case Mode.Number:
        return this.#digits(piece, at);
      case Mode.Word:
        return this.#letter(piece, at);
      default:
        if (!isSpace(piece.charCodeAt(at))) this.#structure(piece.charAt(at));
        // A number's first character decides how to read the rest, so it is read once more.
        return (this.#mode as Mode) === Mode.Number ? at : at + 1;
    }
  }

  #structure(char: string): void {
    switch (this.#mode) {
      case Mode.Start:
        if (char === "{") this.#enter({});
        else this.#mode = Mode.Invalid;
        return;
      case Mode.FirstKey:
        if (char === "}") this.#leave();
        else this.#key(char);
        return;
      case Mode.Key:
        this.#key(char);
        return;
      case Mode.Colon:
        this.#mode = char === ":" ? Mode.Value : Mode.Invalid;
        return;
      case Mode.FirstItem:
        if (char === "]") this.#leave();
        else this.#value(char);
        return;
      case Mode.Value:
        this.#value(char);
        return;
      case Mode.After:
        this.#after(char);
        return;
      default:
        // Anything after the whole.
        this.#mode = Mode.Invalid;
    }
  }

  #key(char: string): void {
    if (char !== '"') {
      this.#mode = Mode.Invalid;
      return;
    }
    this.#inKey = true;
    this.#beginString();
  }

  #value(char: string): void {
    const frame = this.#open.at(-1) as Frame;
    if (Array.isArray(frame.node)) frame.key = frame.node.length;
    frame.values++;
    this.#width++;
    if (char === "{") this.#enter({});
    else if (char === "[") this.#enter([]);
    else if (char === '"') {
      this.#inKey = false;
      this.#beginString();
    } else if (char === "-" || isDigit(char)) {
      this.#read = "";
      this.#number = Part.Start;
      this.#mode = Mode.Number;
    } else if (char === "n" || char === "t" || char === "f") {
      this.#word = WORDS[char];
      this.#read = char;
      this.#put(this.#word[1]);
      this.#mode = Mode.Word;
    } else this.#mode = Mode.Invalid;
  }

  #after(char: string): void {
    const inArray = Array.isArray(this.#open.at(-1)?.node);
    if (char === (inArray ? "]" : "}")) this.#leave();
    else if (char === ",") this.#mode = inArray ? Mode.Value : Mode.Key;
    else this.#mode = Mode.Invalid;
  }

  #beginString(): void {
    this.#read = "";
    this.#last = 0;
    this.#escape = Escape.None;
    this.#mode = Mode.String;
  }

  #string(piece: string, at: number): number {
    if (this.#escape !== Escape.None) {
      this.#escaped(piece.charAt(at));
      return at + 1;
    }
    let end = at;
    for (; end < piece.length; end++) {
      const code = piece.charCodeAt(end);
      if (code === QUOTE || code === BACKSLASH) break;
    }
    this.#read += piece.slice(at, end);
    if (end > at) this.#last = piece.charCodeAt(end - 1);
    if (end === piece.length) return end;
    if (piece.charCodeAt(end) === BACKSLASH) this.#escape = Escape.Begun;
    else if (this.#inKey) {
      (this.#open.at(-1) as Frame).key = this.#read;
      this.#mode = Mode.Colon;
    } else {
      this.#put(this.#read);
      this.#mode = Mode.After;
    }
    return end + 1;
  }

  #escaped(char: string): void {
    if (this.#escape === Escape.Begun) {
      const meant = ESCAPES[char];
      this.#escape = Escape.None;
      if (char === "u") {
        this.#escape = Escape.Unicode;
        this.#hex = "";
      } else if (meant === undefined) this.#mode = Mode.Invalid;
      else {
        this.#read += meant;
        this.#last = 0;
      }
      return;
    }
    if (!HEX.test(char)) {
      this.#mode = Mode.Invalid;
      return;
    }
    this.#hex += char;
    if (this.#hex.length === 4) {
      this.#last = Number.parseInt(this.#hex, 16);
      this.#read += String.fromCharCode(this.#last);
      this.#escape = Escape.None;
    }
  }

  #digits(piece: string, at: number): number {
    let end = at;
    for (; end < piece.length; end++) {
      const next = partAfter(this.#number, piece.charAt(end));
      if (next === undefined) break;
      this.#number = next;
      if (next === Part.Wrong) {
        this.#mode = Mode.Invalid;
        return end;
      }
    }
    this.#read += piece.slice(at, end);
    if (end === piece.length) return end;
    const value = numberOf(this.#read);
    if (Number.isNaN(value)) this.#mode = Mode.Invalid;
    else {
      this.#put(value);
      this.#mode = Mode.After;
    }
    return end;
  }

  #letter(piece: string, at: number): number {
    this.#read += piece.charAt(at);
    if (!this.#word[0].startsWith(this.#read)) this.#mode = Mode.Invalid;
    else if (this.#read === this.#word[0]) this.#mode = Mode.After;
    return at + 1;
  }

  /** Puts an unfinished string or number in its place; the next piece replaces it. */
  #showUnfinished(): void {
    if (this.#mode === Mode.String && !this.#inKey) {
      if (this.#holdsEscapes) {
        // Looking at the text's own end would copy it: it is made of pieces.
        if (!isHalf(this.#last)) this.#put(this.#read);
        return;
      }
      const pending = this.#escape === Escape.Begun ? "\\" : this.#escape === Escape.Unicode ? `u${this.#hex}` : "";
      this.#put(this.#read + pending);
    } else if (this.#mode === Mode.Number) {
      const value = numberOf(this.#read);
      if (Number.isNaN(value)) this.#hidden = true;
      else this.#put(value);
    }
  }

  #enter(node: Container): void {
    if (this.#root) this.#put(node);
    else {
      this.#root = node;
      this.#version++;
    }
    this.#open.push({ node, key: "", values: 0, look: this.#looks });
    this.#mode = Array.isArray(node) ? Mode.FirstItem : Mode.FirstKey;
  }

  #leave(): void {
    this.#width -= (this.#open.pop() as Frame).values;
    this.#mode = this.#open.length > 0 ? Mode.After : Mode.Whole;
  }

  /** Puts a value where the innermost open container is being read. */
  #put(value: unknown): void {
    const { node, key } = this.#open.at(-1) as Frame;
    if (typeof value !== "object" && Object.hasOwn(node, key) && Object.is(read(node, key), value)) return;
    this.#version++;
    write(this.#own(), key, value);
  }

  /** The innermost open container, nobody else's: copies take the places of those around it that were handed out. */
  #own(): Container {
    const open = this.#open;
    let at = open.length;
    while (at > 0 && (open[at - 1] as Frame).look !== this.#looks) at--;
    for (; at < open.length; at++) {
      const frame = open[at] as Frame;
      const around = open[at - 1];
      frame.look = this.#looks;
      frame.node = Array.isArray(frame.node) ? frame.node.slice() : { ...frame.node };
      if (around) write(around.node, around.key, frame.node);
      else this.#root = frame.node;
    }
    return (open.at(-1) as Frame).node;
  }
}

/** The object that a text was the beginning of at some time. It is made when somebody looks. */
export class PartialObject {
  readonly version: number;
  readonly text: string;
  #json: PartialJson | undefined;
  #value: Dict = NOTHING;

  constructor(json: PartialJson, version: number, text: string) {
    this.#json = json;
    this.version = version;
    this.text = text;
  }

  /** The same object each time. */
  get value(): Dict {
    if (this.#json) {
      this.#value = this.#json.as(this);
      this.#json = undefined;
    }
    return this.#value;
  }
}

type Dict = Readonly<Record<string, unknown>>;
/**
 * An open container, where in it the reader is, how many values it has, and the look that it was made or copied after.
 */
interface Frame {
  node: Container;
  key: string | number;
  values: number;
  look: number;
}

const enum Mode {
  Start,
  FirstKey,
  Key,
  Colon,
  FirstItem,
  Value,
  After,
  String,
  Number,
  Word,
  Whole,
  Invalid,
}
const enum Escape {
  None,
  Begun,
  Unicode,
}
const QUOTE = 34;
const BACKSLASH = 92;
const isHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const HEX = /^[0-9A-Fa-f]$/;
const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});
const ESCAPES: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null) as object, {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  "\\": "\\",
  '"': '"',
  "/": "/",
});
const WORDS = { n: ["null", null], t: ["true", true], f: ["false", false] } as const;

/** Whether `trim` removes this character. */
const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 160 && String.fromCharCode(code).trim() === "");

/** Values that are copied as fast as anything else is done for a piece. */
const WIDE = 32;
