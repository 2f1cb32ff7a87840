// `headroom(n)`: throws, as a full stack does, unless n times 8 KiB of it are left. It is called before the core is
// entered, when nothing has begun yet. A stack overflow in the middle of the core would leave its work half done.
//
// Every engine compares a function's frame with the remaining stack before it enters the function. A frame has room for
// all results of the calls in it. So the frame here is as large as a thousand results, of a call that is never made.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, number, sections } from "./wasm-sections.mjs";

/** As many as wasm allows. */
const ANSWERS = 1000;

/** This module's parameters, for callers that cache its results. */
export const HEADROOM = `headroom ${ANSWERS}, answers last`;

const [TYPES, FUNCTIONS, EXPORTS, CODE] = [1, 3, 7, 10];
const [I32, I64, VOID] = [0x7f, 0x7e, 0x40];

/** Adds the export to a wasm, which is not optimised after: an optimiser sees that the call is never made. */
export function addHeadroom(file) {
  const wasm = readFileSync(file);
  const all = readSections(wasm);
  const count = (id) => all.find((section) => section.id === id).count;
  const [type, answers] = [count(TYPES), importedFunctions(wasm) + count(FUNCTIONS)];
  const headroom = answers + 1;
  const added = {
    [TYPES]: [
      [0x60, 0, ...leb(ANSWERS), ...Array.from({ length: ANSWERS }, () => I64)],
      [0x60, 1, I32, 0],
    ],
    [FUNCTIONS]: [leb(type), leb(type + 1)],
    [EXPORTS]: [[8, ...Buffer.from("headroom"), 0, ...leb(headroom)]],
    [CODE]: [
      body([0x00]), // unreachable
      body(
        [
          [0x20, 0, 0x45, 0x04, VOID, 0x0f, 0x0b], // if (left == 0) return
          // if (left > 0) { headroom(left - 1); return }
          [0x20, 0, 0x41, 0, 0x4a, 0x04, VOID, 0x20, 0, 0x41, 1, 0x6b, 0x10, ...leb(headroom), 0x0f, 0x0b],
          // Last, because V8 counts the code before a return as run: it would compile this anew within ten calls.
          [0x10, ...leb(answers), 0x00], // answers(); unreachable
        ].flat(),
      ),
    ],
  };
  const parts = all.flatMap(({ id, count, bytes }) => {
    const more = added[id];
    const content = more ? [...leb(count + more.length), ...bytes, ...more.flat()] : bytes;
    return [Buffer.of(id, ...leb(content.length)), Buffer.from(content)];
  });
  writeFileSync(file, Buffer.concat([wasm.subarray(0, 8), ...parts]));
}

/** A function's body without locals. */
const body = (code) => [...leb(code.length + 2), 0, ...code, 0x0b];

/** The sections: the growing ones with their count and the content after it, the others whole. */
const readSections = (wasm) =>
  sections(wasm).map(({ id, start, end }) => {
    const [count, items] = [TYPES, FUNCTIONS, EXPORTS, CODE].includes(id) ? number(wasm, start) : [0, start];
    return { id, count, bytes: wasm.subarray(items, end) };
  });

const importedFunctions = (wasm) =>
  WebAssembly.Module.imports(new WebAssembly.Module(wasm)).filter(({ kind }) => kind === "function").length;
