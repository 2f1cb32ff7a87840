// `headroom(n)`: throws, as a full stack does, unless n times 8 KiB of it are left. It is asked before the core is entered,
// where nothing has begun yet: what overflows in the middle of the core would leave it in the middle of its work.
//
// Every engine compares a function's frame with what is left before it enters it, and a frame has room for all that a call
// in it may answer. So the frame here is as large as a thousand answers, of a call that is never made.
import { readFileSync, writeFileSync } from "node:fs";
import binaryen from "binaryen";

/** As many as wasm allows. */
const ANSWERS = 1000;

/** All that says what this module does, for whoever keeps what it did. */
export const HEADROOM = `headroom ${ANSWERS}`;

/** Adds the export to a wasm, which is not optimised after: an optimiser sees that the call is never made. */
export function addHeadroom(file) {
  const module = binaryen.readBinary(readFileSync(file));
  module.setFeatures(module.getFeatures() | binaryen.Features.Multivalue);
  const answers = binaryen.createType(Array.from({ length: ANSWERS }, () => binaryen.i64));
  module.addFunction("answers", binaryen.none, answers, [], module.unreachable());
  const left = () => module.local.get(0, binaryen.i32);
  module.addFunction("headroom", binaryen.i32, binaryen.none, [], module.block(null, [
    module.if(module.i32.eqz(left()), module.return()),
    module.if(
      module.i32.lt_s(left(), module.i32.const(0)),
      module.block(null, [module.drop(module.call("answers", [], answers)), module.unreachable()]),
    ),
    module.call("headroom", [module.i32.sub(left(), module.i32.const(1))], binaryen.none),
  ]));
  module.addFunctionExport("headroom", "headroom");
  writeFileSync(file, module.emitBinary());
  module.dispose();
}
