import * as fc from "fast-check";
import { addMessages, MessageList } from "threadfold";
import { expect, test } from "vitest";
import { normalMessages } from "../../peers/conformance/normal-form.js";
import { outcome } from "../../support/errors.js";
import { leftSpecs, make, rightSpecs, type Spec } from "../../support/message-specs.js";
import { seeded } from "../../support/seed.js";
import type { MessageOptions } from "../../../pkg-template/src/state/messages.js";

type Command = { do: "update"; specs: Spec[] } | { do: "append"; id: string; text: string } | { do: "snapshot" };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("update" as const), specs: rightSpecs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      id: fc.constantFrom("1", "2", "3", "4", "", "unknown"),
      text: fc.constantFrom("x", "yz", ""),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("snapshot" as const) }) },
);

type Held = Record<string, unknown> & { id?: unknown; content?: unknown };

/** The list as a plain array, changed by `addMessages` and directly. */
class Model {
  items: Held[];
  readonly #options: MessageOptions;

  constructor(initial: unknown[], options: MessageOptions) {
    this.#options = options;
    this.items = addMessages([], initial as never[], options) as never;
  }

  update(messages: unknown[]): void {
    this.items = addMessages(this.items as never[], messages as never[], this.#options) as never;
  }

  append(id: string, text: string): void {
    const at = this.items.findLastIndex((item) => item.id === id);
    const item = this.items[at];
    if (!item) throw Object.assign(new Error("unknown"), { code: "UNKNOWN_MESSAGE" });
    this.items = this.items.with(
      at,
      Object.assign(Object.create(Object.getPrototypeOf(item) as object) as Held, item, {
        content: this.#grown(item.content, text),
      }),
    );
  }

  #grown(content: unknown, text: string): unknown {
    if (!Array.isArray(content)) return `${(content ?? "") as string}${text}`;
    const last = content.at(-1) as { type?: string; text?: string } | undefined;
    return last?.type === "text"
      ? content.with(-1, { ...last, text: last.text + text })
      : [...content, { type: "text", text }];
  }
}

/** The ids that the commands between two snapshots may have changed. */
function touched(commands: Command[]): Set<unknown> {
  return new Set(
    commands.flatMap((command) => {
      if (command.do === "append") return [command.id];
      return command.do === "update" ? command.specs.map((spec) => spec.id) : [];
    }),
  );
}

const code = (call: () => unknown) => {
  const came = outcome(call);
  return "error" in came ? (came.error as { code: unknown }).code : "done";
};

function agrees(initial: Spec[], commands: Command[], rules: MessageOptions["rules"]): void {
  const model = outcome(() => new Model(initial.map(make), { rules }));
  const made = outcome(() => new MessageList(initial.map(make) as never[], { rules }));
  if (!("answer" in model && "answer" in made)) {
    expect(made).toMatchObject({ error: { code: ((model as { error: unknown }).error as { code: string }).code } });
    return;
  }
  using list = made.answer;
  const snapshots: { list: readonly Held[]; normal: unknown; at: number }[] = [];
  const snapshot = (at: number) => {
    const taken = list.snapshot() as readonly Held[];
    expect(list.snapshot()).toBe(taken);
    expect(normalMessages(taken)).toEqual(normalMessages(model.answer.items));
    const previous = snapshots.at(-1);
    if (previous) {
      const changed = touched(commands.slice(previous.at, at));
      const known = new Set(previous.list.map(({ id }) => id));
      const cleared = changed.has("__remove_all__");
      for (const item of taken) {
        if (typeof item.id === "string" && !cleared && known.has(item.id) && !changed.has(item.id))
          expect(previous.list).toContain(item);
      }
    }
    snapshots.push({ list: taken, normal: normalMessages(taken), at });
  };
  for (const [at, command] of commands.entries()) {
    if (command.do === "update") {
      expect(code(() => list.update(command.specs.map(make) as never[]))).toBe(
        code(() => model.answer.update(command.specs.map(make))),
      );
    } else if (command.do === "append") {
      expect(code(() => list.append(command.id, command.text))).toBe(
        code(() => model.answer.append(command.id, command.text)),
      );
    } else {
      snapshot(at);
    }
    expect(list.length).toBe(model.answer.items.length);
  }
  snapshot(commands.length);
  // Later updates did not change a snapshot.
  for (const { list, normal } of snapshots) expect(normalMessages(list)).toEqual(normal);
}

const commands = fc.array(command, { minLength: 1, maxLength: 25, size: "max" });

for (const rules of ["langgraph", "deepagents"] as const) {
  test(`a MessageList is at every moment what addMessages gives, rules of ${rules}; its snapshots never change`, () => {
    const law = fc.property(leftSpecs, commands, (initial, commands) => agrees(initial, commands, rules));
    fc.assert(law, seeded(`MessageList, ${rules}`, 2_000));
  });
}

test("an appended instance stays one of its class, and the one that was given is not changed", () => {
  const given = make({ form: "instance", kind: "aiChunk", content: "a", id: "1" }) as { content: string };
  using list = new MessageList([given as never]);
  list.append("1", "b");
  list.append("1", "c");
  const [held] = list.snapshot() as unknown as { content: string; lc_kwargs: { content: string } }[];
  expect(held?.content).toBe("abc");
  expect(held?.lc_kwargs.content).toBe("abc");
  expect(held && Object.getPrototypeOf(held)).toBe(Object.getPrototypeOf(given));
  expect(given.content).toBe("a");
});

/** The ways in which a caller's message replaces one that the list had written into. */
const replacements: Record<string, (list: MessageList, given: never) => void> = {
  "after text": (list, given) => list.update([given]),
  "with another before it removed": (list, given) => list.update([{ type: "remove", id: "0" }, given]),
  "removed and sent again in one update": (list, given) => list.update([{ type: "remove", id: "1" }, given]),
  "removed and sent again in two": (list, given) => {
    list.update([{ type: "remove", id: "1" }]);
    list.update([given]);
  },
  "after all were removed": (list, given) => list.update([{ type: "remove", id: "__remove_all__" }, given]),
};

for (const rules of ["langgraph", "deepagents"] as const) {
  for (const [way, replace] of Object.entries(replacements)) {
    test(`a message that replaces another is never written into: ${way}, rules of ${rules}`, () => {
      const whole = (id: string, content: string) => ({ type: "ai" as const, id, content });
      using list = new MessageList([whole("0", "zero"), whole("1", "a"), whole("2", "two")], { rules });
      // Now the list has made the one that is replaced itself, and may write into it.
      list.append("1", "+");
      const given = whole("1", "b");
      replace(list, given as never);
      list.append("1", "c");
      expect(given).toEqual(whole("1", "b"));
      expect(list.snapshot().find(({ id }) => id === "1")).toEqual(whole("1", "bc"));
    });
  }
}
