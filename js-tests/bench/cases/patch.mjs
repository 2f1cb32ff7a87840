// JSON Patch on 1 MB of state. Each contender has a document of its own: immer freezes what it gets.
import jsonpatch from "fast-json-patch";
import { Immer } from "immer";
import { applyPatch } from "threadfold";
import { bigState } from "../data.mjs";
import * as handwritten from "../handwritten.mjs";

export function cases() {
  const leaf = { op: "replace", path: "/sections/40/items/12/done", value: true };
  const many = Array.from({ length: 20 }, (_, at) => {
    return { op: "replace", path: `/sections/${at * 2}/items/${at}/score`, value: at };
  });
  return [benchCase("applyPatch, one leaf of 1 MB", [leaf]), benchCase("applyPatch, 20 leaves of 1 MB", many)];
}

function benchCase(name, operations) {
  const contenders = {
    threadfold: (document) => applyPatch(document, operations),
    handwritten: (document) => handwritten.applyReplacements(document, operations),
    // As @ag-ui/client 1.0.0 does it for a STATE_DELTA: validated, on a deep clone.
    "fast-json-patch": (document) => jsonpatch.applyPatch(document, operations, true, false).newDocument,
    immer: producing(new Immer(), operations),
    "immer, autoFreeze off": producing(new Immer({ autoFreeze: false }), operations),
  };
  return {
    name,
    n: operations.length,
    contenders: Object.fromEntries(
      Object.entries(contenders).map(([name, apply]) => {
        const document = bigState();
        return [name, () => apply(document)];
      }),
    ),
  };
}

function producing(immer, operations) {
  return (document) =>
    immer.produce(document, (draft) => {
      for (const { path, value } of operations) {
        const tokens = path.split("/").slice(1);
        const last = tokens.pop();
        let node = draft;
        for (const token of tokens) node = node[token];
        node[last] = value;
      }
    });
}
