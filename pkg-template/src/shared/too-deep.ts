import { ThreadfoldError } from "./errors.js";

/** The error of a value that the engine cannot walk through, for which it throws a RangeError. */
export const tooDeep = (cause: unknown): ThreadfoldError =>
  new ThreadfoldError("UNREADABLE_VALUE", "A value is nested too deep to be copied or written as JSON.", { cause });
