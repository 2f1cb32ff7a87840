import * as threadfold from "threadfold";
import { addMessages } from "threadfold";
import { expect, test } from "vitest";
import { outcome } from "../../support/errors.js";
import { isThorough } from "../../support/seed.js";
import { functions, list, methods, probe, type Call } from "./calls.js";
import { garbage } from "./values.js";

const makers = Object.entries(garbage);
const isOurs = (thrown: unknown) =>
  typeof thrown === "object" && thrown !== null && thrown instanceof threadfold.ThreadfoldError;

/** A sentence about the fault, if any: a foreign error, an input written to, an object that broke. */
function complaint({ call }: Call, args: unknown[]): string | undefined {
  for (const arg of args) freeze(arg);
  const came = outcome(() => call(...(args as never[])));
  if ("error" in came && !isOurs(came.error)) return `threw ${describe(came.error)}`;
  if ("error" in came && WRITTEN.test(describe((came.error as Error).cause)))
    return `wrote to its input: ${describe((came.error as Error).cause)}`;
  const after = outcome(probe);
  if ("error" in after) return `broke something: ${describe(after.error)}`;
  return undefined;
}

/** The engines' errors for a write to a frozen object. */
const WRITTEN = /^TypeError: Cannot (assign to|add|delete|define|redefine)/;

/** Freezes plain objects and arrays as far down as a function may look, so that any write to them throws. */
function freeze(value: unknown, depth = 5): void {
  if (typeof value !== "object" || value === null || depth === 0) return;
  try {
    const isPlain = [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
    if (!isPlain || Object.isFrozen(value)) return;
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) freeze(Object.getOwnPropertyDescriptor(value, key)?.value, depth - 1);
  } catch {
    // A proxy that will not have it.
  }
}

test("a write to an input is noticed", () => {
  const call = (list: { length: number }) => addMessages([], new Proxy([], { get: () => void (list.length = 5) }));
  expect(complaint({ name: "made up", args: () => [], call: call as never }, [[]])).toMatch(/^wrote to its input/);
});

function describe(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    return "what cannot be told";
  }
}

/** The exports that other tests cover: an error has nothing to refuse, a thread has tests of its own. */
const ELSEWHERE = ["ThreadfoldError", "Thread"];

test("every exported function and class is given garbage", () => {
  const exported = Object.entries(threadfold)
    .filter(([, value]) => typeof value === "function")
    .map(([name]) => name);
  const given = new Set([...functions, ...methods].map(({ name }) => name.split(/\W/, 1)[0]));
  expect(exported.filter((name) => !given.has(name) && !ELSEWHERE.includes(name))).toEqual([]);
});

for (const subject of [...functions, ...methods]) {
  test(`${subject.name} answers garbage in any two arguments, or refuses it`, () => {
    const complaints = new Set<string>();
    let calls = 0;
    const tell = (names: string[], args: unknown[]) => {
      calls++;
      const said = complaint(subject, args);
      if (said) complaints.add(`(${names.join("; ")}) ${said}`);
    };
    const count = subject.args().length;
    tell(["good arguments"], subject.args());
    for (let first = 0; first < count; first++) {
      for (const [name, make] of makers) {
        tell([`${first}: ${name}`], subject.args().with(first, make()));
        for (let second = first + 1; second < count; second++) {
          for (const [at, [other, makeOther]] of makers.entries()) {
            // Unless thorough, each is in a thirty-second of its pairs.
            if (!isThorough() && (at + calls) % 32 !== 0) continue;
            tell(
              [`${first}: ${name}`, `${second}: ${other}`],
              subject.args().with(first, make()).with(second, makeOther()),
            );
          }
        }
      }
    }
    expect([...complaints].slice(0, 10), `${complaints.size} of ${calls} calls`).toEqual([]);
    list.update({ type: "remove", id: "__remove_all__" });
  });
}
