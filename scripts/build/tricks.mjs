// The build's tricks: each makes the package smaller, and does nothing else. `node scripts/build/measure.mjs` leaves out
// each in turn, and writes into README.md how many bytes it saves.

/** Each trick by name, with the file that does it and the reason. */
export const TRICKS = {
  "wasm-opt": {
    file: "optimise.mjs",
    why: "LLVM optimises functions; binaryen also finds code that several have in common",
  },
  "wasm-opt's flags": {
    file: "optimise.mjs",
    why: "Against plain `-Oz`: inlining less makes the wasm larger but smaller when gzipped, because repeated code packs well",
  },
  panics: {
    file: "panics.mjs",
    why: "Nobody reads a panic's message in a wasm: the functions that write it trap instead, and their code is dropped",
  },
  "panic data": {
    file: "panic-data.mjs",
    why: "The words and source positions of panics stay in the data, because no tool knows that nobody reads them",
  },
  names: {
    file: "names.mjs",
    why: "wasm-bindgen's imports and exports have long names, some with a hash, which no compression makes smaller",
  },
  "agent names": {
    file: "bundle.mjs",
    why: "In the agent half no name is kept: esbuild knows more about its names than terser",
  },
  terser: {
    file: "bundle.mjs",
    why: "terser drops more code than esbuild, and shortens local names. Only for ESM: in CommonJS it drops exports",
  },
  printable: {
    file: "printable.mjs",
    why: "Base64 breaks the repetitions that gzip lives on: the wasm is written as printable text, one character for a frequent byte",
  },
};

const without = new Set((process.env.THREADFOLD_WITHOUT || undefined)?.split(","));

/** Returns whether the build uses this trick: `THREADFOLD_WITHOUT=names,terser` leaves two of them out. */
export const uses = (trick) => !without.has(trick);

export const usesAll = without.size === 0;
