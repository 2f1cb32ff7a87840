import * as threadfold from "threadfold";
import { expect, test } from "vitest";
import { outcome } from "../support/errors.js";
import { functions, list, methods, probe, type Call } from "./calls.js";
import { garbage } from "./values.js";

const makers = Object.entries(garbage);
const isOurs = (thrown: unknown) => typeof thrown === "object" && thrown !== null && thrown instanceof threadfold.ThreadfoldError;

/** A sentence on what went wrong, if anything did: an error that is not ours, or an object that broke. */
function complaint({ call }: Call, args: unknown[]): string | undefined {
  const came = outcome(() => call(...(args as never[])));
  if ("error" in came && !isOurs(came.error)) return `threw ${describe(came.error)}`;
  const after = outcome(probe);
  if ("error" in after) return `broke something: ${describe(after.error)}`;
  return undefined;
}

function describe(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    return "what cannot be told";
  }
}

/** The exports that are given garbage elsewhere: an error has nothing to refuse, a thread has tests of its own. */
const ELSEWHERE = ["ThreadfoldError", "Thread"];

test("every exported function and class is given garbage", () => {
  const exported = Object.entries(threadfold).filter(([, value]) => typeof value === "function").map(([name]) => name);
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
          for (const [other, makeOther] of makers) {
            tell([`${first}: ${name}`, `${second}: ${other}`], subject.args().with(first, make()).with(second, makeOther()));
          }
        }
      }
    }
    expect([...complaints].slice(0, 10), `${complaints.size} of ${calls} calls`).toEqual([]);
    list.update({ type: "remove", id: "__remove_all__" });
  });
}
