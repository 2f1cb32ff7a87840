// The part of vitest that the rules use.
import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = chai.expect;

let tests = new Map();
export const test = (name, run) => tests.set(name, run);

export function collected(declare) {
  tests = new Map();
  declare();
  return tests;
}
